import {
  type Code,
  count,
  defineFunction,
  type F32,
  FLOAT_BYTES,
  type FunctionSource,
  f32,
  floatOffset,
  type I32,
  i32,
  type Local,
  type Scope,
  sequence,
  type V128,
  VECTOR_BYTES,
  v128,
} from './assembler.ts';

/** Levels of a row quantised to bytes, and to 16 bits: the sums of 1536 products with signed bytes fit 32 bits. */
export const LEVELS = { bytes: 127, words: 8191 };
/** Added to the variance before its root is taken. */
const EPSILON = 1e-6;
/** Keeps the scale of a row of equal numbers from being 0. */
const LEAST_RANGE = 1e-30;

const { constant } = i32;
const zero = v128.splatF32(f32.constant(0));

/** Four lanes to one, in a fixed order, so that sums do not depend on how lanes were filled. */
function reduce(vector: V128, join: (left: F32, right: F32) => F32): F32 {
  const lane = (index: number) => v128.laneF32(vector, index);
  return join(join(lane(0), lane(1)), join(lane(2), lane(3)));
}

/** Goes over a row of floats, four at a time; `at` is the address of the four. */
function overRow(at: Local<'i32'>, start: I32, end: I32, ...body: readonly Code[]): Code {
  return count(at, { from: start, to: end, step: VECTOR_BYTES }, ...body);
}

/** The numbers of one row on the way to its quantised form. */
interface Quantising {
  readonly levels: number;
  readonly wide: boolean;
  readonly start: I32;
  readonly end: I32;
  readonly out: I32;
  readonly facts: I32;
}

/** Quantises a row between its least and greatest number: x = low + scale * q, q from 0 to the levels. */
function quantiseRow(scope: Scope, row: Quantising): Code {
  const [least, greatest, factor] = [scope.v128(), scope.v128(), scope.v128()];
  const [low, scale] = [scope.f32(), scope.f32()];
  const [at, to] = [scope.i32(), scope.i32()];
  const lowest = scope.v128();
  const level = (offset: number) => {
    const steps = v128.mulF32(v128.subF32(v128.load(at, offset), lowest), factor);
    return v128.truncateF32(v128.addF32(steps, v128.splatF32(f32.constant(0.5))));
  };
  const eight = (offset: number) => v128.narrowToI16(level(offset), level(offset + VECTOR_BYTES));
  const write = row.wide
    ? sequence(v128.store(to, eight(0)), to.set(i32.add(to, constant(VECTOR_BYTES))))
    : sequence(
        v128.store(to, v128.narrowToU8(eight(0), eight(2 * VECTOR_BYTES))),
        to.set(i32.add(to, constant(VECTOR_BYTES))),
      );
  return sequence(
    least.set(v128.load(row.start)),
    greatest.set(least),
    overRow(
      at,
      row.start,
      row.end,
      least.set(v128.minF32(least, v128.load(at))),
      greatest.set(v128.maxF32(greatest, v128.load(at))),
    ),
    low.set(reduce(least, f32.min)),
    scale.set(
      f32.div(
        f32.max(f32.sub(reduce(greatest, f32.max), low), f32.constant(LEAST_RANGE)),
        f32.constant(row.levels),
      ),
    ),
    f32.store(row.facts, scale),
    f32.store(row.facts, low, FLOAT_BYTES),
    factor.set(v128.splatF32(f32.div(f32.constant(1), scale))),
    lowest.set(v128.splatF32(low)),
    to.set(row.out),
    count(at, { from: row.start, to: row.end, step: row.wide ? 2 * VECTOR_BYTES : 4 * VECTOR_BYTES }, write),
  );
}

/** Scales a row to mean 0 and variance 1, then by the learned scales and biases; into `out`. */
function normaliseRow(
  scope: Scope,
  row: { start: I32; end: I32; numbers: I32; scales: I32; out: I32 },
): Code {
  const [sum, middle, spread] = [scope.v128(), scope.v128(), scope.v128()];
  const count1 = scope.f32();
  const [at, shift] = [scope.i32(), scope.i32()];
  const centred = v128.subF32(v128.load(at), middle);
  const parts = i32.add(at, shift);
  return sequence(
    count1.set(f32.fromInteger(row.numbers)),
    sum.set(zero),
    overRow(at, row.start, row.end, sum.set(v128.addF32(sum, v128.load(at)))),
    middle.set(v128.splatF32(f32.div(reduce(sum, f32.add), count1))),
    sum.set(zero),
    overRow(at, row.start, row.end, sum.set(v128.addF32(sum, v128.mulF32(centred, centred)))),
    spread.set(
      v128.splatF32(
        f32.div(
          f32.constant(1),
          f32.squareRoot(f32.add(f32.div(reduce(sum, f32.add), count1), f32.constant(EPSILON))),
        ),
      ),
    ),
    shift.set(i32.sub(row.scales, row.start)),
    overRow(
      at,
      row.start,
      row.end,
      v128.store(
        i32.add(row.out, i32.sub(at, row.start)),
        v128.addF32(
          v128.mulF32(v128.mulF32(centred, spread), v128.load(parts)),
          v128.load(i32.add(parts, floatOffset(row.numbers))),
        ),
      ),
    ),
  );
}

