import { likeliestLines } from './likeliest-lines.ts';

/** A range of lines. */
export interface LineRange {
  readonly firstLine: number;
  readonly endLine: number;
}

/** The position of the lines of a page in its elements. */
export interface LineLayout {
  readonly words: readonly number[];
  /** For each line the elements around it that hold ever more lines, the innermost first. */
  readonly levels: ReadonlyArray<readonly LineRange[]>;
  /** For each line a number for its markup; lines with the same element names and classes have the same number. */
  readonly makes: readonly number[];
}

const LEVELS = 7;
const CORE_SHARES = [0.5, 0.8, 0.95] as const;
const NEIGHBOUR_OFFSETS = [-3, -2, -1, 1, 2, 3] as const;
/** Lines before and after that are searched for the likeliest one. */
const WINDOW = 10;
const LIKELY_CHANCE = 0.7;
const NO_LIKELY_LINE = 999;

/** Names of the features of the second stage, in the order of its row. */
export const SECOND_STAGE_FEATURES: readonly string[] = [
  'chance',
  ...Array.from({ length: LEVELS }, (_, level) => [`level ${level} others`, `level ${level} share`]).flat(),
  ...CORE_SHARES.map((share) => `core ${share}`),
  ...['branch share', 'branch chance', 'branch words', 'stepsToHalf', 'make others', 'make lines'],
  ...NEIGHBOUR_OFFSETS.map((step) => `neighbour ${step}`),
  ...['bestBefore', 'bestAfter', 'toLikelyBefore', 'toLikelyAfter', 'before', 'after', 'overBound'],
  ...['page expected', 'page share', 'page likely', 'page likelyShare', 'page bound'],
  ...['page core half', 'page core most', 'page core chance'],
];

/**
 * Features of the second stage: the chances of the first stage for the neighbours of a line, the blocks around it and lines with the same
 * markup. They separate an article from teasers of other articles, which look alike to the first stage. Rows are computed one by
 * one, since those of a page with many lines would take hundreds of megabytes.
 */
export function secondStageFeatures(
  layout: LineLayout,
  chances: Float32Array,
): (line: number) => Float32Array {
  const features = new SecondStageFeatures(layout, chances);
  return (line) => features.row(line);
}

/** The mean of a group without the line itself; -1 for a group of this line alone. */
const without = (sum: number, own: number, words: number, ownWords: number) =>
  words > ownWords ? (sum - own) / (words - ownWords) : -1;
const share = (part: number, whole: number) => (whole > 0 ? part / whole : 0);

class SecondStageFeatures {
  private readonly layout: LineLayout;
  private readonly chances: Float32Array;
  /** Words and expected words of the main text before each line. */
  private readonly words: Float64Array;
  private readonly expected: Float64Array;
  private readonly all: number;
  private readonly cores: readonly LineRange[];
  private readonly makes: ReadonlyMap<number, { words: number; expected: number; lines: number }>;
  private readonly toBefore: readonly number[];
  private readonly toAfter: readonly number[];
  private readonly bound: number;
  private readonly ofPage: readonly number[];

  constructor(layout: LineLayout, chances: Float32Array) {
    const count = chances.length;
    this.layout = layout;
    this.chances = chances;
    this.words = new Float64Array(count + 1);
    this.expected = new Float64Array(count + 1);
    const makes = new Map<number, { words: number; expected: number; lines: number }>();
    for (const [at, words] of layout.words.entries()) {
      const expected = words * this.chanceOf(at);
      this.words[at + 1] = this.wordsBefore(at) + words;
      this.expected[at + 1] = this.expectedBefore(at) + expected;
      const make = makes.get(layout.makes[at] ?? 0) ?? { words: 0, expected: 0, lines: 0 };
      make.words += words;
      make.expected += expected;
      make.lines++;
      makes.set(layout.makes[at] ?? 0, make);
    }
    this.makes = makes;
    this.all = Math.max(1e-9, this.expectedBefore(count));
    this.cores = this.findCores();
    this.toBefore = this.distances(1);
    this.toAfter = this.distances(-1);
    const chosen = likeliestLines(layout.words, chances);
    this.bound = chances.reduce(
      (least, chance, at) => (chosen[at] === true ? Math.min(least, chance) : least),
      1,
    );
    this.ofPage = this.measurePage();
  }

