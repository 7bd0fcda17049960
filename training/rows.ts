import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';

/** Default place of the training rows, beside the checkout. */
export const DATA_FOLDER = '../shared/data';

/** Rows of one task: `<folder>/<task>/train.jsonl.gz`, one JSON object a line. */
export function readRows<Row>(folder: string, task: string): Row[] {
  const text = gunzipSync(readFileSync(join(folder, task, 'train.jsonl.gz'))).toString('utf8');
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Row);
}

/** A repeatable stream of numbers from 0 to 1 (mulberry32). */
export function randomStream(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** The items in a random but repeatable order. */
export function shuffled<Item>(items: readonly Item[], seed: number): Item[] {
  const random = randomStream(seed);
  const order = items.map((item) => ({ item, key: random() }));
  return order.sort((one, two) => one.key - two.key).map(({ item }) => item);
}
