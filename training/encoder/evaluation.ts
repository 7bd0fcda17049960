import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { randomStream } from '../rows.ts';
import type { Pair } from './gloss-table.ts';

/** A pair of sentences with the similarity that people gave them, 0 to 5. */
export interface Graded {
  readonly a: string;
  readonly b: string;
  readonly score: number;
  readonly lang: Language;
}

/** Rows of a gzipped file of JSON lines. */
export function readLines<Row>(folder: string, ...path: string[]): Row[] {
  const text = gunzipSync(readFileSync(join(folder, ...path))).toString('utf8');
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Row);
}

/** Languages of the data. */
export type Language = 'en' | 'ro';

/** Ranks from 1, equal numbers sharing their mean rank. */
function ranks(numbers: readonly number[]): number[] {
  const order = numbers
    .map((number, index) => ({ number, index }))
    .sort((one, two) => one.number - two.number);
  const result = new Array<number>(numbers.length).fill(0);
  for (let start = 0; start < order.length; ) {
    let end = start;
    while (end < order.length && order[end]?.number === order[start]?.number) end++;
    for (let at = start; at < end; at++) result[order[at]?.index ?? 0] = (start + end + 1) / 2;
    start = end;
  }
  return result;
}

/** Pearson correlation of ranks. */
export function spearman(one: readonly number[], two: readonly number[]): number {
  const [x, y] = [ranks(one), ranks(two)];
  const mean = (one.length + 1) / 2;
  let [product, left, right] = [0, 0, 0];
  x.forEach((rank, index) => {
    const other = (y[index] ?? 0) - mean;
    product += (rank - mean) * other;
    left += (rank - mean) ** 2;
    right += other ** 2;
  });
  return product / Math.sqrt(left * right);
}

/** Pairs whose two sides stand nowhere else. */
export function uniquePairs(pairs: readonly Pair[]): Pair[] {
  const seen = new Set<string>();
  return pairs.filter(({ en, ro }) => {
    if (seen.has(en) || seen.has(ro)) return false;
    seen.add(en).add(ro);
    return true;
  });
}

/** Whether the translation of each sentence scores highest of all; the first of equal scores counts. */
export function firstHits(scores: readonly ArrayLike<number>[]): boolean[] {
  return scores.map((row, own) => {
    let best = 0;
    for (let other = 1; other < row.length; other++) if ((row[other] ?? 0) > (row[best] ?? 0)) best = other;
    return best === own;
  });
}

/** A figure with its 95 % interval, from rows drawn with replacement: "0.784 (0.768 to 0.800)". */
export function withRange<Row>(rows: readonly Row[], figure: (rows: readonly Row[]) => number): string {
  const random = randomStream(11);
  const values = Array.from({ length: 200 }, () =>
    figure(rows.map(() => rows[Math.floor(random() * rows.length)] as Row)),
  ).sort((one, two) => one - two);
  return `${figure(rows).toFixed(3)} (${values[5]?.toFixed(3)} to ${values[194]?.toFixed(3)})`;
}
