/**
 * The lines whose choice makes the expected F1 of the words largest, given the words of each line and its chance to be main
 * text: the likeliest lines down to the best bound.
 */
export function likeliestLines(words: readonly number[], chances: Float32Array): boolean[] {
  const order = words.map((count, at) => ({ count, chance: chances[at] ?? 0 }));
  order.sort((a, b) => b.chance - a.chance);
  const wanted = order.reduce((sum, { count, chance }) => sum + count * chance, 0);
  let [found, taken, best, bound] = [0, 0, 0, 1];
  for (const { count, chance } of order) {
    found += count * chance;
    taken += count;
    const score = (2 * found) / (taken + wanted);
    if (score <= best) continue;
    best = score;
    bound = chance;
  }
  return words.map((_, at) => (chances[at] ?? 0) >= bound);
}
