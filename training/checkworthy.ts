import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageFile } from '../src/foundation/files.ts';
import {
  CHECKWORTHY_BITS,
  CHECKWORTHY_LABELS,
  CheckworthinessScorer,
  cueFeatures,
  wordFeatures,
} from '../src/services/analysis/engines/claims/checkworthiness.ts';
import { type ClaimText, claimText } from '../src/services/analysis/engines/claims/cues.ts';
import type { VectorHead } from '../src/services/analysis/engines/claims/vector-head.ts';
import { DIMENSIONS } from '../src/text/encoder/layers.ts';
import { FeatureHasher, type Features } from '../src/text/features.ts';
import {
  type LinearHeader,
  type LinearModel,
  loadLinear,
  probabilities,
  saveLinear,
} from '../src/text/linear.ts';
import {
  fitShares,
  trainVectors,
  type Unseen,
  type VectorRow,
  vectorScores,
} from './checkworthy/vector-head.ts';
import { reliabilityDiagram } from './diffuse/reliability.ts';
import { yesNoFigures } from './evaluate/figures.ts';
import { recordFigures } from './evaluate/recorded.ts';
import { tableOf } from './evaluate/table.ts';
import { vectorsOf } from './evaluate/task.ts';
import { type Example, plattScale, rawMargins, type TrainedWeights, trainLinear } from './logistic.ts';
import {
  areaUnderCurve,
  atThreshold,
  averagePrecision,
  bestF1Threshold,
  calibrationError,
  type Scored,
  withInterval,
} from './metrics.ts';
import { DATA_FOLDER, readRows } from './rows.ts';

// Trains and scores models/claims-words.bin, claims-cues.bin and claims-vector.json:
// npx tsx training/checkworthy.ts [data folder] [folder of kept vectors] [vectors: that part alone]

interface Row {
  id: string;
  text: string;
  label: 'NFS' | 'UFS' | 'CFS';
  year: string;
}

/** Debates kept out of training: thresholds and calibration are set on the first, the printed error is of the second. */
const tuningYears = new Set(['1984', '2008']);
const testYears = new Set(['1980', '2000', '2012']);

const rows = readRows<Row>(process.argv[2] ?? DATA_FOLDER, 'checkworthy').map((row) => ({
  ...row,
  claim: claimText(row.text),
}));
type Prepared = (typeof rows)[number];
const training = rows.filter((row) => !tuningYears.has(row.year) && !testYears.has(row.year));
const tuning = rows.filter((row) => tuningYears.has(row.year));
const test = rows.filter((row) => testYears.has(row.year));

const truths = (row: { label: string }): [boolean, boolean] => [row.label === 'CFS', row.label !== 'NFS'];

interface Plan {
  file: string;
  name: string;
  language: 'en' | 'ro';
  bits: number;
  rate: number;
  epochs: number;
  l2: number;
  features: (hasher: FeatureHasher, text: ClaimText) => Features;
}

const shape = { labels: CHECKWORTHY_LABELS.length, link: 'logistic' as const, seed: 3 };

function fit(plan: Plan, part: readonly Prepared[]): TrainedWeights {
  const hasher = new FeatureHasher(plan.bits);
  const examples = part.map((row): Example => {
    const targets = Float32Array.from(truths(row), Number);
    return { features: plan.features(hasher, row.claim), targets, weight: 1 };
  });
  return trainLinear(examples, {
    ...shape,
    bits: plan.bits,
    epochs: plan.epochs,
    rate: plan.rate,
    l2: plan.l2,
  });
}

function headerOf(plan: Plan, trained: TrainedWeights): LinearHeader {
  const hasher = new FeatureHasher(plan.bits);
  const margins = tuning.map((row) => rawMargins(trained, plan.features(hasher, row.claim), shape.labels));
  const platt = CHECKWORTHY_LABELS.map((_, label) =>
    plattScale(
      margins.map((sums) => sums[label] ?? 0),
      tuning.map((row) => truths(row)[label] ?? false),
    ),
  );
  const calibration = {
    slope: platt.map((scale) => scale.slope),
    intercept: platt.map((scale) => scale.intercept),
  };
  return {
    name: plan.name,
    version: '1.0.0',
    labels: CHECKWORTHY_LABELS,
    bits: plan.bits,
    quantisation: 'int8',
    scales: [],
    bias: [...trained.bias],
    calibration: { link: 'logistic', ...calibration },
    thresholds: {},
    parameters: {},
  };
}

