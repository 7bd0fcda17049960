/** What the parts of a text classifier are fitted with. */

import { FeatureHasher, type Features } from '../../src/text/features.ts';
import { softmax } from '../../src/text/linear.ts';
import { sigmoid } from '../../src/text/logistic.ts';
import { type CharacterRuns, textFeatures } from '../../src/text/text-classifier.ts';
import { type DenseModel, denseScore, trainDenseModel } from '../diffuse/dense.ts';
import { type Example, rawMargins, type TrainedWeights, trainLinear } from '../logistic.ts';
import type { TextPlan } from './plans.ts';
import { trainRatioMachines } from './ratios.ts';

/** A row as the parts read it. */
export interface TextExample {
  readonly text: string;
  readonly features: Features;
  readonly vector: Float32Array;
  readonly targets: Float32Array;
  readonly group: string;
}

/** Reads a text for training. */
export function exampleOf(
  hasher: FeatureHasher,
  text: string,
  vector: Float32Array,
  targets: readonly number[],
  group: string,
  characters?: CharacterRuns,
): TextExample {
  return {
    text,
    features: textFeatures(hasher, text, characters),
    vector,
    targets: Float32Array.from(targets),
    group,
  };
}

/** The two parts before they are mixed. */
export interface FittedParts {
  readonly words: TrainedWeights;
  readonly vector: DenseModel;
}

const vectorRecipe = { epochs: 6, rate: 0.04, decay: 3e-4 } as const;

const recipeOf = ({ bits, link, epochs, rate, l2 }: TextPlan) => ({ bits, link, epochs, rate, l2 });

/** Fits the words and the vectors of examples, each by itself. */
export function fitParts(plan: TextPlan, examples: readonly TextExample[]): FittedParts {
  const labels = plan.labels.length;
  const rows = examples.map(({ features, targets }): Example => ({ features, targets, weight: 1 }));
  const words =
    plan.ratios === undefined
      ? trainLinear(rows, { ...recipeOf(plan), labels, seed: 3 })
      : trainRatioMachines(rows, { labels, bits: plan.bits }, { ...plan.ratios, seed: 3 });
  const vector = trainDenseModel({
    count: examples.length,
    width: examples[0]?.vector.length ?? 0,
    row: (index, out) => out.set(examples[index]?.vector ?? []),
    targets: examples.map(({ targets }) => targets),
    outputs: labels,
    link: plan.link,
    ...(plan.vectors ?? vectorRecipe),
  });
  return { words, vector };
}

/** Scores of both parts for an example. */
export interface PartScores {
  readonly own: Float64Array;
  readonly encoder: Float64Array;
}

/** Scores of the parts before they are mixed. */
export function partScores(plan: TextPlan, { words, vector }: FittedParts, example: TextExample): PartScores {
  return {
    own: rawMargins(words, example.features, plan.labels.length),
    encoder: Float64Array.from(plan.labels, (_, label) => denseScore(vector, label, example.vector)),
  };
}

/** Shares of the two parts, and a bias, label by label. */
export interface Mix {
  readonly own: number[];
  readonly encoder: number[];
  readonly bias: number[];
}

const ROUNDS = 400;
const PACE = 0.5;
/** Pull of the shares towards half of each part: small sets say little about them. */
const PULL = 1e-3;

