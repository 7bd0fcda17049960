/** Scores of a sentence: one for each word and tag, one for each step from tag to tag, one for each first tag. */
export interface TagChainScores {
  readonly length: number;
  readonly tags: number;
  /** `words[word * tags + tag]` */
  readonly words: Float64Array;
  /** `steps[from * tags + to]` */
  readonly steps: Float64Array;
  readonly first: Float64Array;
}

/** ln of the sum of exp(values). */
function logSum(values: Float64Array): number {
  let highest = Number.NEGATIVE_INFINITY;
  for (const value of values) if (value > highest) highest = value;
  if (highest === Number.NEGATIVE_INFINITY) return highest;
  let sum = 0;
  for (const value of values) sum += Math.exp(value - highest);
  return highest + Math.log(sum);
}

/** The likeliest row of tags (Viterbi). */
export function bestTags({ length, tags, words, steps, first }: TagChainScores): Uint8Array {
  const best = new Uint8Array(length);
  if (length === 0) return best;
  const before = new Uint8Array(length * tags);
  let scores = Float64Array.from({ length: tags }, (_, tag) => (first[tag] ?? 0) + (words[tag] ?? 0));
  for (let word = 1; word < length; word++) {
    const next = new Float64Array(tags);
    for (let tag = 0; tag < tags; tag++) {
      let [chosen, highest] = [0, Number.NEGATIVE_INFINITY];
      for (let from = 0; from < tags; from++) {
        const score = (scores[from] as number) + (steps[from * tags + tag] as number);
        if (score > highest) [chosen, highest] = [from, score];
      }
      before[word * tags + tag] = chosen;
      next[tag] = highest + (words[word * tags + tag] as number);
    }
    scores = next;
  }
  best[length - 1] = scores.indexOf(Math.max(...scores));
  for (let word = length - 1; word > 0; word--)
    best[word - 1] = before[word * tags + (best[word] as number)] as number;
  return best;
}

/** Sums over all rows of tags (forward and backward), in logarithms; NaN never stands in them. */
export interface ChainSums {
  readonly total: number;
  /** Up to and with a word, by its tag. */
  readonly forward: Float64Array;
  /** Behind a word, by its tag. */
  readonly backward: Float64Array;
}

/** The sums of a sentence. */
export function chainSums({ length, tags, words, steps, first }: TagChainScores): ChainSums {
  const forward = new Float64Array(length * tags);
  const backward = new Float64Array(length * tags);
  const row = new Float64Array(tags);
  for (let word = 0; word < length; word++) {
    for (let tag = 0; tag < tags; tag++) {
      const own = words[word * tags + tag] as number;
      for (let from = 0; from < tags && word > 0; from++)
        row[from] = (forward[(word - 1) * tags + from] as number) + (steps[from * tags + tag] as number);
      forward[word * tags + tag] = own + (word === 0 ? (first[tag] as number) : logSum(row));
    }
  }
  for (let word = length - 2; word >= 0; word--) {
    for (let tag = 0; tag < tags; tag++) {
      for (let to = 0; to < tags; to++)
        row[to] =
          (steps[tag * tags + to] as number) +
          (words[(word + 1) * tags + to] as number) +
          (backward[(word + 1) * tags + to] as number);
      backward[word * tags + tag] = logSum(row);
    }
  }
  const total = length === 0 ? 0 : logSum(forward.subarray((length - 1) * tags));
  return { total, forward, backward };
}

/** Chance that the words from `start` to `end` (without it) have exactly these tags. */
export function runChance(
  scores: TagChainScores,
  sums: ChainSums,
  start: number,
  run: ArrayLike<number>,
  endings: (tag: number) => boolean,
): number {
  const { tags, words, steps, length } = scores;
  let sum = sums.forward[start * tags + (run[0] as number)] as number;
  for (let at = 1; at < run.length; at++) {
    const tag = run[at] as number;
    sum +=
      (steps[(run[at - 1] as number) * tags + tag] as number) + (words[(start + at) * tags + tag] as number);
  }
  const last = run[run.length - 1] as number;
  const end = start + run.length;
  if (end >= length) return Math.exp(sum - sums.total);
  // Only rows in which the run ends here: the next word must have a tag that does not carry it on.
  const next = Float64Array.from({ length: tags }, (_, to) =>
    endings(to)
      ? (steps[last * tags + to] as number) +
        (words[end * tags + to] as number) +
        (sums.backward[end * tags + to] as number)
      : Number.NEGATIVE_INFINITY,
  );
  return Math.exp(sum + logSum(next) - sums.total);
}
