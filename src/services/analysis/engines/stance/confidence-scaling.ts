/** Linear model on standardised features of a pair that scales its log-odds (a temperature per pair). */
export interface ConfidenceScaling {
  readonly places: readonly number[];
  readonly weights: readonly number[];
  readonly bias: number;
}

/** Bounds of the factor, for features far from those of the training rows. */
const [LEAST, MOST] = [0.4, 1.25];

/** The factor for the log-odds of a pair: below 1 where the model is overconfident, as with long passages that lack much of a claim. */
export function confidenceFactor(
  { places, weights, bias }: ConfidenceScaling,
  { mean, deviation }: { readonly mean: ArrayLike<number>; readonly deviation: ArrayLike<number> },
  features: ArrayLike<number>,
): number {
  const sum = places.reduce((total, place, index) => {
    const value = ((features[place] ?? 0) - (mean[place] ?? 0)) / (deviation[place] ?? 1);
    return total + value * (weights[index] ?? 0);
  }, bias);
  return Math.min(MOST, Math.max(LEAST, Math.exp(sum)));
}

/** Probabilities whose log-odds are multiplied by a factor; they add up to 1. */
export function scaleConfidence(probabilities: readonly number[], factor: number): number[] {
  const powers = probabilities.map((value) => Math.max(1e-9, value) ** factor);
  const whole = powers.reduce((sum, value) => sum + value, 0);
  return powers.map((value) => value / whole);
}
