import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';

/** A sentence of the propaganda-techniques corpus; spans are code point ranges in `text`. */
export interface Row {
  readonly id: string;
  readonly doc: string;
  readonly line: number;
  readonly offset: number;
  readonly text: string;
  readonly labels: readonly string[];
  readonly spans: readonly (readonly [number, number, string])[];
}

/** Reads a gzipped file of JSON lines. */
export function readRows<T>(path: string): T[] {
  const lines = gunzipSync(readFileSync(path)).toString('utf8').split('\n');
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as T);
}

/** Deterministic random numbers in [0, 1) (mulberry32). */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

/** Shuffles a copy. */
export function shuffled<T>(items: readonly T[], random: () => number): T[] {
  const copy = [...items];
  for (let index = copy.length - 1; index > 0; index -= 1) {
    const other = Math.floor(random() * (index + 1));
    [copy[index], copy[other]] = [copy[other] as T, copy[index] as T];
  }
  return copy;
}
