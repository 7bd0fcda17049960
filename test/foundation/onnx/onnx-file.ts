// Small ONNX models, written byte by byte after onnx.proto (https://github.com/onnx/onnx/blob/main/onnx/onnx.proto).

/** Bytes of a message. */
export type Bytes = readonly number[];

function varint(value: number): Bytes {
  return value < 128 ? [value] : [(value % 128) + 128, ...varint(Math.floor(value / 128))];
}
const number = (field: number, value: number): Bytes => [...varint(field * 8), ...varint(value)];
const block = (field: number, value: Bytes): Bytes => [
  ...varint(field * 8 + 2),
  ...varint(value.length),
  ...value,
];
const text = (field: number, value: string): Bytes => block(field, [...Buffer.from(value, 'utf8')]);

/** Kinds of numbers. */
export const FLOAT = 1;
export const INT64 = 7;

/** A tensor of weights. */
export function tensor(name: string, dims: readonly number[], values: Float32Array | BigInt64Array): Bytes {
  const kind = values instanceof Float32Array ? FLOAT : INT64;
  const raw = [...new Uint8Array(values.buffer)];
  return [...dims.flatMap((dim) => number(1, dim)), ...number(2, kind), ...text(8, name), ...block(9, raw)];
}

/** What a graph takes or gives; dimensions by name, or as they are. */
export function value(name: string, kind: number, dims: readonly (string | number)[]): Bytes {
  const shape = dims.flatMap((dim) => block(1, typeof dim === 'string' ? text(2, dim) : number(1, dim)));
  return [...text(1, name), ...block(2, block(1, [...number(1, kind), ...block(2, shape)]))];
}

/** One operation. */
export interface Node {
  readonly operation: string;
  readonly inputs: readonly string[];
  readonly output: string;
  readonly attributes?: Readonly<Record<string, number | readonly number[]>>;
}

function node({ operation, inputs, output, attributes = {} }: Node): Bytes {
  const given = Object.entries(attributes).flatMap(([name, ints]) => {
    const held =
      typeof ints === 'number'
        ? [...number(3, ints), ...number(20, 2)]
        : [...ints.flatMap((int) => number(8, int)), ...number(20, 7)];
    return block(5, [...text(1, name), ...held]);
  });
  return [...inputs.flatMap((input) => text(1, input)), ...text(2, output), ...text(4, operation), ...given];
}

/** A model: what it takes and gives, what it does, and what it says of itself. */
export interface Graph {
  readonly nodes: readonly Node[];
  readonly tensors: readonly Bytes[];
  readonly inputs: readonly Bytes[];
  readonly output: Bytes;
  readonly metadata?: Readonly<Record<string, string>>;
}

/** The file of a model. */
export function model({ nodes, tensors, inputs, output, metadata = {} }: Graph): Uint8Array {
  const graph = [
    ...nodes.flatMap((one) => block(1, node(one))),
    ...text(2, 'tiny'),
    ...tensors.flatMap((one) => block(5, one)),
    ...inputs.flatMap((input) => block(11, input)),
    ...block(12, output),
  ];
  const opset = [...text(1, ''), ...number(2, 13)];
  const told = Object.entries(metadata).flatMap(([key, words]) =>
    block(14, [...text(1, key), ...text(2, words)]),
  );
  return Uint8Array.from([...number(1, 8), ...block(7, graph), ...block(8, opset), ...told]);
}
