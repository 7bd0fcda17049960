import {
  type Code,
  count,
  defineFunction,
  FLOAT_BYTES,
  type FunctionSource,
  f32,
  type I32,
  i32,
  type Local,
  repeatWhile,
  type Scope,
  sequence,
  type V128,
  v128,
} from './assembler.ts';

/** Rows that a product takes at a time; buffers hold a multiple of them. */
export const TILE_ROWS = 4;
/**
 * Columns that lie together in a packed matrix: first four columns, then four more, of each four bytes (four inputs),
 * then the same for the next four inputs.
 */
export const TILE_COLUMNS = 8;
const TILE_INPUTS = 4;

/** What becomes of a product: written, its negative numbers cut to 0, or added to what is there. */
export type OutputMode = 'store' | 'relu' | 'add';

const GROUP_BYTES = 16;
/** Bytes of the scale and the least value of a row. */
const ROW_FACTS = 2 * FLOAT_BYTES;
const EVEN_LANES = [0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27];
const ODD_LANES = EVEN_LANES.map((lane) => lane + FLOAT_BYTES);

const { constant } = i32;
const each = <Item>(length: number, make: (index: number) => Item): Item[] =>
  Array.from({ length }, (_, index) => make(index));

/** How the inner loop of a product works: what it keeps, what it adds for one step of inputs, and its sums at the end. */
interface Inner {
  /** Bytes of a row that one step reads. */
  readonly rowBytes: number;
  /** Groups of four columns that it handles at once. */
  readonly groups: number;
  /** Steps of four inputs that one step takes. */
  readonly depth: number;
  clear(): Code;
  step(rows: readonly I32[], weights: I32): Code;
  /** The sums of a row for a group of four columns. */
  sum(row: number, group: number): V128;
}

const zero = v128.splatI32(constant(0));

/**
 * Rows of bytes from 0 to 127 against signed bytes, eight inputs a step. Four products are added in 16 bits, which holds as
 * long as the absolute weights of such a group sum up to 258 at most (quantise.ts sees to it).
 */
function bytesInner(scope: Scope): Inner {
  const groups = 2;
  const sums = each(TILE_ROWS, () => each(groups, () => scope.v128()));
  const ones = scope.v128();
  const weights = each(groups, () => [scope.v128(), scope.v128()] as const);
  const inputs = [scope.v128(), scope.v128()] as const;
  return {
    rowBytes: 8,
    groups,
    depth: 2,
    clear: () => sequence(ones.set(v128.splatI16(constant(1))), ...sums.flat().map((sum) => sum.set(zero))),
    step: (rows, at) =>
      sequence(
        ...weights.flatMap(([first, second], group) => [
          first.set(v128.load(at, group * GROUP_BYTES)),
          second.set(v128.load(at, (groups + group) * GROUP_BYTES)),
        ]),
        ...rows.flatMap((row, index) => [
          inputs[0].set(v128.load32Splat(row)),
          inputs[1].set(v128.load32Splat(row, 4)),
          ...weights.map(([first, second], group) => {
            const pairs = v128.addI16(
              v128.relaxedDotI8(first, inputs[0]),
              v128.relaxedDotI8(second, inputs[1]),
            );
            const sum = sums[index]?.[group] ?? ones;
            return sum.set(v128.addI32(sum, v128.dotI16(pairs, ones)));
          }),
        ]),
      ),
    sum: (row, group) => sums[row]?.[group] ?? zero,
  };
}

/** Rows of 16-bit numbers against signed bytes, four inputs a step; the integer sums are exact. */
function wordsInner(scope: Scope): Inner {
  const sums = each(TILE_ROWS, () => [scope.v128(), scope.v128()] as const);
  const weights = [scope.v128(), scope.v128()] as const;
  const input = scope.v128();
  const packed = scope.v128();
  return {
    rowBytes: 8,
    groups: 1,
    depth: 1,
    clear: () => sequence(...sums.flat().map((sum) => sum.set(zero))),
    step: (rows, at) =>
      sequence(
        packed.set(v128.load(at)),
        weights[0].set(v128.extendLowI8(packed)),
        weights[1].set(v128.extendHighI8(packed)),
        ...rows.flatMap((row, index) => [
          input.set(v128.load64Splat(row)),
          ...weights.map((half, side) => {
            const sum = sums[index]?.[side] ?? input;
            return sum.set(v128.addI32(sum, v128.dotI16(half, input)));
          }),
        ]),
      ),
    // Each column stands in two lanes.
    sum: (row) => {
      const [low, high] = sums[row] ?? [zero, zero];
      return v128.addI32(v128.shuffle(low, high, EVEN_LANES), v128.shuffle(low, high, ODD_LANES));
    },
  };
}

/** Four columns of one row of a product, at its end. */
interface Cell {
  readonly sum: V128;
  readonly out: I32;
  readonly columnScale: V128;
  readonly columnSum: V128;
  readonly bias: V128;
  readonly rowScale: V128;
  readonly rowLow: V128;
}

/** out = rowScale * columnScale * sum + rowLow * columnSum + bias: undoes the quantisation of rows and columns. */
function finish(cell: Cell, ending: OutputMode): Code {
  const scaled = v128.mulF32(v128.mulF32(v128.fromI32(cell.sum), cell.columnScale), cell.rowScale);
  const value = v128.addF32(v128.addF32(scaled, v128.mulF32(cell.rowLow, cell.columnSum)), cell.bias);
  if (ending === 'relu') return v128.store(cell.out, v128.maxF32(value, v128.splatF32(f32.constant(0))));
  return v128.store(cell.out, ending === 'add' ? v128.addF32(v128.load(cell.out), value) : value);
}

