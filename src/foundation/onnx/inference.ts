import type { OnnxModel } from './model-folder.ts';
import type { Tensor } from './runtime.ts';

/** The tokens of a text, and the segment of each where there are two. */
export interface TokenRow {
  readonly ids: readonly number[];
  readonly types: readonly number[];
}

/** Tokens of a batch, padding included: more would cost memory and win nothing. */
const BATCH_TOKENS = 4096;

/** Rows in their order, as many together as a batch holds when all are padded to the longest. */
export function inBatches(rows: readonly TokenRow[]): TokenRow[][] {
  const batches: TokenRow[][] = [];
  let longest = 0;
  for (const row of rows) {
    const last = batches.at(-1);
    const length = Math.max(longest, row.ids.length);
    if (last !== undefined && length * (last.length + 1) <= BATCH_TOKENS) {
      last.push(row);
      longest = length;
    } else {
      batches.push([row]);
      longest = row.ids.length;
    }
  }
  return batches;
}

function scaled(vector: Float32Array): Float32Array {
  const length = Math.hypot(...vector);
  return length > 0 ? vector.map((number) => number / length) : vector;
}

/** The vector of each row: pooled from token vectors, or as given by a model that pools itself. */
export function poolVectors(
  { data, dims }: Tensor,
  rows: readonly TokenRow[],
  { pooling, normalized }: Pick<OnnxModel, 'pooling' | 'normalized'>,
): Float32Array[] {
  const width = dims.at(-1) ?? 0;
  const length = dims.length === 3 ? (dims[1] ?? 0) : 1;
  return rows.map(({ ids }, index) => {
    const start = index * length * width;
    const at = (token: number) =>
      Float32Array.from({ length: width }, (_, column) => Number(data[start + token * width + column]));
    const read = Math.max(1, Math.min(length, ids.length));
    const vector = poolOne(pooling, read, at);
    return normalized ? scaled(vector) : vector;
  });
}

function poolOne(
  pooling: OnnxModel['pooling'],
  tokens: number,
  at: (token: number) => Float32Array,
): Float32Array {
  if (tokens === 1 || pooling === 'cls') return at(0);
  if (pooling === 'last') return at(tokens - 1);
  const sum = at(0);
  for (let token = 1; token < tokens; token++) {
    const one = at(token);
    for (let column = 0; column < sum.length; column++) {
      const [value = 0, other = 0] = [sum[column], one[column]];
      sum[column] = pooling === 'max' ? Math.max(value, other) : value + other;
    }
  }
  return pooling === 'max' ? sum : sum.map((value) => value / tokens);
}
