import { writeFileSync } from 'node:fs';
import {
  AI_TEXT_BITS,
  aiTextProbability,
  LEAST_WORDS,
  textWindows,
  windowFeatures,
} from '../src/services/analysis/engines/ai-text/detector.ts';
import { FeatureHasher, type Features } from '../src/text/features.ts';
import { loadLinear, saveLinear } from '../src/text/linear.ts';
import { countWords } from '../src/text/words.ts';
import { type Example, plattScale, rawMargins, type TrainedWeights, trainLinear } from './logistic.ts';
import { areaUnderCurve, atThreshold, calibrationError, type Scored, withInterval } from './metrics.ts';
import { DATA_FOLDER, readRows, shuffled } from './rows.ts';

// Trains and scores models/ai-text.bin: npx tsx training/ai-text.ts [data folder]

interface Document {
  id: string;
  text: string;
  ai: boolean;
  /** Part of the corpus that is held out as a whole. */
  source: string;
  generator: string;
  windows: Features[];
}

const folder = process.argv[2] ?? DATA_FOLDER;
const hasher = new FeatureHasher(AI_TEXT_BITS);

function documentOf(id: string, text: string, ai: boolean, source: string, generator: string): Document {
  const windows = textWindows(text).map((window) => windowFeatures(hasher, window));
  return { id, text, ai, source, generator, windows };
}

function corpusDocuments(): Document[] {
  type Row = {
    id: string;
    text: string;
    label: string;
    generator: string;
    era: string;
    domain: string;
    source: string;
  };
  return readRows<Row>(folder, 'ai_text')
    .filter((row) => row.era !== 'base-lm' && countWords(row.text) >= 60)
    .map((row) =>
      documentOf(row.id, row.text, row.label === 'ai', `${row.source}, ${row.domain}`, row.generator),
    );
}

/** Human news: articles joined again from their sentences, and one-sided or mainstream articles. */
function newsDocuments(): Document[] {
  const articles = new Map<string, string[]>();
  for (const row of readRows<{ doc: string; text: string }>(folder, 'techniques')) {
    articles.set(row.doc, [...(articles.get(row.doc) ?? []), row.text]);
  }
  const ptc = [...articles].map(([doc, lines]) =>
    documentOf(`ptc-${doc}`, lines.join('\n').slice(0, 6000), false, 'PTC news', 'human'),
  );
  const hyperpartisan = readRows<{ id: string; text: string }>(folder, 'hyperpartisan').map((row) =>
    documentOf(row.id, row.text.slice(0, 6000), false, 'hyperpartisan news', 'human'),
  );
  return [...ptc, ...hyperpartisan].filter((document) => countWords(document.text) >= LEAST_WORDS);
}

const options = {
  labels: 1,
  bits: AI_TEXT_BITS,
  link: 'logistic' as const,
  epochs: 6,
  rate: 0.12,
  l2: 1e-3,
  seed: 5,
};
/** Windows that one document lends to training, so that long ones do not speak loudest. */
const WINDOWS_PER_DOCUMENT = 4;

function train(documents: readonly Document[]): TrainedWeights {
  const perClass = [false, true].map((ai) => documents.filter((document) => document.ai === ai).length);
  const examples = documents.flatMap((document) => {
    const windows = document.windows.slice(0, WINDOWS_PER_DOCUMENT);
    const weight = documents.length / (2 * (perClass[document.ai ? 1 : 0] ?? 1)) / Math.sqrt(windows.length);
    return windows.map(
      (features): Example => ({ features, targets: Float32Array.of(document.ai ? 1 : 0), weight }),
    );
  });
  return trainLinear(examples, options);
}

function marginOf(trained: TrainedWeights, document: Document): number {
  const sums = document.windows.map((features) => rawMargins(trained, features, 1)[0] ?? 0);
  return sums.reduce((total, margin) => total + margin, 0) / Math.max(1, sums.length);
}

const documents = [...corpusDocuments(), ...newsDocuments()];
const sources = [...new Set(documents.map((document) => document.source))];
const counted = (ai: boolean) => documents.filter((document) => document.ai === ai).length;
console.log(`${counted(true)} machine, ${counted(false)} human documents of ${sources.length} sources`);