/** The model of the training debates, calibrated on the tuning debates: the one that is measured. */
function measuredModel(plan: Plan): LinearModel {
  const trained = fit(plan, training);
  const header = headerOf(plan, trained);
  const draft = loadLinear(saveLinear(header, trained.weights));
  const thresholds = Object.fromEntries(
    CHECKWORTHY_LABELS.map((name, label) => [name, bestF1Threshold(scoresOf(draft, plan, tuning, label))]),
  );
  if (plan.language === 'ro') thresholds.checkworthy = romanianThreshold(draft, plan);
  console.log(`${plan.name}: thresholds ${JSON.stringify(thresholds)}`);
  return loadLinear(saveLinear({ ...header, thresholds }, trained.weights));
}

const fixtures = 'test/services/analysis/engines/claims/fixtures';

/** A small hand-labelled Romanian set of our own: lines "1|sentence" (check-worthy) or "0|sentence". */
function romanianRows(file: string): Prepared[] {
  const lines = readFileSync(`${fixtures}/${file}`, 'utf8').split('\n');
  return lines
    .filter((line) => /^[01]\|/.test(line))
    .map((line, index) => {
      const text = line.slice(2);
      const label = line.startsWith('1') ? 'CFS' : 'NFS';
      return { id: `ro-${index}`, text, label, year: '', claim: claimText(text) };
    });
}

/** Least share of right finds on the first Romanian set, by which the threshold of the cue model is lowered. */
const ROMANIAN_PRECISION = 0.95;

/** Debates hold fewer claims than news: the lowest threshold that stays precise on the first Romanian set. */
function romanianThreshold(model: LinearModel, plan: Plan): number {
  const scored = scoresOf(model, plan, romanianRows('romanian-sentences.txt'), 0);
  const precise = scored
    .map((row) => row.score)
    .filter((score) => atThreshold(scored, score).precision >= ROMANIAN_PRECISION);
  return Math.min(...precise);
}

/** Writes the model of all debates, with the calibration and thresholds of the measured one. */
function ship(plan: Plan, measured: LinearModel): void {
  const trained = fit(plan, rows);
  const bytes = saveLinear({ ...measured.header, bias: [...trained.bias] }, trained.weights);
  writeFileSync(plan.file, bytes);
  const shipped = loadLinear(bytes);
  for (const file of ['romanian-sentences.txt', 'romanian-sentences-2.txt']) {
    report(
      `shipped, ${file}`,
      scoresOf(shipped, plan, romanianRows(file), 0),
      shipped.header.thresholds.checkworthy ?? 0.5,
    );
  }
  console.log(`  ${plan.file}: ${bytes.length} bytes`);
}

function scoresOf(model: LinearModel, plan: Plan, part: readonly Prepared[], label: number): Scored[] {
  const hasher = new FeatureHasher(plan.bits);
  return part.map((row) => ({
    score: probabilities(model, plan.features(hasher, row.claim))[label] ?? 0,
    truth: truths(row)[label] ?? false,
    group: row.id,
  }));
}

function report(name: string, scored: readonly Scored[], threshold: number): void {
  const point = atThreshold(scored, threshold);
  console.log(
    `  ${name}: rows ${scored.length}, F1 ${withInterval(scored, (some) => atThreshold(some, threshold).f1)}, ` +
      `P ${point.precision.toFixed(3)}, R ${point.recall.toFixed(3)}, AP ${withInterval(scored, averagePrecision)}, ` +
      `AUC ${withInterval(scored, areaUnderCurve)}, calibration error ${calibrationError(scored).toFixed(3)}`,
  );
}

