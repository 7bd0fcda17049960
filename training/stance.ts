/**
 * Trains and scores the model that tells whether a passage supports or refutes a claim: models/stance-weights.json.
 * Usage: tsx training/stance.ts [data folder, default ../shared/data]
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { packageFile } from '../src/foundation/files.ts';
import {
  type EncodedStatement,
  STANCE_FEATURES,
  stanceFeatures,
} from '../src/services/analysis/engines/stance/features.ts';
import { createEncoder, shareEncoder } from '../src/text/encoder/encoder.ts';
import { hashText } from '../src/text/features.ts';
import { sentencesOf } from '../src/text/sentences.ts';
import { readRelations } from '../src/text/statement/relations.ts';
import { readStatement } from '../src/text/statement/statement.ts';
import { reliabilityDiagram } from './diffuse/reliability.ts';
import { readEncoderParts } from './encoder/parts.ts';
import { figuresOf } from './evaluate/figures.ts';
import { recordFigures } from './evaluate/recorded.ts';
import { tableOf } from './evaluate/table.ts';
import { bootstrapInterval, calibrationError, type Scored } from './metrics.ts';
import { cleanedPassage } from './passages.ts';
import { DATA_FOLDER, randomStream, readRows } from './rows.ts';

interface Row {
  readonly claim: string;
  readonly evidence: string;
  readonly label: 'SUPPORTS' | 'REFUTES';
  readonly source: string;
}

const training = { epochs: 4, rate: 0.01, l2: 1e-2, biasRate: 0.002, folds: 5, seed: 3 } as const;
/** Sentences of the evidence that are read, and rows in which a word may stand that leads from a claim to other evidence. */
const [MOST_SENTENCES, MOST_ROWS] = [12, 400];
const CLASSES = 3;
const BATCH = 64;

const rows = readRows<Row>(process.argv[2] ?? DATA_FOLDER, 'claim_evidence').map((row) => {
  const evidence = cleanedPassage(row.evidence);
  const sentences = sentencesOf(evidence).map(({ start, end }) => evidence.slice(start, end));
  return { ...row, claim: cleanedPassage(row.claim), sentences: sentences.slice(0, MOST_SENTENCES) };
});

const parts = readEncoderParts();
const relations = readRelations(readFileSync(packageFile('models', 'relations-en.tsv'), 'utf8'));
const texts = [...new Set(rows.flatMap(({ claim, sentences }) => [claim, ...sentences]))].sort(
  (one, other) => one.length - other.length,
);
const encoded = new Map<string, EncodedStatement>();
const encoder = createEncoder(shareEncoder(parts, 1), 0);
for (let start = 0; start < texts.length; start += BATCH) {
  const batch = texts.slice(start, start + BATCH);
  for (const [index, { vector }] of encoder.encode(batch, 'en').entries()) {
    const text = batch[index] ?? '';
    encoded.set(text, {
      statement: readStatement(text, 'en', parts.gloss),
      vector: vector ?? new Float32Array(512),
    });
  }
}
const read = (text: string): EncodedStatement => {
  const found = encoded.get(text);
  if (found === undefined) throw new Error(`not encoded: ${text}`);
  return found;
};

/** Rows that share a claim or a sentence are one group, so that no text stands on both sides of a split. */
function groups(): (text: string) => string {
  const parent = new Map<string, string>();
  const root = (text: string): string => {
    let at = text;
    for (let up = parent.get(at); up !== undefined && up !== at; up = parent.get(at)) at = up;
    return at;
  };
  for (const { claim, sentences } of rows) {
    for (const sentence of sentences) {
      const [one, other] = [root(claim), root(sentence)];
      if (one !== other) parent.set(other, one);
    }
  }
  return root;
}
const groupOf = groups();

interface Example {
  readonly features: Float32Array;
  /** 0 supports, 1 refutes, 2 neither. */
  readonly stance: number;
  readonly group: string;
  readonly source: string;
}

/** Evidence of another group that shares most words with a claim: about something like it, and decides nothing. */
function unrelated(): (row: (typeof rows)[number], rank: number) => (typeof rows)[number] | undefined {
  const byStem = new Map<string, number[]>();
  for (const [index, { sentences }] of rows.entries()) {
    const stems = sentences
      .slice(0, 3)
      .flatMap((text) => read(text).statement.words.flatMap((word) => word.stems));
    for (const stem of new Set(stems)) {
      const list = byStem.get(stem) ?? [];
      if (list.length < MOST_ROWS) list.push(index);
      byStem.set(stem, list);
    }
  }
  return ({ claim }, rank) => {
    const scores = new Map<number, number>();
    for (const stem of read(claim).statement.words.flatMap((word) => word.stems)) {
      const list = byStem.get(stem) ?? [];
      for (const index of list) scores.set(index, (scores.get(index) ?? 0) + 1 / Math.log(2 + list.length));
    }
    const others = [...scores].filter(([index]) => groupOf(rows[index]?.claim ?? '') !== groupOf(claim));
    const found = others.sort(([, one], [, other]) => other - one)[rank]?.[0];
    return found === undefined ? undefined : rows[found];
  };
}