/** Each source scored by a model that never saw it. */
const unseen = sources.flatMap((source) => {
  const trained = train(documents.filter((document) => document.source !== source));
  return documents
    .filter((document) => document.source === source)
    .map((document) => ({ document, margin: marginOf(trained, document) }));
});

/** A fifth of the documents, by hash, scored by a model trained on the rest: sources that the model knows. */
const order = shuffled(documents, 11);
const heldOut = order.slice(0, Math.floor(order.length / 5));
const known = (() => {
  const trained = train(order.slice(heldOut.length));
  return heldOut.map((document) => ({ document, margin: marginOf(trained, document) }));
})();

/** Share of machine texts assumed when calibrating: most texts that readers send are written by people. */
const MACHINE_SHARE = 0.2;
const calibrating = unseen.filter(({ document }) => countWords(document.text) >= LEAST_WORDS);
const repeats = Math.round(
  ((1 - MACHINE_SHARE) / MACHINE_SHARE) *
    (calibrating.filter(({ document }) => document.ai).length /
      calibrating.filter(({ document }) => !document.ai).length),
);
const weighted = calibrating.flatMap((row) =>
  row.document.ai ? [row] : Array.from({ length: repeats }, () => row),
);
const platt = plattScale(
  weighted.map((row) => row.margin),
  weighted.map((row) => row.document.ai),
);

const probability = (margin: number) => 1 / (1 + Math.exp(-(platt.slope * margin + platt.intercept)));
const scoredOf = (rows: typeof unseen): Scored[] =>
  rows.map(({ document, margin }) => ({
    score: probability(margin),
    truth: document.ai,
    group: document.id,
  }));

function report(name: string, rows: typeof unseen): void {
  const long = rows.filter(({ document }) => countWords(document.text) >= LEAST_WORDS);
  const scored = scoredOf(long);
  const both = scored.some((row) => row.truth) && scored.some((row) => !row.truth);
  const auc = both ? `AUC ${withInterval(scored, areaUnderCurve)}, ` : '';
  const at = (threshold: number) => {
    const point = atThreshold(scored, threshold);
    const part = [
      `p >= ${threshold}: false alarms ${withInterval(scored, (some) => atThreshold(some, threshold).falsePositiveRate)}`,
    ];
    if (scored.some((row) => row.truth)) part.push(`found ${point.recall.toFixed(3)}`);
    return part.join(', ');
  };
  console.log(`${name}: texts ${long.length}, ${auc}${at(0.6)}; ${at(0.8)}`);
}

console.log('Sources that the model did not see:');
for (const source of sources)
  report(
    `  ${source}`,
    unseen.filter(({ document }) => document.source === source),
  );
report('  all', unseen);
console.log('Held-out documents of known sources:');
report('  all', known);
console.log(`calibration error, unseen sources: ${calibrationError(scoredOf(weighted)).toFixed(3)}`);
for (const [low, high] of [
  [100, 150],
  [150, 250],
  [250, 400],
  [400, 2000],
] as const) {
  const inRange = ({ document }: { document: Document }) =>
    countWords(document.text) >= low && countWords(document.text) < high;
  report(`  unseen, ${low} to ${high} words`, unseen.filter(inRange));
}

const final = train(documents);
const bytes = saveLinear(
  {
    name: 'limpede-ai-text-1',
    version: '1.0.0',
    labels: ['machine'],
    bits: AI_TEXT_BITS,
    quantisation: 'int8',
    scales: [],
    bias: [...final.bias],
    calibration: { link: 'logistic', slope: [platt.slope], intercept: [platt.intercept] },
    thresholds: {},
    parameters: {},
  },
  final.weights,
);
writeFileSync('models/ai-text.bin', bytes);
const model = loadLinear(bytes);
const sample = heldOut.slice(0, 200);
const gap = sample.map(
  (document) => aiTextProbability(model, hasher, document.text) - probability(marginOf(final, document)),
);
console.log(
  `${bytes.length} bytes; largest change by quantisation ${Math.max(...gap.map(Math.abs)).toFixed(4)}`,
);
