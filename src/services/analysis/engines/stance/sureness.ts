/** By which features of a pair, standardised, its probabilities are sharpened or softened. */
export interface Sureness {
  readonly places: readonly number[];
  readonly weights: readonly number[];
  readonly bias: number;
}

/** Features far from those of the training rows make a model neither much surer nor dumb. */
const [LEAST, MOST] = [0.4, 1.25];

/** The factor of the scores of a pair: below 1 where the model is surer than right, as with long passages that lack much of a claim. */
export function surenessOf(
  { places, weights, bias }: Sureness,
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
export function sharpened(probabilities: readonly number[], factor: number): number[] {
  const powers = probabilities.map((value) => Math.max(1e-9, value) ** factor);
  const whole = powers.reduce((sum, value) => sum + value, 0);
  return powers.map((value) => value / whole);
}
