/** Rounds a tuned upper layer to signed bytes, as the encoder reads it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DIMENSIONS } from '../../src/text/encoder/layers.ts';
import type { Dense } from './package.ts';
import { columnFacts, pack, quantiseDense } from './quantise.ts';

/** How a matrix is kept: quick products take bytes, exact ones words, and sparse ones rows that may be skipped. */
type Kind = 'quick' | 'exact' | 'sparse';

/** A layer that was tuned and written as floats (`upper.f32`, `upper.json`), and its lists of bytes by name. */
export interface TunedLayer {
  readonly lists: Record<string, Int8Array | Float32Array>;
  /** The floats of this name. */
  list(name: string): Float32Array;
  /** Rounds a matrix with its bias; what rounding takes from its mean input is given back. */
  add(name: string, kind: Kind): void;
}

/** The scale of queries goes into the weights that make them. */
function withScaledQueries(values: Float32Array): Float32Array {
  const factor = (DIMENSIONS / 4) ** -0.5;
  return values.map((value, index) => (index % (3 * DIMENSIONS) < DIMENSIONS ? value * factor : value));
}

/** Reads the layer of a folder and rounds all of it but for its last step and its heads; `prefix` begins the names of its lists. */
export function readTunedLayer(folder: string, prefix: string): TunedLayer {
  const places = JSON.parse(readFileSync(join(folder, 'upper.json'), 'utf8')) as Record<
    string,
    [number, number]
  >;
  const all = new Float32Array(new Uint8Array(readFileSync(join(folder, 'upper.f32'))).buffer);
  const list = (name: string) => {
    const [start, count] = places[name] ?? [0, 0];
    if (count === 0) throw new Error(`There is no list ${name}.`);
    return all.slice(start, start + count);
  };
  const lists: TunedLayer['lists'] = {};
  const addDense = (name: string, dense: Dense, kind: Kind) => {
    const quantised = quantiseDense(dense, kind === 'quick');
    lists[`${prefix}.${name}`] = kind === 'sparse' ? quantised.bytes : pack(quantised);
    lists[`${prefix}.${name}_facts`] = columnFacts(dense, quantised, list(`${name}_mean`));
  };
  const denseOf = (name: string): Dense => ({ weights: list(name), biases: list(`${name}_bias`) });
  const queries = denseOf('attention_in');
  for (const name of ['attention_norm', 'feed_norm'])
    lists[`${prefix}.${name}`] = Float32Array.from([...list(name), ...list(`${name}_bias`)]);
  addDense(
    'attention_in',
    { weights: withScaledQueries(queries.weights), biases: withScaledQueries(queries.biases) },
    'quick',
  );
  for (const name of ['attention_out', 'feed_in']) addDense(name, denseOf(name), 'quick');
  return { lists, list, add: (name, kind) => addDense(name, denseOf(name), kind) };
}
