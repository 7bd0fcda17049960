/**
 * Trains text classifiers (models/sentiment-en.bin and so on; training/texts/plans.ts). Usage:
 * npx tsx training/texts.ts NAME... [--data folder] [--vectors folder in which vectors are kept between runs]
 * The rows that are held back (training/evaluate/rows.ts) are not read: npm run evaluate scores them.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { pairVector } from '../src/services/analysis/engines/stance/perspective.ts';
import { DIMENSIONS } from '../src/text/encoder/layers.ts';
import { hashText } from '../src/text/features.ts';
import { isHeldBack, type RawRow } from './evaluate/rows.ts';
import { vectorsOf } from './evaluate/task.ts';
import { DATA_FOLDER, readRows, shuffled } from './rows.ts';
import { classifierBytes, short } from './texts/file.ts';
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
import { isRowOf, planGroup, planText, type TextPlan, textPlans } from './texts/plans.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { data: { type: 'string' }, vectors: { type: 'string' } },
});
const folder = values.data ?? DATA_FOLDER;
const log = (line: string) => process.stdout.write(`${line}\n`);

/** Vectors of texts, kept in a file between runs. */
function keptVectors(plan: TextPlan, name: string, texts: readonly string[]): Float32Array {
  const file = values.vectors && join(values.vectors, `${plan.task}-${name}.f32`);
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

/** The vector of each row, or that of a pair. */
function vectorsFor(plan: TextPlan, rows: readonly RawRow[]): (index: number) => Float32Array {
  const own = keptVectors(
    plan,
    plan.fields?.text ?? plan.language,
    rows.map((row) => planText(plan, row) ?? ''),
  );
  const at = (all: Float32Array, index: number) => all.subarray(index * DIMENSIONS, (index + 1) * DIMENSIONS);
  if (plan.fields === undefined) return (index) => at(own, index);
  const others = keptVectors(
    plan,
    plan.fields.other,
    rows.map((row) => planGroup(plan, row)),
  );
  return (index) => pairVector(at(others, index), at(own, index));
}

function examplesFor(plan: TextPlan): TextExample[] {
  const all = readRows<RawRow>(folder, plan.task).filter(
    (row) => (row.lang ?? 'en') === plan.language && planText(plan, row) !== undefined,
  );
  const rows =
    plan.most === undefined || all.length <= plan.most ? all : shuffled(all, 4).slice(0, plan.most);
  const vectorOf = vectorsFor(plan, rows);
  const hasher = hasherOf(plan);
  return rows.flatMap((row, index) => {
    const text = planText(plan, row) ?? '';
    const targets = plan.targets(row);
    if (targets === undefined || !isRowOf(plan, row) || isHeldBack(planGroup(plan, row))) return [];
    return [exampleOf(hasher, text, vectorOf(index), targets, planGroup(plan, row))];
  });
}

/** One group in six, on which the parts are mixed: rows of one claim would flatter them. */
const TUNED = 6;

function train(plan: TextPlan): void {
  const examples = shuffled(examplesFor(plan), 9);
  const isTuned = ({ group }: TextExample) => (hashText(group, TUNED) >>> 5) % TUNED === 0;
  const tuning = examples.filter(isTuned);
  const parts = fitParts(
    plan,
    examples.filter((example) => !isTuned(example)),
  );
  const scored = tuning.map((example) => partScores(plan, parts, example));
  const both = fitMix(plan, scored, tuning, true);
  const alone = fitMix(plan, scored, tuning, false);
  const shares = scored.map((scores) => mixedShares(plan, both, scores));
  const thresholds = bestThresholds(plan, shares, tuning);
  log(
    `${plan.name}: ${examples.length} rows; own ${both.own.map(short)}; encoder ${both.encoder.map(short)}`,
  );
  const bytes = classifierBytes(plan, fitParts(plan, examples), { both, alone, thresholds });
  writeFileSync(`models/${plan.name}.bin`, bytes);
  log(`models/${plan.name}.bin: ${bytes.length} bytes`);
}

for (const plan of textPlans) if (positionals.length === 0 || positionals.includes(plan.name)) train(plan);
