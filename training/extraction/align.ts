/** Words as the benchmarks count them, in lower case. */
export const tokensOf = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [];

/** Cost of beginning a run of matches: whole passages are matched before scattered words. */
const RUN_COST = 0.6;
/** Largest table of the alignment; larger pages are matched by runs of words alone. */
const MOST_CELLS = 40_000_000;
/** Score of a run that does not end here. */
const IMPOSSIBLE = -1e9;
/** Words of a run, and least share of them in the gold text for a line that stands out of order. */
const [RUN, OUT_OF_ORDER] = [4, 0.7];

/** For each line, the share of its words that belongs to the gold text: in order by alignment, or anywhere by long runs. */
export function goldShares(lines: readonly string[], gold: string): number[] {
  const words = lines.map(tokensOf);
  const goldWords = tokensOf(gold);
  const inOrder = aligned(words.flat(), goldWords);
  const runs = new Set(runsOf(goldWords));
  let place = 0;
  return words.map((line) => {
    const matched = inOrder?.subarray(place, place + line.length).reduce((sum, each) => sum + each, 0) ?? 0;
    place += line.length;
    if (line.length === 0) return 0;
    const own = runsOf(line);
    const found = own.filter((run) => runs.has(run)).length / Math.max(1, own.length);
    const anywhere = line.length >= 2 * RUN && found >= OUT_OF_ORDER ? found : 0;
    return Math.max(matched / line.length, anywhere);
  });
}

function runsOf(words: readonly string[]): string[] {
  const runs: string[] = [];
  for (let at = 0; at + RUN <= words.length; at++) runs.push(words.slice(at, at + RUN).join(' '));
  return runs;
}

/** Ones at the words that an optimal alignment with few runs matches; undefined when the texts are too long. */
function aligned(words: readonly string[], gold: readonly string[]): Uint8Array | undefined {
  const width = gold.length + 1;
  if (words.length * width > MOST_CELLS) return undefined;
  const numbers = new Map<string, number>();
  const number = (word: string) => {
    const known = numbers.get(word) ?? numbers.size;
    numbers.set(word, known);
    return known;
  };
  const goldNumbers = Int32Array.from(gold, number);
  const wordNumbers = Int32Array.from(words, number);
  // Bits of a step: 1 the gap came from the left, 2 it came from a match, 4 the match goes on with a run.
  const steps = new Uint8Array((words.length + 1) * width);
  let [gaps, runs] = [new Float32Array(width), new Float32Array(width).fill(IMPOSSIBLE)];
  let [nextGaps, nextRuns] = [new Float32Array(width), new Float32Array(width).fill(IMPOSSIBLE)];
  for (let row = 1; row <= words.length; row++) {
    const word = wordNumbers[row - 1];
    for (let at = 1; at < width; at++) {
      let step = 0;
      if (word === goldNumbers[at - 1]) {
        const [on, begun] = [runs[at - 1] as number, (gaps[at - 1] as number) - RUN_COST];
        nextRuns[at] = 1 + Math.max(on, begun);
        if (on >= begun) step |= 4;
      } else nextRuns[at] = IMPOSSIBLE;
      const [left, above] = [nextGaps[at - 1] as number, gaps[at] as number];
      let best = above;
      if (left > best) {
        best = left;
        step |= 1;
      }
      if ((nextRuns[at] as number) > best) {
        best = nextRuns[at] as number;
        step = (step & 4) | 2;
      }
      nextGaps[at] = best;
      steps[row * width + at] = step;
    }
    [gaps, nextGaps, runs, nextRuns] = [nextGaps, gaps, nextRuns, runs];
  }
  return traced(steps, words.length, width);
}

function traced(steps: Uint8Array, rows: number, width: number): Uint8Array {
  const matched = new Uint8Array(rows);
  let [row, at, isRun] = [rows, width - 1, false];
  while (row > 0 && at > 0) {
    const step = steps[row * width + at] as number;
    if (isRun || (step & 2) !== 0) {
      matched[row - 1] = 1;
      isRun = (step & 4) !== 0;
      row--;
      at--;
    } else if ((step & 1) !== 0) at--;
    else row--;
  }
  return matched;
}