const plans: Plan[] = [
  {
    file: 'models/claims-words.bin',
    name: 'limpede-claims-1',
    language: 'en',
    bits: CHECKWORTHY_BITS.words,
    rate: 0.12,
    epochs: 8,
    l2: 3e-3,
    features: wordFeatures,
  },
  {
    file: 'models/claims-cues.bin',
    name: 'limpede-claims-cues-1',
    language: 'ro',
    bits: CHECKWORTHY_BITS.cues,
    rate: 0.1,
    epochs: 10,
    l2: 1e-4,
    features: cueFeatures,
  },
];
/** "vectors" makes that part alone. */
const isWhole = process.argv[4] !== 'vectors';
for (const plan of isWhole ? plans : []) {
  const model = measuredModel(plan);
  CHECKWORTHY_LABELS.forEach((name, label) => {
    report(
      `${plan.name}, ${name}, held-out debates`,
      scoresOf(model, plan, test, label),
      model.header.thresholds[name] ?? 0.5,
    );
  });
  ship(plan, model);
}
/** Vectors of the rows, kept in a folder between runs where one is named. */
function vectorsOfRows(): Float32Array[] {
  const file = process.argv[3] === undefined ? undefined : join(process.argv[3], 'checkworthy-en.f32');
  if (file === undefined || !existsSync(file))
    return vectorsOf(rows.map(({ text }) => ({ text, language: 'en' })));
  const all = new Float32Array(new Uint8Array(readFileSync(file)).buffer);
  return rows.map((_, index) => all.subarray(index * DIMENSIONS, (index + 1) * DIMENSIONS));
}

const FOLDS = 8;
const years = [...new Set(rows.map((row) => row.year))].sort();
/** Debates of one year stand in one fold. */
const foldOf = (year: string) => years.indexOf(year) % FOLDS;

/** Scores of every row by models that did not see its year: words, cues, vectors. */
function unseenScores(vectorRows: readonly VectorRow[]): { words: Unseen; cues: Unseen; year: string }[] {
  return Array.from({ length: FOLDS }, (_, fold) => fold).flatMap((fold) => {
    const isIn = (row: Prepared) => foldOf(row.year) === fold;
    const [words, cues] = plans.map((plan) => ({
      hasher: new FeatureHasher(plan.bits),
      trained: fit(
        plan,
        rows.filter((row) => !isIn(row)),
      ),
      plan,
    }));
    const vector = trainVectors(vectorRows.filter((_, index) => foldOf(rows[index]?.year ?? '') !== fold));
    console.log(`fold ${fold + 1} of ${FOLDS} trained`);
    const own = (part: typeof words, row: Prepared): [number, number] => {
      if (part === undefined) return [0, 0];
      const [first = 0, second = 0] = rawMargins(part.trained, part.plan.features(part.hasher, row.claim), 2);
      return [first, second];
    };
    return rows.flatMap((row, index) => {
      const found = vectorRows[index];
      if (!isIn(row) || found === undefined) return [];
      const rest = { encoder: vectorScores(vector, found.vector), truths: found.truths };
      return [
        { words: { own: own(words, row), ...rest }, cues: { own: own(cues, row), ...rest }, year: row.year },
      ];
    });
  });
}

