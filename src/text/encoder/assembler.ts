/** Bytes of WebAssembly code. */
export type Code = readonly number[];
type ValueType = 'i32' | 'f32' | 'v128';

/** Code that leaves one value; the type keeps integers, floats and vectors apart. */
export interface Value<Type extends ValueType> {
  readonly type: Type;
  readonly code: Code;
}

/** A 32-bit integer or address. */
export type I32 = Value<'i32'>;
/** A 32-bit float. */
export type F32 = Value<'f32'>;
/** A vector of 16 bytes. */
export type V128 = Value<'v128'>;

/** A local variable of a function. */
export interface Local<Type extends ValueType> extends Value<Type> {
  set(value: Value<Type>): Code;
}

/** Makes the local variables of a function. */
export interface Scope {
  i32(): Local<'i32'>;
  f32(): Local<'f32'>;
  v128(): Local<'v128'>;
}

/** A function of a module: its name and its parameters, all integers. */
export interface FunctionSource {
  readonly name: string;
  readonly code: Code;
  readonly parameters: number;
}

const TYPE_BYTES: Record<ValueType, number> = { i32: 0x7f, f32: 0x7d, v128: 0x7b };
const NO_RESULT = 0x40;
const END = 0x0b;

/** Unsigned LEB128, as WebAssembly writes lengths, indices and operation codes. */
function unsigned(value: number): number[] {
  const bytes: number[] = [];
  let rest = value >>> 0;
  do {
    const low = rest & 0x7f;
    rest >>>= 7;
    bytes.push(rest === 0 ? low : low | 0x80);
  } while (rest !== 0);
  return bytes;
}

/** Signed LEB128, as WebAssembly writes integer constants. */
function signed(value: number): number[] {
  const bytes: number[] = [];
  let rest = value | 0;
  for (;;) {
    const low = rest & 0x7f;
    rest >>= 7;
    const signBit = (low & 0x40) !== 0;
    if ((rest === 0 && !signBit) || (rest === -1 && signBit)) return [...bytes, low];
    bytes.push(low | 0x80);
  }
}

const operation = <Type extends ValueType>(
  type: Type,
  opcode: Code,
  ...operands: readonly Value<ValueType>[]
): Value<Type> => ({ type, code: [...operands.flatMap(({ code }) => code), ...opcode] });

const simd = <Type extends ValueType>(
  type: Type,
  opcode: number,
  operands: readonly Value<ValueType>[],
  ...immediate: number[]
): Value<Type> => operation(type, [0xfd, ...unsigned(opcode), ...immediate], ...operands);

/** Alignment is only a hint: 0 promises nothing. Offsets are added to the address. */
const at = (offset: number) => [0, ...unsigned(offset)];
const floatBytes = (value: number) => [...new Uint8Array(new Float32Array([value]).buffer)];

const i32Binary = (opcode: number) => (left: I32, right: I32) => operation('i32', [opcode], left, right);
const f32Binary = (opcode: number) => (left: F32, right: F32) => operation('f32', [opcode], left, right);
const v128Unary = (opcode: number) => (value: V128) => simd('v128', opcode, [value]);
const v128Binary = (opcode: number) => (left: V128, right: V128) => simd('v128', opcode, [left, right]);
const v128Load =
  (opcode: number) =>
  (address: I32, offset = 0) =>
    simd('v128', opcode, [address], ...at(offset));

/** Operations on integers and addresses. */
export const i32 = {
  constant: (value: number) => operation('i32', [0x41, ...signed(value)]),
  load: (address: I32, offset = 0) => operation('i32', [0x28, ...at(offset)], address),
  store: (address: I32, value: I32, offset = 0): Code => [
    ...address.code,
    ...value.code,
    0x36,
    ...at(offset),
  ],
  /** The low half of the value. */
  store16: (address: I32, value: I32, offset = 0): Code => [
    ...address.code,
    ...value.code,
    0x3b,
    ...at(offset),
  ],
  add: i32Binary(0x6a),
  sub: i32Binary(0x6b),
  mul: i32Binary(0x6c),
  and: i32Binary(0x71),
  or: i32Binary(0x72),
  shiftLeft: i32Binary(0x74),
  shiftRight: i32Binary(0x75),
  lessThan: i32Binary(0x48),
  /** Towards zero; out of range becomes the nearest integer that fits. */
  truncate: (value: F32) => operation('i32', [0xfc, 0x00], value),
};

/** Operations on single floats. */
export const f32 = {
  constant: (value: number) => operation('f32', [0x43, ...floatBytes(value)]),
  load: (address: I32, offset = 0) => operation('f32', [0x2a, ...at(offset)], address),
  store: (address: I32, value: F32, offset = 0): Code => [
    ...address.code,
    ...value.code,
    0x38,
    ...at(offset),
  ],
  add: f32Binary(0x92),
  sub: f32Binary(0x93),
  mul: f32Binary(0x94),
  div: f32Binary(0x95),
  min: f32Binary(0x96),
  max: f32Binary(0x97),
  squareRoot: (value: F32) => operation('f32', [0x91], value),
  greaterThan: (left: F32, right: F32) => operation('i32', [0x5e], left, right),
  fromInteger: (value: I32) => operation('f32', [0xb2], value),
};

