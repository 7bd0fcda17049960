import {
  type Code,
  count,
  defineFunction,
  FLOAT_BYTES,
  f32,
  floatOffset,
  type I32,
  i32,
  type Local,
  repeatWhile,
  type Scope,
  sequence,
  type V128,
  VECTOR_BYTES,
  v128,
} from './assembler.ts';

const HEADS = 4;
/** Vectors of a context that are summed at once. */
const CONTEXT_VECTORS = 8;
const FIRST_LANES = [0, 1, 2, 3, 16, 17, 18, 19, 4, 5, 6, 7, 20, 21, 22, 23];
const LAST_LANES = FIRST_LANES.map((lane) => lane + 8);
const LOW_HALVES = [0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23];
const HIGH_HALVES = LOW_HALVES.map((lane) => lane + 8);
/** A score that its softmax makes 0. */
const MASKED = -1e30;

const { constant } = i32;
const splat = (value: number) => v128.splatF32(f32.constant(value));

/** The sums of four vectors as the lanes of one. */
function fourSums(scope: Scope, sums: readonly [V128, V128, V128, V128]) {
  const [left, right] = [scope.v128(), scope.v128()];
  const pair = (one: V128, two: V128) =>
    v128.addF32(v128.shuffle(one, two, FIRST_LANES), v128.shuffle(one, two, LAST_LANES));
  return {
    prepare: sequence(left.set(pair(sums[0], sums[1])), right.set(pair(sums[2], sums[3]))),
    value: v128.addF32(v128.shuffle(left, right, LOW_HALVES), v128.shuffle(left, right, HIGH_HALVES)),
  };
}

/** Coefficients of the polynomial for e to the power of x - n ln 2 (Cephes, expf). */
const EXPONENTIAL = [
  1.98756915e-4, 1.3981999507e-3, 8.3334519073e-3, 4.1665795894e-2, 1.6666665459e-1, 5.0000001201e-1,
];
const LEAST_EXPONENT = -87;

/** e to the power of each lane; of lanes below -87, almost 0. */
function exponential(scope: Scope, input: V128) {
  const [power, rest, square] = [scope.v128(), scope.v128(), scope.v128()];
  const polynomial = EXPONENTIAL.slice(1).reduce(
    (value, coefficient) => v128.addF32(v128.mulF32(value, rest), splat(coefficient)),
    splat(EXPONENTIAL[0] ?? 0),
  );
  return {
    prepare: sequence(
      rest.set(v128.maxF32(input, splat(LEAST_EXPONENT))),
      power.set(v128.floorF32(v128.addF32(v128.mulF32(rest, splat(Math.LOG2E)), splat(0.5)))),
      // ln 2 in two parts keeps the rest exact.
      rest.set(v128.subF32(rest, v128.mulF32(power, splat(0.693359375)))),
      rest.set(v128.subF32(rest, v128.mulF32(power, splat(-2.1219444e-4)))),
      square.set(v128.mulF32(rest, rest)),
      square.set(v128.addF32(v128.addF32(v128.mulF32(polynomial, square), rest), splat(1))),
    ),
    // Adding to the exponent bits multiplies by a power of two.
    value: v128.addI32(square, v128.shiftLeftI32(v128.truncateF32(power), 23)),
  };
}

interface Attention {
  readonly query: Local<'i32'>;
  readonly keys: Local<'i32'>;
  readonly rows: I32;
  /** Bytes from one row to the next. */
  readonly stride: I32;
  /** Bytes of a head. */
  readonly width: I32;
  readonly scores: I32;
}

/** Products of one query with all keys; up to three more scores after the last are masked. */
function writeScores(scope: Scope, { query, keys, rows, stride, width, scores }: Attention): Code {
  const [row, at, end] = [scope.i32(), scope.i32(), scope.i32()];
  const lines = [scope.i32(), scope.i32(), scope.i32(), scope.i32()] as const;
  const sums = [scope.v128(), scope.v128(), scope.v128(), scope.v128()] as const;
  const part = scope.v128();
  const total = fourSums(scope, sums);
  const keyOf = (index: number) => i32.add(keys, i32.mul(i32.add(row, constant(index)), stride));
  return sequence(
    end.set(i32.add(query, width)),
    count(
      row,
      { from: constant(0), to: rows, step: 4 },
      ...lines.map((line, index) => line.set(keyOf(index))),
      ...sums.map((sum) => sum.set(splat(0))),
      count(
        at,
        { from: query, to: end, step: VECTOR_BYTES },
        part.set(v128.load(at)),
        ...sums.map((sum, index) =>
          sum.set(v128.addF32(sum, v128.mulF32(part, v128.load(lines[index] ?? at)))),
        ),
        ...lines.map((line) => line.set(i32.add(line, constant(VECTOR_BYTES)))),
      ),
      total.prepare,
      v128.store(i32.add(scores, floatOffset(row)), total.value),
    ),
    v128.store(i32.add(scores, floatOffset(rows)), splat(MASKED)),
  );
}

