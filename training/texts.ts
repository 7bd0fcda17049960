/**
 * Trains text classifiers (models/sentiment-en.bin and so on; training/texts/plans.ts). Usage:
 * npx tsx training/texts.ts NAME... [--data folder] [--vectors folder in which vectors are kept between runs]
 * [--folds seen, or all: scores five folds instead, and ships nothing]
 * The rows that are held back (training/evaluate/rows.ts) are not read: npm run evaluate scores them.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { pairVector } from '../src/services/analysis/engines/stance/perspective.ts';
import { DIMENSIONS } from '../src/text/encoder/layers.ts';
import { recordFigures } from './evaluate/recorded.ts';
import { isHeldBack, languageOf, type RawRow } from './evaluate/rows.ts';
import { tableOf } from './evaluate/table.ts';
import { vectorsOf } from './evaluate/task.ts';
import { DATA_FOLDER, readRows, shuffled } from './rows.ts';
import { classifierBytes, short } from './texts/file.ts';
import { fitWhole } from './texts/fit-text.ts';
import { exampleOf, hasherOf, type TextExample } from './texts/fitting.ts';
import { foldFigures } from './texts/folds.ts';
import { isRowOf, planGroup, planText, type TextPlan, textPlans } from './texts/plans.ts';
import { writtenRows } from './texts/written.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { data: { type: 'string' }, vectors: { type: 'string' }, folds: { type: 'string' } },
});
const folder = values.data ?? DATA_FOLDER;
const log = (line: string) => process.stdout.write(`${line}\n`);

/** Vectors of texts, kept in a file between runs. */
function keptVectors(plan: TextPlan, name: string, texts: Parameters<typeof vectorsOf>[0]): Float32Array {
  const file = values.vectors && join(values.vectors, `${plan.task}-${name}.f32`);
  if (file && existsSync(file)) {
    const kept = new Float32Array(new Uint8Array(readFileSync(file)).buffer);
    if (kept.length !== texts.length * DIMENSIONS)
      throw new Error(`${file} belongs to other rows: delete it.`);
    return kept;
  }
  const all = new Float32Array(texts.length * DIMENSIONS);
  vectorsOf(texts).forEach((vector, index) => {
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
    rows.map((row) => ({ text: planText(plan, row) ?? '', language: languageOf(row) })),
  );
  const at = (all: Float32Array, index: number) => all.subarray(index * DIMENSIONS, (index + 1) * DIMENSIONS);
  if (plan.fields === undefined) return (index) => at(own, index);
  const others = keptVectors(
    plan,
    plan.fields.other,
    rows.map((row) => ({ text: planGroup(plan, row), language: languageOf(row) })),
  );
  return (index) => pairVector(at(others, index), at(own, index));
}

/** Rows of the folder, fewer where the plan says so, and those that our own writers wrote for it. */
function rowsFor(plan: TextPlan): readonly RawRow[] {
  const all = readRows<RawRow>(folder, plan.task).filter(
    (row) => languageOf(row) === plan.language && planText(plan, row) !== undefined,
  );
  const rows =
    plan.most === undefined || all.length <= plan.most ? all : shuffled(all, 4).slice(0, plan.most);
  return plan.written === undefined ? rows : [...rows, ...writtenRows(plan.written.file)];
}

function examplesFor(plan: TextPlan, withHeldBack = false): TextExample[] {
  const rows = rowsFor(plan);
  const vectorOf = vectorsFor(plan, rows);
  const hasher = hasherOf(plan);
  return rows.flatMap((row, index) => {
    const text = planText(plan, row) ?? '';
    const targets = plan.targets(row);
    const isWritten = row.written === true;
    if (targets === undefined || (!isWritten && !isRowOf(plan, row))) return [];
    if (!withHeldBack && !isWritten && isHeldBack(planGroup(plan, row))) return [];
    const example = exampleOf(hasher, text, vectorOf(index), targets, planGroup(plan, row), plan.characters);
    return new Array<TextExample>(isWritten ? (plan.written?.times ?? 1) : 1).fill(example);
  });
}

function train(plan: TextPlan): void {
  const examples = shuffled(examplesFor(plan), 9);
  const fitted = fitWhole(plan, examples);
  const { both } = fitted;
  log(
    `${plan.name}: ${examples.length} rows; own ${both.own.map(short)}; encoder ${both.encoder.map(short)}`,
  );
  const bytes = classifierBytes(plan, fitted.parts, fitted);
  writeFileSync(`models/${plan.name}.bin`, bytes);
  log(`models/${plan.name}.bin: ${bytes.length} bytes`);
}

const FOLD_SPLIT = 'five folds over all rows, by their text, each fold judged by a model made without it';

/** `seen` scores the rows that are not held back, for choices; `all` scores and records those of every row, when the choices are made. */
function scoreOverFolds(plan: TextPlan, which: string): void {
  const figures = foldFigures(plan, examplesFor(plan, which === 'all'));
  log(tableOf([{ task: plan.task, report: { figures, notes: [] } }]));
  if (which === 'all') recordFigures({ task: plan.task, split: FOLD_SPLIT, figures });
}

const chosen = textPlans.filter(({ name }) => positionals.length === 0 || positionals.includes(name));
for (const plan of chosen) {
  if (values.folds === undefined) train(plan);
  else scoreOverFolds(plan, values.folds);
}