/** Where the scales, sums and biases of the columns are kept while the rows pass. */
function columnFacts(scope: Scope, groups: number) {
  const facts = each(groups, () => ({
    columnScale: scope.v128(),
    columnSum: scope.v128(),
    bias: scope.v128(),
  }));
  const read = (at: I32, columns: I32) =>
    sequence(
      ...facts.flatMap(({ columnScale, columnSum, bias }, group) => {
        const first = i32.add(at, constant(group * GROUP_BYTES));
        const bytes = i32.mul(columns, constant(FLOAT_BYTES));
        return [
          columnScale.set(v128.load(first)),
          columnSum.set(v128.load(i32.add(first, bytes))),
          bias.set(v128.load(i32.add(i32.add(first, bytes), bytes))),
        ];
      }),
    );
  return { facts, read };
}

const PRODUCT_PARAMETERS = [
  'left',
  'leftStride',
  'rows',
  'weights',
  'inputs',
  'columns',
  'columnFacts',
  'rowFacts',
  'out',
  'outStride',
] as const;
type ProductParameters = Record<(typeof PRODUCT_PARAMETERS)[number], Local<'i32'>>;

/** Sums up the tile of four rows from `row` on and the columns whose weights begin at `block`. */
function sumTile(scope: Scope, p: ProductParameters, loop: Inner, row: I32, block: I32): Code {
  const [at, end] = [scope.i32(), scope.i32()];
  const lines = each(TILE_ROWS, () => scope.i32());
  const advance = (local: Local<'i32'>, bytes: number) => local.set(i32.add(local, constant(bytes)));
  return sequence(
    ...lines.map((line, index) =>
      line.set(i32.add(p.left, i32.mul(i32.add(row, constant(index)), p.leftStride))),
    ),
    at.set(block),
    end.set(i32.add(block, i32.mul(p.inputs, constant(TILE_COLUMNS)))),
    loop.clear(),
    repeatWhile(
      i32.lessThan(at, end),
      loop.step(lines, at),
      ...lines.map((line) => advance(line, loop.rowBytes)),
      advance(at, loop.depth * TILE_COLUMNS * TILE_INPUTS),
    ),
  );
}

/**
 * A product of quantised rows with a packed matrix. `rowFacts`: scale and least value of each row, a float each;
 * `columnFacts`: the scales, sums and biases of all columns, one list after the other. `columns` and `inputs` are
 * multiples of 8; rows are taken four at a time, so up to three more are read and written.
 */
function defineProduct(name: string, inner: (scope: Scope) => Inner, ending: OutputMode): FunctionSource {
  return defineFunction(name, PRODUCT_PARAMETERS, (p, scope) => {
    const loop = inner(scope);
    const { facts, read } = columnFacts(scope, loop.groups);
    const [column, row, block, out] = [scope.i32(), scope.i32(), scope.i32(), scope.i32()];
    const [rowScale, rowLow] = [scope.v128(), scope.v128()];
    const rowFacts = i32.add(p.rowFacts, i32.mul(row, constant(ROW_FACTS)));
    const finishRow = (index: number) =>
      sequence(
        rowScale.set(v128.load32Splat(rowFacts, index * ROW_FACTS)),
        rowLow.set(v128.load32Splat(rowFacts, index * ROW_FACTS + FLOAT_BYTES)),
        ...facts.map((fact, group) => {
          const place = i32.add(out, constant(group * GROUP_BYTES));
          return finish({ ...fact, sum: loop.sum(index, group), out: place, rowScale, rowLow }, ending);
        }),
        out.set(i32.add(out, p.outStride)),
      );
    const firstOut = i32.add(i32.mul(row, p.outStride), i32.mul(column, constant(FLOAT_BYTES)));
    return count(
      column,
      { from: constant(0), to: p.columns, step: loop.groups * 4 },
      block.set(blockOf(p.weights, column, p.inputs)),
      read(i32.add(p.columnFacts, i32.mul(column, constant(FLOAT_BYTES))), p.columns),
      count(
        row,
        { from: constant(0), to: p.rows, step: TILE_ROWS },
        sumTile(scope, p, loop, row, block),
        out.set(i32.add(p.out, firstOut)),
        ...each(TILE_ROWS, finishRow),
      ),
    );
  });
}

/** Where the weights of a column and its neighbours begin: its block of eight columns, then its half of it. */
function blockOf(weights: I32, column: I32, inputs: I32): I32 {
  const block = i32.mul(i32.and(column, constant(-TILE_COLUMNS)), inputs);
  const half = i32.mul(i32.and(column, constant(4)), constant(TILE_INPUTS));
  return i32.add(weights, i32.add(block, half));
}

/**
 * The products. `bytes` are quick and need relaxed SIMD; without it they are computed by the exact kernel from rows of
 * 16 bits, to the same bit. `words` are for rows of 13 bits.
 */
export function productKernels(relaxed: boolean): FunctionSource[] {
  const endings: readonly OutputMode[] = ['store', 'relu', 'add'];
  return endings.flatMap((ending) => [
    defineProduct(`bytes_${ending}`, relaxed ? bytesInner : wordsInner, ending),
    defineProduct(`words_${ending}`, wordsInner, ending),
  ]);
}
