/**
 * Errors in log-odds that all chances of a page may share: the errors of the model for the lines of one page mostly have the same
 * direction.
 */
const SHARED_ERRORS = [-2, 0, 2] as const;
const SMALLEST = 1e-6;

/**
 * The lines whose choice makes the expected F1 of the words largest, given the words of each line and its chance to be main
 * text: the likeliest lines down to the best bound, on average over the errors that chances share.
 */
export function likeliestLines(words: readonly number[], chances: Float32Array): boolean[] {
  const order = words.map((count, at) => ({ count, chance: chances[at] ?? 0 }));
  order.sort((a, b) => b.chance - a.chance);
  const scores = new Float64Array(order.length);
  for (const error of SHARED_ERRORS) {
    const shifted = order.map(({ chance }) => shift(chance, error));
    const wanted = order.reduce((sum, { count }, at) => sum + count * (shifted[at] ?? 0), 0);
    let [expectedMain, taken] = [0, 0];
    for (const [at, { count }] of order.entries()) {
      expectedMain += count * (shifted[at] ?? 0);
      taken += count;
      if (expectedMain > 0) scores[at] = (scores[at] ?? 0) + (2 * expectedMain) / (taken + wanted);
    }
  }
  let [best, bound] = [0, 1];
  for (const [at, score] of scores.entries()) {
    if (score <= best) continue;
    best = score;
    bound = order[at]?.chance ?? 1;
  }
  return words.map((_, at) => best > 0 && (chances[at] ?? 0) >= bound);
}

/** Moves a chance by log-odds; none stays none. */
function shift(chance: number, error: number): number {
  if (chance <= 0) return 0;
  const odds = Math.exp(error) * ((chance + SMALLEST) / (1 - chance + SMALLEST));
  return odds / (1 + odds);
}
