import { writeFileSync } from 'node:fs';
import { packageFile } from '../src/foundation/files.ts';
import { createEncoder, shareEncoder } from '../src/text/encoder/encoder.ts';
import { writeModelFile } from '../src/text/encoder/model-file.ts';
import { loadStudent, type Student, studentFeatures } from '../src/text/encoder/student.ts';
import { readLines } from './encoder/evaluation.ts';
import type { Pair } from './encoder/gloss-table.ts';
import { readPartsWithoutStudent } from './encoder/parts.ts';
import { principalDirections, ridge, type SparseRows } from './encoder/ridge.ts';
import { DATA_FOLDER, randomStream } from './rows.ts';

// Trains models/encoder-ro.bin, which adds to the vectors of glossed Romanian sentences what the gloss misses:
// npx tsx training/encoder-student.ts [data folder], after encoder-en.ts and encoder-gloss.ts

/** Numbers of a feature; features that stand in so many sentences at least; strength and rounds of the regression. */
const OPTIONS = { width: 128, leastSentences: 2, penalty: 0.3, rounds: 25 };

const folder = process.argv[2] ?? DATA_FOLDER;
const pairs = readLines<Pair>(folder, 'parallel', 'train.jsonl.gz');

/** A student that adds nothing. */
const silent: Student = {
  hashes: new Uint32Array(0),
  rows: new Int8Array(0),
  scales: new Float32Array(0),
  width: OPTIONS.width,
  widening: new Float32Array(OPTIONS.width * 512),
};

/** What is missing between the vector of the gloss and that of the English sentence. */
function missing(): Float32Array[] {
  const encoder = createEncoder(shareEncoder({ ...readPartsWithoutStudent(), student: silent }, 1), 0);
  return pairs.map(({ en, ro }) => {
    const [english] = encoder.encode([en], 'en');
    const [romanian] = encoder.encode([ro], 'ro');
    const none = new Float32Array(512);
    const target = english?.vector ?? none;
    return target.map((number, index) => number - (romanian?.vector?.[index] ?? 0));
  });
}

/** Features of all sentences: hashes in ascending order, and the sentences as rows of their places. */
function sparseRows(): { hashes: Uint32Array; rows: SparseRows } {
  const features = pairs.map(({ ro }) => studentFeatures(ro));
  const sentences = new Map<number, number>();
  for (const hashes of features)
    for (const hash of new Set(hashes)) sentences.set(hash, (sentences.get(hash) ?? 0) + 1);
  const kept = [...sentences].filter(([, count]) => count >= OPTIONS.leastSentences).map(([hash]) => hash);
  const hashes = Uint32Array.from(kept).sort();
  const places = new Map([...hashes].map((hash, place) => [hash, place]));
  const columns = features.map((some) => Int32Array.from(some.flatMap((hash) => places.get(hash) ?? [])));
  const values = Float64Array.from(columns, ({ length }) => (length === 0 ? 0 : 1 / Math.sqrt(length)));
  return { hashes, rows: { columns, values, width: hashes.length } };
}

const residuals = missing();
const directions = principalDirections(residuals, OPTIONS.width, randomStream(5));
const targets = new Float64Array(residuals.length * OPTIONS.width);
residuals.forEach((residual, row) => {
  directions.forEach((direction, index) => {
    targets[row * OPTIONS.width + index] = residual.reduce(
      (sum, value, at) => sum + value * (direction[at] ?? 0),
      0,
    );
  });
});
const { hashes, rows } = sparseRows();
const { width: outputs, penalty, rounds } = OPTIONS;
const weights = ridge(rows, targets, { outputs, penalty, rounds });

const scales = new Float32Array(hashes.length);
const bytes = new Int8Array(weights.length);
for (let row = 0; row < hashes.length; row++) {
  const own = weights.subarray(row * outputs, (row + 1) * outputs);
  const scale = Math.fround(own.reduce((most, value) => Math.max(most, Math.abs(value)), 0) / 127) || 1;
  scales[row] = scale;
  bytes.set(
    own.map((value) => Math.round(value / scale)),
    row * outputs,
  );
}
const widening = Float32Array.from(directions.flatMap((direction) => [...direction]));
const header = { name: 'limpede-encoder-ro-1', version: '1.0.0', width: outputs };
const file = writeModelFile(header, { hashes, rows: bytes, scales, widening });
writeFileSync(packageFile('models', 'encoder-ro.bin'), file);
console.log(`${file.length} bytes, ${loadStudent(file).hashes.length} features of ${outputs} numbers`);