const findUnrelated = unrelated();
const examples = rows.flatMap((row, index): Example[] => {
  const { claim, sentences, label, source } = row;
  const made = { group: groupOf(claim), source };
  const features = (passage: readonly string[]) => stanceFeatures(read(claim), passage.map(read), relations);
  const own = { ...made, features: features(sentences), stance: label === 'SUPPORTS' ? 0 : 1 };
  const other = index % 2 === 0 ? findUnrelated(row, index % 4 === 0 ? 0 : 1) : undefined;
  return other === undefined ? [own] : [own, { ...made, features: features(other.sentences), stance: 2 }];
});

interface Fitted {
  readonly mean: Float64Array;
  readonly deviation: Float64Array;
  readonly weights: readonly Float64Array[];
  readonly bias: Float64Array;
}

function standardise(part: readonly Example[]): Pick<Fitted, 'mean' | 'deviation'> {
  const [mean, deviation] = [new Float64Array(STANCE_FEATURES), new Float64Array(STANCE_FEATURES)];
  for (const { features } of part)
    for (const [index, value] of features.entries()) mean[index] = (mean[index] ?? 0) + value / part.length;
  for (const { features } of part)
    for (const [index, value] of features.entries())
      deviation[index] = (deviation[index] ?? 0) + (value - (mean[index] ?? 0)) ** 2 / part.length;
  return { mean, deviation: deviation.map((value) => Math.sqrt(value) || 1) };
}

function probabilities(
  { mean, deviation, weights, bias }: Fitted,
  features: Float32Array,
  temperature = 1,
): number[] {
  const scores = weights.map((row, stance) => {
    let sum = bias[stance] ?? 0;
    for (let index = 0; index < row.length; index++)
      sum += ((row[index] ?? 0) * ((features[index] ?? 0) - (mean[index] ?? 0))) / (deviation[index] ?? 1);
    return sum / temperature;
  });
  const highest = Math.max(...scores);
  const powers = scores.map((score) => Math.exp(score - highest));
  const whole = powers.reduce((sum, value) => sum + value, 0);
  return powers.map((value) => value / whole);
}

function step(fitted: Fitted, squares: readonly Float64Array[], example: Example, rate: number): void {
  const { mean, deviation, weights, bias } = fitted;
  const guess = probabilities(fitted, example.features);
  for (let stance = 0; stance < CLASSES; stance++) {
    const error = (guess[stance] ?? 0) - (example.stance === stance ? 1 : 0);
    const [row, sums] = [weights[stance], squares[stance]];
    bias[stance] = (bias[stance] ?? 0) - training.biasRate * error;
    if (row === undefined || sums === undefined) continue;
    for (let index = 0; index < row.length; index++) {
      const value = ((example.features[index] ?? 0) - (mean[index] ?? 0)) / (deviation[index] ?? 1);
      const slope = error * value + training.l2 * (row[index] ?? 0);
      sums[index] = (sums[index] ?? 0) + slope * slope;
      row[index] = (row[index] ?? 0) - (rate * slope) / Math.sqrt(sums[index] ?? 1);
    }
  }
}

/** Softmax regression by AdaGrad. */
function fit(part: readonly Example[]): Fitted {
  const make = (fill: number) =>
    Array.from({ length: CLASSES }, () => new Float64Array(STANCE_FEATURES).fill(fill));
  const fitted: Fitted = { ...standardise(part), weights: make(0), bias: new Float64Array(CLASSES) };
  const squares = make(1e-4);
  const next = randomStream(training.seed);
  const order = [...part];
  for (let epoch = 0; epoch < training.epochs; epoch++) {
    for (let index = order.length - 1; index > 0; index--) {
      const other = Math.floor(next() * (index + 1));
      const [one, two] = [order[index], order[other]];
      if (one === undefined || two === undefined) continue;
      [order[index], order[other]] = [two, one];
    }
    for (const example of order)
      step(fitted, squares, example, training.rate * (1 - epoch / (training.epochs + 1)));
  }
  return fitted;
}

const foldOf = ({ group }: Example) => (hashText(group, 5) >>> 8) % training.folds;
const scored = Array.from({ length: training.folds }, (_, fold) => fold).flatMap((fold) => {
  const fitted = fit(examples.filter((example) => foldOf(example) !== fold));
  return examples
    .filter((example) => foldOf(example) === fold)
    .map((example) => ({ ...example, fitted, guess: probabilities(fitted, example.features) }));
});