/** `quantise_bytes` and `quantise_words`: rows of floats (a multiple of 16 of them) to quantised rows and their facts. */
function defineQuantise(name: string, levels: number, wide: boolean): FunctionSource {
  return defineFunction(name, ['rows', 'numbers', 'source', 'out', 'facts'], (p, scope) => {
    const [row, start] = [scope.i32(), scope.i32()];
    const width = i32.mul(p.numbers, constant(wide ? 2 : 1));
    return count(
      row,
      { from: constant(0), to: p.rows, step: 1 },
      start.set(i32.add(p.source, i32.mul(row, floatOffset(p.numbers)))),
      quantiseRow(scope, {
        levels,
        wide,
        start,
        end: i32.add(start, floatOffset(p.numbers)),
        out: i32.add(p.out, i32.mul(row, width)),
        facts: i32.add(p.facts, i32.mul(row, constant(2 * FLOAT_BYTES))),
      }),
    );
  });
}

/** `normalise_bytes`: layer normalisation of rows, then their quantised form. `spare` has room for one row of floats. */
function defineNormalise(wide: boolean): FunctionSource {
  const parameters = ['rows', 'numbers', 'source', 'scales', 'spare', 'out', 'facts'] as const;
  return defineFunction('normalise_bytes', parameters, (p, scope) => {
    const [row, start, end] = [scope.i32(), scope.i32(), scope.i32()];
    return count(
      row,
      { from: constant(0), to: p.rows, step: 1 },
      start.set(i32.add(p.source, i32.mul(row, floatOffset(p.numbers)))),
      end.set(i32.add(start, floatOffset(p.numbers))),
      normaliseRow(scope, { start, end, numbers: p.numbers, scales: p.scales, out: p.spare }),
      quantiseRow(scope, {
        levels: LEVELS.bytes,
        wide,
        start: p.spare,
        end: i32.add(p.spare, floatOffset(p.numbers)),
        out: i32.add(p.out, i32.mul(row, i32.mul(p.numbers, constant(wide ? 2 : 1)))),
        facts: i32.add(p.facts, i32.mul(row, constant(2 * FLOAT_BYTES))),
      }),
    );
  });
}

/** `add_rows`: the sum of rows of floats, added to `out`. */
const addRows = defineFunction('add_rows', ['rows', 'numbers', 'source', 'out'], (p, scope) => {
  const [at, to, end] = [scope.i32(), scope.i32(), scope.i32()];
  const row = scope.i32();
  return sequence(
    at.set(p.source),
    count(
      row,
      { from: constant(0), to: p.rows, step: 1 },
      to.set(p.out),
      end.set(i32.add(at, floatOffset(p.numbers))),
      count(
        at,
        { from: at, to: end, step: VECTOR_BYTES },
        v128.store(to, v128.addF32(v128.load(to), v128.load(at))),
        to.set(i32.add(to, constant(VECTOR_BYTES))),
      ),
    ),
  );
});

/**
 * `embed`: row t = 2 * (scale of piece t) * (bytes of piece t) + position t. `pieces` are 32-bit ids, `table` signed bytes
 * row by row, `scales` a float a piece, `positions` floats row by row. The original adds the embedding twice.
 */
const embed = defineFunction(
  'embed',
  ['rows', 'numbers', 'pieces', 'table', 'scales', 'positions', 'out'],
  (p, scope) => {
    const [row, from, to, end, position, piece] = [
      scope.i32(),
      scope.i32(),
      scope.i32(),
      scope.i32(),
      scope.i32(),
      scope.i32(),
    ];
    const [scale, bytes] = [scope.v128(), scope.v128()];
    const four = (wide: V128, offset: number) =>
      v128.store(
        to,
        v128.addF32(v128.mulF32(v128.fromI32(wide), scale), v128.load(position, offset)),
        offset,
      );
    return sequence(
      to.set(p.out),
      position.set(p.positions),
      count(
        row,
        { from: constant(0), to: p.rows, step: 1 },
        piece.set(i32.load(i32.add(p.pieces, floatOffset(row)))),
        scale.set(v128.load32Splat(i32.add(p.scales, floatOffset(piece)))),
        scale.set(v128.addF32(scale, scale)),
        from.set(i32.add(p.table, i32.mul(piece, p.numbers))),
        end.set(i32.add(from, p.numbers)),
        count(
          from,
          { from, to: end, step: 8 },
          bytes.set(v128.load8x8(from)),
          four(v128.extendLowI16(bytes), 0),
          four(v128.extendHighI16(bytes), VECTOR_BYTES),
          to.set(i32.add(to, constant(2 * VECTOR_BYTES))),
          position.set(i32.add(position, constant(2 * VECTOR_BYTES))),
        ),
      ),
    );
  },
);

/** Kernels that work row by row. Without relaxed SIMD the bytes of a quantised row take 16 bits each. */
export function rowKernels(relaxed: boolean): FunctionSource[] {
  return [
    defineQuantise('quantise_bytes', LEVELS.bytes, !relaxed),
    defineQuantise('quantise_words', LEVELS.words, true),
    defineNormalise(!relaxed),
    addRows,
    embed,
  ];
}