  row(at: number): Float32Array {
    const { chances, layout } = this;
    const [chance, words] = [this.chanceOf(at), layout.words[at] ?? 0];
    const levels = layout.levels[at] ?? [];
    const make = this.makes.get(layout.makes[at] ?? 0) ?? { words: 0, expected: 0, lines: 0 };
    const row = new Float32Array(SECOND_STAGE_FEATURES.length);
    let place = 0;
    const put = (...values: readonly number[]) => {
      for (const value of values) row[place++] = value;
    };
    put(chance);
    for (let level = 0; level < LEVELS; level++) {
      const range = levels[level] ?? levels.at(-1);
      const expected = this.expectedIn(range);
      put(without(expected, words * chance, this.wordsIn(range), words), expected / this.all);
    }
    for (const core of this.cores) put(at >= core.firstLine && at < core.endLine ? 1 : 0);
    put(...this.branch(levels));
    const half = levels.findIndex((range) => this.expectedIn(range) * 2 > this.all);
    put(
      half < 0 ? NO_LIKELY_LINE : half,
      without(make.expected, words * chance, make.words, words),
      make.lines,
    );
    for (const step of NEIGHBOUR_OFFSETS) put(chances[at + step] ?? -1);
    put(
      this.bestOf(at - WINDOW, at),
      this.bestOf(at + 1, at + 1 + WINDOW),
      this.toBefore[at] ?? NO_LIKELY_LINE,
      this.toAfter[at] ?? NO_LIKELY_LINE,
    );
    put(
      this.expectedBefore(at) / this.all,
      (this.all - this.expectedBefore(at + 1)) / this.all,
      chance - this.bound,
    );
    put(...this.ofPage);
    return row;
  }

  private chanceOf = (at: number) => this.chances[at] ?? 0;
  private wordsBefore = (at: number) => this.words[at] ?? 0;
  private expectedBefore = (at: number) => this.expected[at] ?? 0;
  private wordsIn = (range: LineRange | undefined) =>
    range === undefined ? 0 : this.wordsBefore(range.endLine) - this.wordsBefore(range.firstLine);
  private expectedIn = (range: LineRange | undefined) =>
    range === undefined ? 0 : this.expectedBefore(range.endLine) - this.expectedBefore(range.firstLine);

  /** The smallest elements that hold half, most and nearly all of the main text, as far as it is expected. */
  private findCores(): LineRange[] {
    const whole = { firstLine: 0, endLine: this.chances.length };
    const best = CORE_SHARES.map(() => whole);
    const seen = new Set<LineRange>();
    for (const levels of this.layout.levels) {
      for (const range of levels) {
        if (seen.has(range)) break;
        seen.add(range);
        const [expected, words] = [this.expectedIn(range), this.wordsIn(range)];
        for (const [at, least] of CORE_SHARES.entries())
          if (expected >= least * this.all && words < this.wordsIn(best[at])) best[at] = range;
      }
    }
    return best;
  }

  /** The part of the core that holds most of the main text in which a line stands. */
  private branch(levels: readonly LineRange[]): [number, number, number] {
    const core = this.cores[1];
    const inside = levels.filter(
      ({ firstLine, endLine }) =>
        core !== undefined &&
        firstLine >= core.firstLine &&
        endLine <= core.endLine &&
        endLine - firstLine < core.endLine - core.firstLine,
    );
    const branch = inside.at(-1);
    if (branch === undefined) return [-1, -1, -1];
    const [expected, words] = [this.expectedIn(branch), this.wordsIn(branch)];
    return [expected / this.all, share(expected, words), share(words, this.wordsBefore(this.chances.length))];
  }

  private bestOf(from: number, end: number): number {
    let best = -1;
    for (let at = Math.max(0, from); at < end && at < this.chances.length; at++)
      best = Math.max(best, this.chanceOf(at));
    return best;
  }

  /** Lines from each line to the nearest likely one before it, or after it; 0 for a likely line. */
  private distances(step: 1 | -1): number[] {
    const count = this.chances.length;
    const distances = new Array<number>(count).fill(NO_LIKELY_LINE);
    let distance = NO_LIKELY_LINE;
    for (let turn = 0; turn < count; turn++) {
      const at = step === 1 ? turn : count - 1 - turn;
      distance = this.chanceOf(at) > LIKELY_CHANCE ? 0 : Math.min(NO_LIKELY_LINE, distance + 1);
      distances[at] = distance;
    }
    return distances;
  }

  private measurePage(): number[] {
    const [half, most] = this.cores;
    const likely = this.chances.reduce((count, chance) => count + Number(chance > LIKELY_CHANCE), 0);
    const words = this.wordsBefore(this.chances.length);
    return [
      Math.log2(1 + this.all),
      share(this.all, words),
      likely,
      share(likely, this.chances.length),
      this.bound,
      share(this.wordsIn(half), words),
      share(this.wordsIn(most), words),
      share(this.expectedIn(most), this.wordsIn(most)),
    ];
  }
}
