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
  VECTOR_BYTES,
  v128,
  when,
} from './assembler.ts';
import { LEVELS } from './row-kernels.ts';

/** Columns whose sums are kept in registers: eight vectors of four. */
const BLOCK_COLUMNS = 32;
/** An entry of the list: the addresses of two rows of weights, and the two inputs they are multiplied by. */
const ENTRY = { bytes: 16, inputs: 8 };
const LEAST_GREATEST = 1e-30;
const LOW_WORDS = [0, 1, 16, 17, 2, 3, 18, 19, 4, 5, 20, 21, 6, 7, 22, 23];
const HIGH_WORDS = LOW_WORDS.map((lane) => lane + 8);

const { constant } = i32;

interface Listing {
  readonly source: I32;
  readonly inputs: I32;
  readonly weights: I32;
  readonly columns: I32;
  readonly list: I32;
  readonly scale: Local<'f32'>;
  readonly entries: Local<'i32'>;
}

/** The list on the way: how many inputs it holds, the weights of the input at hand, and its level. */
function createList(scope: Scope, list: I32) {
  const [length, line, level, place] = [scope.i32(), scope.i32(), scope.i32(), scope.i32()];
  const entry = (inputs: I32) =>
    i32.add(list, i32.mul(i32.shiftRight(inputs, constant(1)), constant(ENTRY.bytes)));
  const odd = i32.and(length, constant(1));
  /** Writes the input at hand behind the list, and lets it stay there unless its level is 0. */
  const append = sequence(
    place.set(entry(length)),
    i32.store(i32.add(place, floatOffset(odd)), line),
    i32.store16(i32.add(place, i32.shiftLeft(odd, constant(1))), level, ENTRY.inputs),
    length.set(i32.add(length, i32.lessThan(constant(0), level))),
  );
  return { length, line, level, append, end: entry(i32.add(length, constant(1))) };
}

/** Lists the inputs above 0, two to an entry, as numbers of 13 bits; `entries` becomes the end of the list. */
function listInputs(
  scope: Scope,
  { source, inputs, weights, columns, scale, entries, ...rest }: Listing,
): Code {
  const [at, end] = [scope.i32(), scope.i32()];
  const [greatest, four] = [scope.v128(), scope.v128()];
  const factor = scope.f32();
  const lane = (index: number) => v128.laneF32(greatest, index);
  const highest = f32.max(f32.max(lane(0), lane(1)), f32.max(lane(2), lane(3)));
  const list = createList(scope, rest.list);
  const levelOf = (index: number) =>
    i32.truncate(f32.add(f32.mul(v128.laneF32(four, index), factor), f32.constant(0.5)));
  const skip = (lines: number) => list.line.set(i32.add(list.line, i32.mul(columns, constant(lines))));
  return sequence(
    end.set(i32.add(source, floatOffset(inputs))),
    greatest.set(v128.splatF32(f32.constant(LEAST_GREATEST))),
    count(
      at,
      { from: source, to: end, step: VECTOR_BYTES },
      greatest.set(v128.maxF32(greatest, v128.load(at))),
    ),
    scale.set(f32.div(highest, f32.constant(LEVELS.words))),
    factor.set(f32.div(f32.constant(1), scale)),
    list.length.set(constant(0)),
    list.line.set(weights),
    count(
      at,
      { from: source, to: end, step: VECTOR_BYTES },
      four.set(v128.load(at)),
      when(
        v128.anyTrue(v128.greaterF32(four, v128.splatF32(f32.constant(0)))),
        ...[0, 1, 2, 3].flatMap((index) => [list.level.set(levelOf(index)), list.append, skip(1)]),
        skip(-4),
      ),
      skip(4),
    ),
    // An odd list gets a last input of 0.
    list.line.set(weights),
    list.level.set(constant(0)),
    list.append,
    entries.set(list.end),
  );
}

/** Adds up the listed rows of weights for all columns, 32 at a time, and adds the result to `out`. */
function addListed(
  scope: Scope,
  {
    list,
    entries,
    columns,
    facts,
    scale,
    out,
  }: Record<'list' | 'entries' | 'columns' | 'facts' | 'out', I32> & { scale: Local<'f32'> },
): Code {
  const [column, at, one, two, place] = [scope.i32(), scope.i32(), scope.i32(), scope.i32(), scope.i32()];
  const [pair, first, second, rowScale] = [scope.v128(), scope.v128(), scope.v128(), scope.v128()];
  const sums = Array.from({ length: BLOCK_COLUMNS / 4 }, () => scope.v128());
  const eight = (index: number) =>
    sequence(
      first.set(v128.load8x8(one, index * 8)),
      second.set(v128.load8x8(two, index * 8)),
      ...[LOW_WORDS, HIGH_WORDS].map((lanes, half) => {
        const sum = sums[2 * index + half] ?? pair;
        return sum.set(v128.addI32(sum, v128.dotI16(v128.shuffle(first, second, lanes), pair)));
      }),
    );
  const biases = i32.add(place, i32.mul(columns, constant(2 * FLOAT_BYTES)));
  return sequence(
    rowScale.set(v128.splatF32(scale)),
    count(
      column,
      { from: constant(0), to: columns, step: BLOCK_COLUMNS },
      ...sums.map((sum) => sum.set(v128.splatI32(constant(0)))),
      at.set(list),
      when(
        i32.lessThan(at, entries),
        repeatWhile(
          i32.lessThan(at, entries),
          one.set(i32.add(i32.load(at), column)),
          two.set(i32.add(i32.load(at, FLOAT_BYTES), column)),
          pair.set(v128.load32Splat(at, ENTRY.inputs)),
          ...[0, 1, 2, 3].map(eight),
          at.set(i32.add(at, constant(ENTRY.bytes))),
        ),
      ),
      ...sums.flatMap((sum, index) => {
        const target = i32.add(out, floatOffset(column));
        const scaled = v128.mulF32(
          v128.mulF32(v128.fromI32(sum), v128.load(place, index * VECTOR_BYTES)),
          rowScale,
        );
        const value = v128.addF32(scaled, v128.load(biases, index * VECTOR_BYTES));
        return [
          ...(index === 0 ? [place.set(i32.add(facts, floatOffset(column)))] : []),
          v128.store(
            target,
            v128.addF32(v128.load(target, index * VECTOR_BYTES), value),
            index * VECTOR_BYTES,
          ),
        ];
      }),
    ),
  );
}

/**
 * `sparse_add`: rows of floats, most of them 0 and none below it, times a matrix of signed bytes that lies input by input;
 * added to `out`. After a rectifier one input in thirteen is not 0. `columnFacts` as for the products; `list` has room for
 * eight bytes an input and sixteen more. Columns are a multiple of 32, inputs of 4.
 */
export const sparseAdd = defineFunction(
  'sparse_add',
  ['rows', 'source', 'inputs', 'weights', 'columns', 'columnFacts', 'list', 'out'],
  (p, scope) => {
    const [row, entries, source, out] = [scope.i32(), scope.i32(), scope.i32(), scope.i32()];
    const scale = scope.f32();
    const { inputs, weights, columns, list, columnFacts: facts } = p;
    return count(
      row,
      { from: constant(0), to: p.rows, step: 1 },
      source.set(i32.add(p.source, i32.mul(row, floatOffset(inputs)))),
      out.set(i32.add(p.out, i32.mul(row, floatOffset(columns)))),
      listInputs(scope, { source, inputs, weights, columns, list, scale, entries }),
      addListed(scope, { list, entries, columns, facts, scale, out }),
    );
  },
);