/** Operations on vectors of 16 bytes, in the words of the specification: lanes, splat, narrow, extend. */
export const v128 = {
  load: v128Load(0x00),
  /** Eight signed bytes, each widened to 16 bits. */
  load8x8: v128Load(0x01),
  load32Splat: v128Load(0x09),
  load64Splat: v128Load(0x0a),
  store: (address: I32, value: V128, offset = 0): Code => [
    ...address.code,
    ...value.code,
    0xfd,
    0x0b,
    ...at(offset),
  ],
  /** Picks 16 of the 32 bytes of two vectors. */
  shuffle: (left: V128, right: V128, lanes: readonly number[]) => simd('v128', 0x0d, [left, right], ...lanes),
  splatI16: (value: I32) => simd('v128', 0x10, [value]),
  splatI32: (value: I32) => simd('v128', 0x11, [value]),
  splatF32: (value: F32) => simd('v128', 0x13, [value]),
  laneF32: (value: V128, lane: number) => simd('f32', 0x1f, [value], lane),
  greaterF32: v128Binary(0x44),
  and: v128Binary(0x4e),
  anyTrue: (value: V128) => simd('i32', 0x53, [value]),
  /** Sixteen 16-bit lanes to bytes, kept within 0 to 255. */
  narrowToU8: v128Binary(0x66),
  narrowToI16: v128Binary(0x85),
  extendLowI8: v128Unary(0x87),
  extendHighI8: v128Unary(0x88),
  extendLowI16: v128Unary(0xa7),
  extendHighI16: v128Unary(0xa8),
  addI16: v128Binary(0x8e),
  shiftLeftI32: (value: V128, bits: number) => simd('v128', 0xab, [value, i32.constant(bits)]),
  addI32: v128Binary(0xae),
  /** Products of eight pairs of 16-bit lanes, neighbours added: four 32-bit sums. */
  dotI16: v128Binary(0xba),
  floorF32: v128Unary(0x68),
  addF32: v128Binary(0xe4),
  subF32: v128Binary(0xe5),
  mulF32: v128Binary(0xe6),
  divF32: v128Binary(0xe7),
  /** The smaller lane, in one instruction (NaN is not looked at). */
  minF32: v128Binary(0xea),
  maxF32: v128Binary(0xeb),
  truncateF32: v128Unary(0xf8),
  fromI32: v128Unary(0xfa),
  /** Relaxed SIMD. Products of signed bytes with bytes of 0 to 127, neighbours added: eight 16-bit sums. */
  relaxedDotI8: v128Binary(0x112),
};

/** Statements one after the other. */
export const sequence = (...statements: readonly Code[]): Code => statements.flat();

/** Runs the body when the condition is not 0. */
export const when = (condition: I32, ...body: readonly Code[]): Code => [
  ...condition.code,
  0x04,
  NO_RESULT,
  ...body.flat(),
  END,
];

/** Runs the body, then again while the condition is not 0. */
export const repeatWhile = (condition: I32, ...body: readonly Code[]): Code => [
  0x03,
  NO_RESULT,
  ...body.flat(),
  ...condition.code,
  0x0d,
  0,
  END,
];

/** Bytes of a float, and of a vector. */
export const [FLOAT_BYTES, VECTOR_BYTES] = [4, 16];

/** The offset in bytes of the float that so many others lie before. */
export const floatOffset = (count: I32): I32 => i32.mul(count, i32.constant(FLOAT_BYTES));

/** Counts from a start up to, not including, an end, which must lie above the start. */
export const count = (
  counter: Local<'i32'>,
  { from, to, step }: { from: I32; to: I32; step: number },
  ...body: readonly Code[]
): Code =>
  sequence(
    counter.set(from),
    repeatWhile(i32.lessThan(counter, to), ...body, counter.set(i32.add(counter, i32.constant(step)))),
  );

/** A function; `write` gets a parameter for each name, in order, and a scope for locals. */
export function defineFunction<Name extends string>(
  name: string,
  parameters: readonly Name[],
  write: (parameters: Record<Name, Local<'i32'>>, scope: Scope) => Code,
): FunctionSource {
  const types: ValueType[] = [];
  const local = <Type extends ValueType>(type: Type): Local<Type> => {
    const index = unsigned(types.length);
    types.push(type);
    return { type, code: [0x20, ...index], set: (value) => [...value.code, 0x21, ...index] };
  };
  const entries = parameters.map((parameter) => [parameter, local('i32')] as const);
  const scope = { i32: () => local('i32'), f32: () => local('f32'), v128: () => local('v128') };
  const body = write(Object.fromEntries(entries) as Record<Name, Local<'i32'>>, scope);
  const declared = types.slice(parameters.length).map((type) => [1, TYPE_BYTES[type]]);
  return { name, parameters: parameters.length, code: [...list(declared), ...body, END] };
}

const list = (items: readonly Code[]): number[] => [...unsigned(items.length), ...items.flat()];
const section = (id: number, content: Code): Code => [id, ...unsigned(content.length), ...content];
const text = (words: string): number[] => list([...new TextEncoder().encode(words)].map((byte) => [byte]));

/** The bytes of a module that exports these functions and imports a shared memory as `memory` of `encoder`. */
export function assemble(
  functions: readonly FunctionSource[],
  largestPages: number,
): Uint8Array<ArrayBuffer> {
  const types = functions.map(({ parameters }) => [
    0x60,
    ...list(Array(parameters).fill([TYPE_BYTES.i32])),
    0,
  ]);
  const memory = [...text('encoder'), ...text('memory'), 0x02, 0x03, 1, ...unsigned(largestPages)];
  return Uint8Array.from([
    ...[0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(1, list(types)),
    ...section(2, list([memory])),
    ...section(3, list(functions.map((_, index) => unsigned(index)))),
    ...section(7, list(functions.map(({ name }, index) => [...text(name), 0x00, ...unsigned(index)]))),
    ...section(10, list(functions.map(({ code }) => [...unsigned(code.length), ...code]))),
  ]);
}
