/**
 * Trains text classifiers (models/sentiment-en.bin and so on; training/texts/plans.ts). Usage:
 * npx tsx training/texts.ts NAME... [--data folder] [--vectors folder in which vectors are kept between runs]
 * The rows that are held back (training/evaluate/rows.ts) are not read: npm run evaluate scores them.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { DIMENSIONS } from '../src/text/encoder/layers.ts';
import { saveLinear } from '../src/text/linear.ts';
import type { ClassifierParameters } from '../src/text/text-classifier.ts';
import { isHeldBack, type RawRow } from './evaluate/rows.ts';
import { vectorsOf } from './evaluate/task.ts';
import { DATA_FOLDER, readRows, shuffled } from './rows.ts';
import {
  bestThresholds,
  exampleOf,
  fitMix,
  fitParts,
  hasherOf,
  mixedShares,
  partScores,
  type TextExample,
} from './texts/fitting.ts';
import { isRowOf, type TextPlan, textPlans } from './texts/plans.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { data: { type: 'string' }, vectors: { type: 'string' } },
});
const folder = values.data ?? DATA_FOLDER;
const log = (line: string) => process.stdout.write(`${line}\n`);

/** Vectors of all rows of a task and language, kept in a file between runs. */
function keptVectors(plan: TextPlan, texts: readonly string[]): Float32Array {
  const file = values.vectors && join(values.vectors, `${plan.task}-${plan.language}.f32`);
  if (file && existsSync(file)) {
    const kept = new Float32Array(new Uint8Array(readFileSync(file)).buffer);
    if (kept.length !== texts.length * DIMENSIONS)
      throw new Error(`${file} belongs to other rows: delete it.`);
    return kept;
  }
  const all = new Float32Array(texts.length * DIMENSIONS);
  vectorsOf(texts.map((text) => ({ text, language: plan.language }))).forEach((vector, index) => {
    all.set(vector, index * DIMENSIONS);
  });
  if (file && values.vectors) {
    mkdirSync(values.vectors, { recursive: true });
    writeFileSync(file, Buffer.from(all.buffer));
  }
  return all;
}

function examplesFor(plan: TextPlan): TextExample[] {
  const all = readRows<RawRow>(folder, plan.task).filter(
    (row) => (row.lang ?? 'en') === plan.language && typeof row.text === 'string',
  );
  const rows =
    plan.most === undefined || all.length <= plan.most ? all : shuffled(all, 4).slice(0, plan.most);
  const vectors = keptVectors(
    plan,
    rows.map((row) => String(row.text)),
  );
  const hasher = hasherOf(plan);
  return rows.flatMap((row, index) => {
    const text = String(row.text);
    const targets = plan.targets(row);
    if (targets === undefined || !isRowOf(plan, row) || isHeldBack(text)) return [];
    const vector = vectors.subarray(index * DIMENSIONS, (index + 1) * DIMENSIONS);
    return [exampleOf(hasher, text, vector, targets, text)];
  });
}

/** One row in six, by chance, on which the parts are mixed. */
const TUNED = 6;
const short = (value: number) => Number(value.toPrecision(4));

function train(plan: TextPlan): void {
  const examples = shuffled(examplesFor(plan), 9);
  const tuning = examples.filter((_, index) => index % TUNED === 0);
  const parts = fitParts(
    plan,
    examples.filter((_, index) => index % TUNED !== 0),
  );
  const scored = tuning.map((example) => partScores(plan, parts, example));
  const both = fitMix(plan, scored, tuning, true);
  const alone = fitMix(plan, scored, tuning, false);
  const shares = scored.map((scores) => mixedShares(plan, both, scores));
  const thresholds = bestThresholds(plan, shares, tuning);
  log(
    `${plan.name}: ${examples.length} rows; own ${both.own.map(short)}; encoder ${both.encoder.map(short)}`,
  );
  const final = fitParts(plan, examples);
  const parameters: ClassifierParameters = {
    vector: {
      weights: plan.labels.map((_, label) =>
        [...final.vector.weights.subarray(label * DIMENSIONS, (label + 1) * DIMENSIONS)].map(short),
      ),
      bias: [...final.vector.bias].map(short),
    },
    both,
    alone,
  };
  const bytes = saveLinear(
    {
      name: `limpede-${plan.name}-1`,
      version: '1.0.0',
      labels: [...plan.labels],
      bits: plan.bits,
      quantisation: 'int8',
      scales: [],
      bias: [...final.words.bias],
      calibration:
        plan.link === 'softmax'
          ? { link: 'softmax', temperature: 1 }
          : { link: 'logistic', slope: plan.labels.map(() => 1), intercept: plan.labels.map(() => 0) },
      thresholds,
      parameters,
    },
    final.words.weights,
  );
  writeFileSync(`models/${plan.name}.bin`, bytes);
  log(`models/${plan.name}.bin: ${bytes.length} bytes`);
}

for (const plan of textPlans) if (positionals.length === 0 || positionals.includes(plan.name)) train(plan);
