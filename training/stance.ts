/**
 * Trains and scores the model that tells whether a passage supports or refutes a claim: models/stance-weights.json.
 * Usage: tsx training/stance.ts [data folder, default ../shared/data]
 */
import { writeFileSync } from 'node:fs';
import { packageFile } from '../src/foundation/files.ts';
import { STANCE_FEATURES, stanceFeatures } from '../src/services/analysis/engines/stance/features.ts';
import { reliabilityDiagram } from './diffuse/reliability.ts';
import { figuresOf } from './evaluate/figures.ts';
import { recordFigures } from './evaluate/recorded.ts';
import { tableOf } from './evaluate/table.ts';
import { areaUnderCurve, bootstrapInterval, calibrationError, type Scored } from './metrics.ts';
import { DATA_FOLDER, randomStream } from './rows.ts';
import { FOLDS, foldOf, type Pair, stancePairs } from './stance/examples.ts';

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

const measured = sources.flatMap((source) => {
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
for (const threshold of [0.6, 0.7, 0.75, 0.78, 0.8, 0.85, 0.88, 0.9]) {
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
/**
 * How well refutes against supports tells, over evidence that has nothing to do with a claim, whether the claim is one that its writer
 * made false: 0.5 where the wording of the claim alone decides nothing.
 */
const seenInTheClaim = judged
  .filter(({ stance }) => stance === 2)
  .map(({ guess, claimStance, group }) => ({
    score: Math.log((guess[1] ?? 0) / (guess[0] ?? 1)),
    truth: claimStance === 1,
    group,
  }));
console.log(`seen in the claim alone, AUC: ${areaUnderCurve(seenInTheClaim).toFixed(3)}`);
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
for (const source of [undefined, ...sources]) {
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
console.log({ temperature, examples: examples.length });
