/** The logistic function 1 / (1 + exp(-x)): log-odds to a probability. */
export function sigmoid(x: number): number {
  return 1 / (1 + Math.exp(-x));
}
