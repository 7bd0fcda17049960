/**
 * Trains and measures models/articles-en.bin, the model of whole articles. Usage: npx tsx training/articles.ts [data folder,
 * default ../shared/data] [--record]. Two minutes of CPU. Every article is scored by weights that did not see it.
 */
import { writeFileSync } from 'node:fs';
import { articleVector, HYPERPARTISAN_LABEL } from '../src/services/analysis/engines/articles/article.ts';
import { encodingOf } from '../src/services/analysis/engines/encoding/text-encoding.ts';
import { readable } from '../src/services/analysis/engines/plain-text.ts';
import { reliabilityDiagram } from './diffuse/reliability.ts';
import { yesNoFigures } from './evaluate/figures.ts';
import { recordFigures } from './evaluate/recorded.ts';
import { tableOf } from './evaluate/table.ts';
import { packagedEncoder } from './evaluate/task.ts';
import { bestF1Threshold, type Scored } from './metrics.ts';
import { DATA_FOLDER, readRows, shuffled } from './rows.ts';
import { classifierBytes } from './texts/file.ts';
import {
  exampleOf,
  fitMix,
  fitParts,
  hasherOf,
  mixedShares,
  partScores,
  type TextExample,
} from './texts/fitting.ts';
import type { TextPlan } from './texts/plans.ts';

const folder = process.argv.slice(2).find((argument) => !argument.startsWith('--')) ?? DATA_FOLDER;
const log = (line: string) => process.stdout.write(`${line}\n`);

/** Chosen on the folds. */
const plan: TextPlan = {
  name: 'articles-en',
  task: 'hyperpartisan',
  language: 'en',
  link: 'logistic',
  labels: [HYPERPARTISAN_LABEL],
  targets: () => undefined,
  bits: 18,
  epochs: 12,
  rate: 0.15,
  l2: 1e-4,
  vectors: { epochs: 20, rate: 0.005, decay: 5e-2 },
};
const FOLDS = 10;

interface ArticleRow {
  readonly id: string;
  readonly title: string;
  readonly text: string;
  readonly label: string;
}

/** An article with its numbers, or undefined where nothing of it was encoded. */
function exampleFrom({ id, title, text: body, label }: ArticleRow): TextExample | undefined {
  const text = `${title}\n\n${body}`;
  const encoding = encodingOf(packagedEncoder(), { text, language: 'en' });
  const vector = articleVector({ headline: { start: 0, end: readable(title).text.length }, encoding });
  return (
    vector && exampleOf(hasher, readable(text).text, vector, [label === HYPERPARTISAN_LABEL ? 1 : 0], id)
  );
}

const hasher = hasherOf(plan);
const examples = shuffled(readRows<ArticleRow>(folder, plan.task), 9).flatMap(
  (row) => exampleFrom(row) ?? [],
);
const inFold = (fold: number) => examples.filter((_, index) => index % FOLDS === fold);
const outOfFold = (fold: number) => examples.filter((_, index) => index % FOLDS !== fold);
const folds = Array.from({ length: FOLDS }, (_, fold) => {
  const parts = fitParts(plan, outOfFold(fold));
  return inFold(fold).map((example) => ({ example, scores: partScores(plan, parts, example) }));
});

/** Shares of words and vectors, fitted on the unseen scores of all folds but one (or of all). */
function mixWithout(fold: number | undefined, withVector: boolean) {
  const others = folds.filter((_, index) => index !== fold).flat();
  return fitMix(
    plan,
    others.map(({ scores }) => scores),
    others.map(({ example }) => example),
    withVector,
  );
}

function heldOut(withVector: boolean): Scored[] {
  return folds.flatMap((own, fold) => {
    const mix = mixWithout(fold, withVector);
    return own.map(({ example, scores }) => ({
      score: mixedShares(plan, mix, scores)[0] ?? 0,
      truth: example.targets[0] === 1,
      group: example.group,
    }));
  });
}

const both = heldOut(true);
const alone = heldOut(false);
const vectors = folds.flat().map(({ example, scores }) => ({
  score: 1 / (1 + Math.exp(-(scores.encoder[0] ?? 0))),
  truth: example.targets[0] === 1,
  group: example.group,
}));
const threshold = bestF1Threshold(both);
const figures = [
  ...yesNoFigures('en, whole article', both, threshold),
  ...yesNoFigures('en, whole article, words alone', alone, bestF1Threshold(alone)),
  ...yesNoFigures('en, whole article, vectors alone', vectors, bestF1Threshold(vectors)),
];
log(tableOf([{ task: plan.task, report: { figures, notes: [] } }]));
if (process.argv.includes('--record')) {
  recordFigures({ task: plan.task, split: `${FOLDS} folds by article`, figures });
  writeFileSync('models/articles-en.svg', reliabilityDiagram('An article takes sides (English)', both));
  const bytes = classifierBytes(plan, fitParts(plan, examples), {
    both: mixWithout(undefined, true),
    alone: mixWithout(undefined, false),
    thresholds: { [HYPERPARTISAN_LABEL]: threshold },
  });
  writeFileSync('models/articles-en.bin', bytes);
  log(`models/articles-en.bin: ${bytes.length} bytes; threshold ${threshold.toFixed(3)}`);
}
