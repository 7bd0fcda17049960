import type { EncodedStatement } from './features.ts';

/** Linear model on standardised inputs of a pair (`confidenceInputs`) that scales its log-odds (a temperature per pair). */
export interface ConfidenceScaling {
  readonly mean: readonly number[];
  readonly deviation: readonly number[];
  readonly weights: readonly number[];
  readonly bias: number;
}

type Words = Pick<EncodedStatement, 'words'>;

/** Numbers of `lengthsOf`. */
export const CONFIDENCE_LENGTHS = 4;
/** Up to so many words a claim is short. */
const SHORT_CLAIM = 9;

/** How long a claim and a passage are: words of the claim up to nine, those beyond, and logarithms of the words and sentences of the passage. */
function lengthsOf(claim: Words, passage: readonly Words[]): number[] {
  const words = claim.words.length;
  const wordCount = passage.reduce((sum, sentence) => sum + sentence.words.length, 0);
  return [
    Math.min(SHORT_CLAIM, words),
    Math.max(0, words - SHORT_CLAIM),
    Math.log1p(wordCount),
    Math.log1p(passage.length),
  ];
}

/** What tells how sure to be of a pair: its features, and how long both sides are. */
export const confidenceInputs = (
  features: ArrayLike<number>,
  claim: Words,
  passage: readonly Words[],
): number[] => [...Array.from(features), ...lengthsOf(claim, passage)];

/** Bounds of the factor, for inputs far from those of the training rows. */
const [LEAST, MOST] = [0.4, 1.25];

/** The factor for the log-odds of a pair: below 1 where the model is overconfident, as with long passages that lack much of a claim. */
export function confidenceFactor(
  { mean, deviation, weights, bias }: ConfidenceScaling,
  inputs: ArrayLike<number>,
): number {
  const sum = weights.reduce(
    (total, weight, at) =>
      total + (weight * ((inputs[at] ?? 0) - (mean[at] as number))) / (deviation[at] as number),
    bias,
  );
  return Math.min(MOST, Math.max(LEAST, Math.exp(sum)));
}

/** Probabilities whose log-odds are multiplied by a factor; they add up to 1. */
export function scaleConfidence(probabilities: readonly number[], factor: number): number[] {
  const powers = probabilities.map((value) => Math.max(1e-9, value) ** factor);
  const whole = powers.reduce((sum, value) => sum + value, 0);
  return powers.map((value) => value / whole);
}
