/** The logistic function 1 / (1 + exp(-x)): log-odds to a probability. */
export function sigmoid(x: number): number {
  return 1 / (1 + Math.exp(-x));
}

/** The inverse of the logistic function: a probability to log-odds. */
export const logit = (probability: number): number => Math.log(probability / (1 - probability));

/** The score of a linear model: the bias, and the sum of weight times input; an input without a weight does not count. */
export function linearScore(weights: readonly number[], inputs: ArrayLike<number>, bias = 0): number {
  let sum = bias;
  for (let index = 0; index < inputs.length; index++) sum += (inputs[index] ?? 0) * (weights[index] ?? 0);
  return sum;
}
