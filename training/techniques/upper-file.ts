/**
 * Rounds the layer that `upper.py FOLDER all` made to signed bytes: models/techniques-upper.bin. Usage:
 * npx tsx training/techniques/upper-file.ts FOLDER
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DIMENSIONS } from '../../src/text/encoder/layers.ts';
import { writeModelFile } from '../../src/text/encoder/model-file.ts';
import type { Dense } from '../encoder/package.ts';
import { columnFacts, pack, quantiseDense } from '../encoder/quantise.ts';
import { COLUMNS } from './pieces.ts';

const [folder = ''] = process.argv.slice(2);
const places = JSON.parse(readFileSync(join(folder, 'upper.json'), 'utf8')) as Record<
  string,
  [number, number]
>;
const all = new Float32Array(new Uint8Array(readFileSync(join(folder, 'upper.f32'))).buffer);

function list(name: string): Float32Array {
  const [start, count] = places[name] ?? [0, 0];
  if (count === 0) throw new Error(`There is no list ${name}.`);
  return all.slice(start, start + count);
}

/** The scale of queries goes into the weights that make them. */
function withScaledQueries(values: Float32Array): Float32Array {
  const factor = (DIMENSIONS / 4) ** -0.5;
  return values.map((value, index) => (index % (3 * DIMENSIONS) < DIMENSIONS ? value * factor : value));
}

const lists: Record<string, Int8Array | Float32Array> = {};

function addDense(name: string, dense: Dense, kind: 'quick' | 'exact' | 'sparse'): void {
  const quantised = quantiseDense(dense, kind === 'quick');
  lists[`upper.${name}`] = kind === 'sparse' ? quantised.bytes : pack(quantised);
  lists[`upper.${name}_facts`] = columnFacts(dense, quantised, list(`${name}_mean`));
}

const dense = (name: string, change = (values: Float32Array) => values): Dense => ({
  weights: change(list(name)),
  biases: change(list(`${name}_bias`)),
});
const joined = (name: string) => Float32Array.from([...list(name), ...list(`${name}_bias`)]);

lists['upper.attention_norm'] = joined('attention_norm');
addDense('attention_in', dense('attention_in', withScaledQueries), 'quick');
addDense('attention_out', dense('attention_out'), 'quick');
lists['upper.feed_norm'] = joined('feed_norm');
addDense('feed_in', dense('feed_in'), 'quick');
addDense('feed_out', dense('feed_out'), 'sparse');
addDense('heads', dense('heads'), 'exact');

const bytes = writeModelFile(
  { name: 'limpede-techniques-upper-1', version: '1.0.0', columns: COLUMNS },
  lists,
);
writeFileSync('models/techniques-upper.bin', bytes);
process.stdout.write(`models/techniques-upper.bin: ${bytes.length} bytes\n`);