/** The temperature at which the cross-validated probabilities are likeliest. */
function bestTemperature(): number {
  const loss = (temperature: number) =>
    scored.reduce((sum, { fitted, features, stance }) => {
      return sum - Math.log(Math.max(1e-9, probabilities(fitted, features, temperature)[stance] ?? 0));
    }, 0);
  const tried = [0.7, 0.8, 0.9, 1, 1.1, 1.2, 1.35, 1.5].map((value) => ({ value, loss: loss(value) }));
  return tried.sort((one, other) => one.loss - other.loss)[0]?.value ?? 1;
}
const temperature = bestTemperature();
const judged = scored.map((one) => ({ ...one, guess: probabilities(one.fitted, one.features, temperature) }));

const measured = [...new Set(rows.map((row) => row.source))].flatMap((source) => {
  const part = judged.filter((one) => one.source === source && one.stance < 2);
  const right = part.map(({ guess, stance, group }) => ({
    right: (guess[0] ?? 0) >= (guess[1] ?? 0) === (stance === 0),
    group,
  }));
  return figuresOf(`en, ${source}`, right, {
    accuracy: {
      of: (some) => some.filter((one) => one.right).length / some.length,
      baseline: { name: 'chance', value: 0.5 },
    },
  });
});
const report = { figures: measured, notes: [] };
console.log(tableOf([{ task: 'claim_evidence', report }]));
recordFigures({
  task: 'claim_evidence',
  split: 'five folds, pairs that share a claim or a sentence in one',
  figures: measured,
});
for (const threshold of [0.6, 0.7, 0.75, 0.8, 0.85, 0.9]) {
  const calledFrom = (stance: number) => judged.filter(({ guess }) => (guess[stance] ?? 0) >= threshold);
  const share = (list: typeof judged, of: number, stance: number) =>
    (
      list.filter((one) => one.stance === of).length / judged.filter((one) => one.stance === of).length
    ).toFixed(4) + (stance === of ? ' found' : ' wrong');
  for (const [name, stance] of [
    ['supports', 0],
    ['refutes', 1],
  ] as const)
    console.log(threshold, name, [0, 1, 2].map((of) => share(calledFrom(stance), of, stance)).join(', '));
}
// How often a probability of 0.8 to 0.9 is right, and so on.
for (let low = 0.4; low < 1; low += 0.1) {
  const bin = judged
    .flatMap(({ guess, stance }) => guess.map((value, index) => ({ value, right: index === stance })))
    .filter(({ value }) => value >= low && value < low + 0.1);
  console.log(
    `probability ${low.toFixed(1)}: ${bin.length}, right ${(bin.filter(({ right }) => right).length / bin.length).toFixed(3)}`,
  );
}

/** Every probability that is said of an example, and whether it was true. */
const said = (part: typeof judged): Scored[] =>
  part.flatMap(({ guess, stance, group }) =>
    guess.map((score, index) => ({ score, truth: index === stance, group })),
  );
/** The probability of the stance that is called, and whether it was the right one. */
const called = (part: typeof judged): Scored[] =>
  part.map(({ guess, stance, group }) => {
    const score = Math.max(...guess);
    return { score, truth: guess.indexOf(score) === stance, group };
  });
/** Expected calibration error in ten bins, with its 95 % interval by drawing groups. */
const errorOf = (part: readonly Scored[]) => {
  const [low, high] = bootstrapInterval(part, calibrationError);
  return `${calibrationError(part).toFixed(3)} (${low.toFixed(3)} to ${high.toFixed(3)})`;
};
for (const source of [undefined, ...new Set(rows.map((row) => row.source))]) {
  const part = judged.filter((one) => source === undefined || one.source === source);
  console.log(
    `calibration error, ${source ?? 'all'}, ${part.length}: called ${errorOf(called(part))}, all three ${errorOf(said(part))}`,
  );
}
writeFileSync(
  packageFile('models', 'stance.svg'),
  reliabilityDiagram('The stance that is called', called(judged)),
);

const { mean, deviation, weights, bias } = fit(examples);
const short = (values: Float64Array) => [...values].map((value) => Number(value.toPrecision(5)));
const model = {
  version: '1',
  mean: short(mean),
  deviation: short(deviation),
  weights: weights.map(short),
  bias: short(bias),
  temperature,
};
writeFileSync(packageFile('models', 'stance-weights.json'), `${JSON.stringify(model)}\n`);
console.log({ temperature, rows: rows.length, examples: examples.length });