/** Trains the part that reads vectors, and how it adds to the two others; prints and records the figures of the folds. */
function trainVectorHead(): void {
  const vectors = vectorsOfRows();
  const vectorRows = rows.map(
    (row, index): VectorRow => ({
      vector: vectors[index] ?? new Float32Array(DIMENSIONS),
      truths: truths(row),
    }),
  );
  const scores = unseenScores(vectorRows);
  const shares = {
    words: fitShares(scores.map(({ words }) => words)),
    cues: fitShares(scores.map(({ cues }) => cues)),
  };
  const figures = scores.length === 0 ? [] : figuresOfFolds(scores, shares);
  console.log(tableOf([{ task: 'checkworthy', report: { figures, notes: [] } }]));
  recordFigures({ task: 'checkworthy', split: `${FOLDS} folds by year of the debate`, figures });
  const model = trainVectors(vectorRows);
  const short = (value: number) => Number(value.toPrecision(5));
  const weights = [0, 1].map((label) =>
    [...model.weights.subarray(label * DIMENSIONS, (label + 1) * DIMENSIONS)].map(short),
  );
  const draft = {
    name: 'limpede-claims-vector-1',
    version: '1.0.0',
    weights,
    bias: [...model.bias].map(short),
    words: { ...shares.words, threshold: bestF1Threshold(chances(scores, 'words', shares.words, 0)) },
    cues: { ...shares.cues, threshold: 0.5 },
  };
  const threshold = romanianVectorThreshold(draft as unknown as VectorHead);
  const file = packageFile('models', 'claims-vector-weights.json');
  writeFileSync(file, `${JSON.stringify({ ...draft, cues: { ...draft.cues, threshold } })}\n`);
  console.log(`threshold ${draft.words.threshold.toFixed(3)} en, ${threshold.toFixed(3)} ro`);
}

type FoldScores = ReturnType<typeof unseenScores>;
type Shares = ReturnType<typeof fitShares>;

function chances(scores: FoldScores, way: 'words' | 'cues', shares: Shares, label: 0 | 1): Scored[] {
  return scores.map((row, index) => {
    const { own, encoder, truths: truth } = row[way];
    const odds = shares.own[label] * own[label] + shares.encoder[label] * encoder[label] + shares.bias[label];
    return { score: 1 / (1 + Math.exp(-odds)), truth: truth[label], group: `${row.year} ${index}` };
  });
}

function figuresOfFolds(scores: FoldScores, shares: { words: Shares; cues: Shares }) {
  const alone = (way: 'own' | 'encoder', label: 0 | 1): Scored[] =>
    scores.map(({ words, year }, index) => ({
      score: 1 / (1 + Math.exp(-words[way][label])),
      truth: words.truths[label],
      group: `${year} ${index}`,
    }));
  const parts: [string, Scored[]][] = [
    ['en, check-worthy', chances(scores, 'words', shares.words, 0)],
    ['en, check-worthy, words alone', alone('own', 0)],
    ['en, check-worthy, vectors alone', alone('encoder', 0)],
    ['en, check-worthy, cues and vectors', chances(scores, 'cues', shares.cues, 0)],
    ['en, states a fact', chances(scores, 'words', shares.words, 1)],
  ];
  writeFileSync(
    packageFile('models', 'claims-checkworthy.svg'),
    reliabilityDiagram('A sentence is check-worthy (English)', parts[0]?.[1] ?? []),
  );
  return parts.flatMap(([part, own]) => yesNoFigures(part, own, bestF1Threshold(own)));
}

/** Romanian sentences of our own by cues and vectors: the lowest threshold that stays precise on the first set; both are printed. */
function romanianVectorThreshold(head: VectorHead): number {
  const cues = loadLinear(readFileSync(packageFile('models', 'claims-cues.bin')));
  const words = loadLinear(readFileSync(packageFile('models', 'claims-words.bin')));
  const scorer = new CheckworthinessScorer({ words, cues, head });
  const scored = (file: string) => {
    const part = romanianRows(file);
    const read = vectorsOf(part.map(({ text }) => ({ text, language: 'ro' })));
    return part.map((row, index) => ({
      score: scorer.score(row.claim, 'ro', read[index]).checkworthy,
      truth: row.label === 'CFS',
      group: row.id,
    }));
  };
  const first = scored('romanian-sentences.txt');
  const precise = first
    .map(({ score }) => score)
    .filter((score) => atThreshold(first, score).precision >= ROMANIAN_PRECISION);
  const threshold = Math.min(...precise);
  report('cues and vectors, first Romanian set', first, threshold);
  report('cues and vectors, second Romanian set', scored('romanian-sentences-2.txt'), threshold);
  return threshold;
}

trainVectorHead();
