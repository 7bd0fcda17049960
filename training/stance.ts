/**
 * Trains and scores the model that tells whether a passage supports or refutes a claim: models/stance-weights.json.
 * Usage: tsx training/stance.ts [data folder, default ../shared/data]
 */
import { writeFileSync } from 'node:fs';
import { packageFile } from '../src/foundation/files.ts';
import { STANCE_FEATURES, stanceFeatures } from '../src/services/analysis/engines/stance/features.ts';
import { DATA_FOLDER, randomStream } from './rows.ts';
import { FOLDS, foldOf, type Pair, stancePairs } from './stance/examples.ts';
import { reportStances } from './stance/report.ts';
import { withSureness } from './stance/sureness.ts';

const training = { epochs: 4, rate: 0.01, l2: 1e-2, biasRate: 0.002, seed: 3 } as const;
const CLASSES = 3;

type Example = Pair & { readonly features: Float32Array };

const { pairs, sources, relations, read } = stancePairs(process.argv[2] ?? DATA_FOLDER);
const examples = pairs.map(
  (pair): Example => ({
    ...pair,
    features: stanceFeatures(read(pair.claim), pair.sentences.map(read), relations),
  }),
);

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

const scored = Array.from({ length: FOLDS }, (_, fold) => fold).flatMap((fold) => {
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

const { mean, deviation, weights, bias } = fit(examples);
const { sureness, sure } = withSureness(judged, { mean, deviation });
reportStances(sure, sources);

const short = (values: Float64Array) => [...values].map((value) => Number(value.toPrecision(5)));
const model = {
  version: '1',
  mean: short(mean),
  deviation: short(deviation),
  weights: weights.map(short),
  bias: short(bias),
  temperature,
  sureness,
};
writeFileSync(packageFile('models', 'stance-weights.json'), `${JSON.stringify(model)}\n`);
console.log({ temperature, examples: examples.length });
