/**
 * Trains and scores models/claim-likeness.json, which tells whether a sentence speaks of the matter of a claim that is known in several wordings.
 * Usage: npx tsx training/claim-likeness.ts [--record]. Four minutes of CPU.
 */
import { writeFileSync } from 'node:fs';
import {
  type LikenessWeights,
  likenessProbability,
  SPEAKS_OF,
  standardised,
} from '../src/services/analysis/engines/stance/claim-likeness.ts';
import { sigmoid } from '../src/text/logistic.ts';
import { reliabilityDiagram } from './diffuse/reliability.ts';
import { figuresOf } from './evaluate/figures.ts';
import { recordFigures } from './evaluate/recorded.ts';
import { tableOf } from './evaluate/table.ts';
import { type LikenessRow, likenessRows } from './likeness/rows.ts';
import { areaUnderCurve, calibrationError } from './metrics.ts';

const log = (line: string) => process.stdout.write(`${line}\n`);
/** Claims are shared out among so many folds: a sentence is read by weights that saw nothing of its claims. */
const FOLDS = 5;
const STEPS = 1000;
const RATE = 1;
/** Standardised features beyond this say no more. */
const MOST = 4;

const codeSum = (text: string) => [...text].reduce((sum, one) => sum + (one.codePointAt(0) ?? 0), 0);
const foldOf = ({ claim }: Pick<LikenessRow, 'claim'>) => codeSum(claim) % FOLDS;
const short = (value: number) => Number(value.toPrecision(5));
const meanOf = (list: readonly number[]) => list.reduce((sum, value) => sum + value, 0) / list.length;

/** Logistic regression by plain gradient descent; the features are few. */
function fit(rows: readonly LikenessRow[]): LikenessWeights {
  const columns = (rows[0]?.features ?? []).map((_, at) => rows.map(({ features }) => features[at] ?? 0));
  const mean = columns.map((column) => short(meanOf(column)));
  const deviation = columns.map((column, at) =>
    short(Math.sqrt(meanOf(column.map((value) => (value - (mean[at] ?? 0)) ** 2)))),
  );
  const inputs = rows.map(({ features }) => standardised(features, { mean, deviation, most: MOST }));
  const weights = mean.map(() => 0);
  let bias = 0;
  for (let step = 0; step < STEPS; step += 1) {
    const slopes = mean.map(() => 0);
    let slope = 0;
    rows.forEach(({ isAbout }, row) => {
      const input = inputs[row] ?? [];
      const score = input.reduce((sum, value, at) => sum + value * (weights[at] ?? 0), bias);
      const error = (isAbout ? 1 : 0) - sigmoid(score);
      slope += error;
      for (let at = 0; at < input.length; at += 1) slopes[at] = (slopes[at] ?? 0) + error * (input[at] ?? 0);
    });
    bias += (RATE * slope) / rows.length;
    slopes.forEach((each, at) => {
      weights[at] = (weights[at] ?? 0) + (RATE * each) / rows.length;
    });
  }
  return { version: '1', mean, deviation, most: MOST, weights: weights.map(short), bias: short(bias) };
}

type Judged = LikenessRow & { score: number; truth: boolean; group: string };
const judgedBy = (weights: LikenessWeights, rows: readonly LikenessRow[]): Judged[] =>
  rows.map((row) => ({
    ...row,
    score: likenessProbability(row.features, weights),
    truth: row.isAbout,
    group: row.claim,
  }));

const rows = likenessRows(log);
const learned = rows.filter(({ hand }) => hand !== 'spoken');
const judged = Array.from({ length: FOLDS }, (_, fold) =>
  judgedBy(
    fit(learned.filter((row) => foldOf(row) !== fold)),
    rows.filter((row) => foldOf(row) === fold),
  ),
).flat();

const shown = (some: readonly Judged[]) =>
  some.filter(({ score }) => score >= SPEAKS_OF).length / Math.max(1, some.length);
const parts = (['said', 'spoken'] as const).flatMap((hand) =>
  (['en', 'ro'] as const).map((lang) => ({
    name: `${lang}, ${hand === 'said' ? 'writers of the training set' : 'another writer, who taught nothing'}`,
    rows: judged.filter((row) => row.lang === lang && row.hand === hand),
  })),
);
const figures = [
  ...parts.flatMap(({ name, rows: own }) =>
    (['says', 'denies', 'asks', 'other'] as const).flatMap((kind) => {
      const some = own.filter((row) => row.kind === kind && row.truth);
      return some.length === 0
        ? []
        : figuresOf<Judged>(`${name}: ${kind}`, some, { 'claim shown': { of: shown, baseline: null } });
    }),
  ),
  ...parts.flatMap(({ name, rows: own }) =>
    figuresOf<Judged>(
      `${name}: claims that it is not about`,
      own.filter(({ truth }) => !truth),
      {
        'claim shown': { of: shown, baseline: null },
      },
    ),
  ),
  ...(['en', 'ro'] as const).flatMap((lang) =>
    figuresOf<Judged>(
      `${lang}, calm texts: sentences`,
      judged.filter((row) => row.kind === 'calm' && row.lang === lang && row.isNearest),
      { 'claim shown': { of: shown, baseline: null } },
    ),
  ),
];
log(tableOf([{ task: 'claim_likeness', report: { figures, notes: [] } }]));
const near = judged.filter(({ isNearest, hand }) => isNearest && hand !== 'said');
log(
  `AUC ${areaUnderCurve(near).toFixed(3)}, calibration error ${calibrationError(near).toFixed(3)}, ${rows.length} rows`,
);
if (process.argv.includes('--record')) {
  recordFigures({ task: 'claim_likeness', split: 'by claim, and by writer', figures });
  writeFileSync('models/claim-likeness.svg', reliabilityDiagram('A sentence speaks of a claim', near));
  writeFileSync('models/claim-likeness.json', `${JSON.stringify(fit(rows))}\n`);
  log('models/claim-likeness.json written');
}
