/**
 * Trains and scores the model that tells whether a passage supports or refutes a claim: models/stance-weights.json.
 * Usage: tsx training/stance.ts [data folder, default ../shared/data]
 */
import { writeFileSync } from 'node:fs';
import { packageFile } from '../src/foundation/files.ts';
import {
  confidenceFactor,
  confidenceInputs,
  scaleConfidence,
} from '../src/services/analysis/engines/stance/confidence-scaling.ts';
import { stanceFeatures } from '../src/services/analysis/engines/stance/features.ts';
import { plainProbabilities } from '../src/services/analysis/engines/stance/model.ts';
import type { BoostedTrees } from '../src/text/boosted-trees.ts';
import { binRows, trainTrees } from './boosting.ts';
import { DATA_FOLDER } from './rows.ts';
import { FOLDS, foldOf, type Pair, stancePairs } from './stance/examples.ts';
import { type Featured, fitRegression } from './stance/regression.ts';
import { reportDistant, reportStances } from './stance/report.ts';
import { withSureness } from './stance/sureness.ts';

const BOOSTING = {
  trees: 160,
  leaves: 12,
  rate: 0.08,
  leastHessian: 8,
  l2: 10,
  rowShare: 0.7,
  columnShare: 0.4,
  seed: 5,
} as const;

const { pairs, distant, sources, tables, read } = stancePairs(process.argv[2] ?? DATA_FOLDER);
const featured = (pair: Pair) => {
  const [claim, passage] = [read(pair.claim), pair.sentences.map(read)];
  const features = stanceFeatures(claim, passage, tables);
  return { ...pair, features, inputs: confidenceInputs(features, claim, passage) };
};
const examples = pairs.map(featured);
const others = distant.map(featured);

/** Nine digits keep a bound as it is; the values of leaves need fewer. */
const shortened = (trees: BoostedTrees): BoostedTrees => ({
  ...trees,
  thresholds: trees.thresholds.map((each, at) => Number(each.toPrecision(trees.features[at] === -1 ? 4 : 9))),
});

function fitTrees(part: readonly Featured[], isTarget: (stance: number) => boolean): BoostedTrees {
  const targets = Float32Array.from(part, ({ stance }) => (isTarget(stance) ? 1 : 0));
  const weights = new Float32Array(part.length).fill(1);
  return shortened(trainTrees(binRows(part.map(({ features }) => features)), targets, weights, BOOSTING));
}

const fit = (part: readonly Featured[]) => ({
  ...fitRegression(part),
  neither: fitTrees(part, (stance) => stance === 2),
  refutes: fitTrees(
    part.filter(({ stance }) => stance < 2),
    (stance) => stance === 1,
  ),
});

const judgedApart = Array.from({ length: FOLDS }, (_, fold) => {
  const fitted = fit([...examples, ...others].filter((example) => foldOf(example) !== fold));
  const judge = (part: typeof examples) =>
    part
      .filter((example) => foldOf(example) === fold)
      .map((example) => ({ ...example, guess: plainProbabilities(fitted, example.features) }));
  return { near: judge(examples), far: judge(others) };
});
const scored = judgedApart.flatMap(({ near }) => near);

/** The temperature at which the cross-validated probabilities are likeliest. */
function bestTemperature(): number {
  const loss = (temperature: number) =>
    scored.reduce((sum, { guess, stance }) => {
      return sum - Math.log(Math.max(1e-9, scaleConfidence(guess, 1 / temperature)[stance] ?? 0));
    }, 0);
  const tried = [0.6, 0.7, 0.8, 0.9, 1, 1.1, 1.2, 1.35, 1.5].map((value) => ({ value, loss: loss(value) }));
  return tried.sort((one, other) => one.loss - other.loss)[0]?.value ?? 1;
}
const temperature = bestTemperature();
const softened = (rows: typeof scored) =>
  rows.map((one) => ({ ...one, guess: scaleConfidence(one.guess, 1 / temperature) }));
const judged = softened(scored);

const { mean, deviation, weights, bias, neither, refutes } = fit([...examples, ...others]);
const { sureness, sure } = withSureness(judged);
reportStances(sure, sources);
const far = softened(judgedApart.flatMap((one) => one.far)).map((one) => ({
  ...one,
  guess: scaleConfidence(one.guess, confidenceFactor(sureness, one.inputs)),
}));
reportDistant(far);

const short = (values: Float64Array) => [...values].map((value) => Number(value.toPrecision(5)));
const model = {
  version: '3',
  mean: short(mean),
  deviation: short(deviation),
  weights: weights.map(short),
  bias: short(bias),
  neither,
  refutes,
  temperature,
  sureness,
};
writeFileSync(packageFile('models', 'stance-weights.json'), `${JSON.stringify(model)}\n`);
console.log({ temperature, examples: examples.length });
