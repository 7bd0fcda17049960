/** Natural logarithm of the gamma function for positive values, to ten digits (Lanczos approximation, g = 7, nine terms). */
function logGamma(value: number): number {
  const terms = [
    0.99999999999980993, 676.5203681218851, -1259.1392167224028, 771.32342877765313, -176.61502916214059,
    12.507343278686905, -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7,
  ];
  const shifted = value - 1;
  const sum = terms.reduce(
    (total, term, index) => (index === 0 ? term : total + term / (shifted + index)),
    0,
  );
  const base = shifted + 7.5;
  return 0.5 * Math.log(2 * Math.PI) + (shifted + 0.5) * Math.log(base) - base + Math.log(sum);
}

/** Natural logarithm of the probability of at least `successes` in `trials` independent tries of a probability. */
export function logBinomialTail(successes: number, trials: number, probability: number): number {
  if (successes <= 0) return 0;
  if (successes > trials) return Number.NEGATIVE_INFINITY;
  const logTerm = (count: number) =>
    logGamma(trials + 1) -
    logGamma(count + 1) -
    logGamma(trials - count + 1) +
    count * Math.log(probability) +
    (trials - count) * Math.log1p(-probability);
  if (successes <= trials * probability) return 0;
  const first = logTerm(successes);
  let [sum, term] = [1, 1];
  // Beyond the mean each term is smaller than the one before by this ratio.
  for (let count = successes; count < trials && term > 1e-12; count += 1) {
    term *= ((trials - count) / (count + 1)) * (probability / (1 - probability));
    sum += term;
  }
  return first + Math.log(sum);
}