/** Fits shares on examples that the parts had not seen; without the encoder where `withVector` is false. */
export function fitMix(
  plan: TextPlan,
  scored: readonly PartScores[],
  examples: readonly TextExample[],
  withVector: boolean,
): Mix {
  const labels = plan.labels.length;
  const start = withVector ? 0.5 : 1;
  const mix: Mix = {
    own: new Array<number>(labels).fill(start),
    encoder: new Array<number>(labels).fill(withVector ? 0.5 : 0),
    bias: new Array<number>(labels).fill(0),
  };
  const squares = new Float64Array(3 * labels).fill(1e-4);
  for (let round = 0; round < ROUNDS; round++) {
    const slope = slopesOf(plan, mix, scored, examples);
    // The labels of one choice share their scale, or the likeliest ones would be sharpened alone.
    if (plan.link === 'softmax') shareScale(slope, labels);
    for (let label = 0; label < labels; label++) {
      const pulled = [
        (slope[label] ?? 0) + PULL * ((mix.own[label] ?? 0) - start),
        withVector ? (slope[labels + label] ?? 0) + PULL * ((mix.encoder[label] ?? 0) - start) : 0,
        slope[2 * labels + label] ?? 0,
      ];
      [mix.own, mix.encoder, mix.bias].forEach((list, part) => {
        const at = part * labels + label;
        const gradient = pulled[part] ?? 0;
        const square = 0.95 * (squares[at] ?? 0) + 0.05 * gradient * gradient;
        squares[at] = square;
        const pace = (PACE * 0.1) / (1 + round / 60);
        list[label] = (list[label] ?? 0) - (pace * gradient) / Math.sqrt(square + 1e-8);
      });
    }
  }
  return mix;
}

function shareScale(slope: Float64Array, labels: number): void {
  for (const from of [0, labels]) {
    const part = slope.subarray(from, from + labels);
    part.fill(part.reduce((sum, value) => sum + value, 0) / labels);
  }
}

/** Mean slope of the loss by own, encoder and bias of each label. */
function slopesOf(
  plan: TextPlan,
  mix: Mix,
  scored: readonly PartScores[],
  examples: readonly TextExample[],
): Float64Array {
  const labels = plan.labels.length;
  const slope = new Float64Array(3 * labels);
  scored.forEach((scores, index) => {
    const shares = mixedShares(plan, mix, scores);
    for (let label = 0; label < labels; label++) {
      const target = examples[index]?.targets[label] ?? 0;
      if (Number.isNaN(target)) continue;
      const error = ((shares[label] ?? 0) - target) / scored.length;
      slope[label] = (slope[label] ?? 0) + error * (scores.own[label] ?? 0);
      slope[labels + label] = (slope[labels + label] ?? 0) + error * (scores.encoder[label] ?? 0);
      slope[2 * labels + label] = (slope[2 * labels + label] ?? 0) + error;
    }
  });
  return slope;
}

/** Probabilities of a mix. */
export function mixedShares({ link }: Pick<TextPlan, 'link'>, mix: Mix, scores: PartScores): Float64Array {
  const sums = scores.own.map(
    (own, label) =>
      (mix.own[label] ?? 0) * own +
      (mix.encoder[label] ?? 0) * (scores.encoder[label] ?? 0) +
      (mix.bias[label] ?? 0),
  );
  return link === 'softmax' ? softmax(sums, 1) : sums.map(sigmoid);
}

/** The threshold of each label with the highest F1 on examples that the parts had not seen. */
export function bestThresholds(
  plan: TextPlan,
  shares: readonly Float64Array[],
  examples: readonly TextExample[],
): Record<string, number> {
  return Object.fromEntries(
    plan.labels.map((name, label) => {
      const rows = examples
        .map(({ targets }, index) => ({
          score: shares[index]?.[label] ?? 0,
          target: targets[label] ?? Number.NaN,
        }))
        .filter(({ target }) => !Number.isNaN(target))
        .sort((one, other) => other.score - one.score);
      const all = rows.filter(({ target }) => target === 1).length;
      let [hits, best, threshold] = [0, -1, 0.5];
      rows.forEach(({ score, target }, index) => {
        hits += target;
        const f1 = (2 * hits) / (index + 1 + all);
        if (f1 > best) [best, threshold] = [f1, score];
      });
      return [name, threshold];
    }),
  );
}

/** A hasher for a plan. */
export const hasherOf = ({ bits }: TextPlan) => new FeatureHasher(bits);