/** Scores to shares that add up to 1. */
function softmax(scope: Scope, scores: I32, rows: I32): Code {
  const [at, end] = [scope.i32(), scope.i32()];
  const [greatest, sum] = [scope.v128(), scope.v128()];
  const lane = (vector: V128, index: number) => v128.laneF32(vector, index);
  const power = exponential(scope, v128.subF32(v128.load(at), greatest));
  const highest = f32.max(
    f32.max(lane(greatest, 0), lane(greatest, 1)),
    f32.max(lane(greatest, 2), lane(greatest, 3)),
  );
  const total = f32.add(f32.add(lane(sum, 0), lane(sum, 1)), f32.add(lane(sum, 2), lane(sum, 3)));
  return sequence(
    end.set(i32.add(scores, floatOffset(rows))),
    greatest.set(splat(MASKED)),
    count(
      at,
      { from: scores, to: end, step: VECTOR_BYTES },
      greatest.set(v128.maxF32(greatest, v128.load(at))),
    ),
    greatest.set(v128.splatF32(highest)),
    sum.set(splat(0)),
    count(
      at,
      { from: scores, to: end, step: VECTOR_BYTES },
      power.prepare,
      v128.store(at, power.value),
      sum.set(v128.addF32(sum, v128.load(at))),
    ),
    sum.set(v128.splatF32(f32.div(f32.constant(1), total))),
    count(at, { from: scores, to: end, step: VECTOR_BYTES }, v128.store(at, v128.mulF32(v128.load(at), sum))),
  );
}

/** The values of all rows, weighted by their shares. */
function writeContext(scope: Scope, values: I32, out: I32, { rows, stride, width, scores }: Attention): Code {
  const [block, share, end, value] = [scope.i32(), scope.i32(), scope.i32(), scope.i32()];
  const weight = scope.v128();
  const sums = Array.from({ length: CONTEXT_VECTORS }, () => scope.v128());
  return count(
    block,
    { from: constant(0), to: width, step: CONTEXT_VECTORS * VECTOR_BYTES },
    value.set(i32.add(values, block)),
    end.set(i32.add(scores, floatOffset(rows))),
    ...sums.map((sum) => sum.set(splat(0))),
    count(
      share,
      { from: scores, to: end, step: FLOAT_BYTES },
      weight.set(v128.load32Splat(share)),
      ...sums.map((sum, index) =>
        sum.set(v128.addF32(sum, v128.mulF32(weight, v128.load(value, index * VECTOR_BYTES)))),
      ),
      value.set(i32.add(value, stride)),
    ),
    ...sums.map((sum, index) => v128.store(i32.add(out, block), sum, index * VECTOR_BYTES)),
  );
}

/**
 * `attend`: attention of four heads over the rows of one sentence. `source` holds query, key and value of each row one
 * after the other, `numbers` floats each (the query scaled already); `out` gets `numbers` floats a row; `scores` has room
 * for a float a row and four more.
 */
export const attend = defineFunction('attend', ['rows', 'numbers', 'source', 'scores', 'out'], (p, scope) => {
  const [head, row, query, keys, context] = [scope.i32(), scope.i32(), scope.i32(), scope.i32(), scope.i32()];
  const [bytes, stride, width] = [scope.i32(), scope.i32(), scope.i32()];
  const attention = { query, keys, rows: p.rows, stride, width, scores: p.scores };
  return sequence(
    bytes.set(floatOffset(p.numbers)),
    stride.set(i32.mul(bytes, constant(3))),
    // Four heads of four-byte floats: the bytes of a head are the numbers of a row.
    width.set(i32.mul(p.numbers, constant(FLOAT_BYTES / HEADS))),
    head.set(constant(0)),
    repeatWhile(
      i32.lessThan(head, bytes),
      keys.set(i32.add(p.source, i32.add(head, bytes))),
      count(
        row,
        { from: constant(0), to: p.rows, step: 1 },
        query.set(i32.add(p.source, i32.add(head, i32.mul(row, stride)))),
        context.set(i32.add(p.out, i32.add(head, i32.mul(row, bytes)))),
        writeScores(scope, attention),
        softmax(scope, p.scores, p.rows),
        writeContext(scope, i32.add(keys, bytes), context, attention),
      ),
      head.set(i32.add(head, width)),
    ),
  );
});
