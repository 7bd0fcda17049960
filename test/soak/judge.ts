/** A quantity that was looked at again and again; `at` is in seconds, or in whatever else it may grow with. */
export type Series = readonly { readonly at: number; readonly value: number }[];

/** What a series shows. */
export interface Judgement {
  /** Whether it no longer grows; null when there is too little to tell. */
  readonly level: boolean | null;
  /** Median of the middle third and of the last third; null when there is too little to tell. */
  readonly middle: number | null;
  readonly last: number;
  /** Growth for each unit of `at`, over the last two thirds: the median of the slopes between all pairs (Theil-Sen). */
  readonly slope: number;
}

/** Looks below which the noise is larger than what is asked for. */
const LEAST = 24;

function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[sorted.length >> 1] ?? Number.NaN;
}

function slopeOf(series: Series): number {
  const slopes = series.flatMap((one, index) =>
    series.slice(index + 1).flatMap((other) => {
      const run = other.at - one.at;
      return run > 0 ? [(other.value - one.value) / run] : [];
    }),
  );
  return slopes.length === 0 ? 0 : median(slopes);
}

/** The middle and the last third; a series that is too short has its last look and no middle. */
function thirds(series: Series): { middle: Series; last: Series; enough: boolean } {
  if (series.length < LEAST) return { middle: [], last: series.slice(-1), enough: false };
  const size = Math.floor(series.length / 3);
  return { middle: series.slice(size, -size), last: series.slice(-size), enough: true };
}

/**
 * Whether a quantity levels off: after the first third, in which pools and caches fill, it must neither stand higher in the last
 * third than in the middle one by more than `tolerance` (a share), nor rise as fast as would make it so.
 */
export function judgeLevel(series: Series, tolerance: number): Judgement {
  const { middle, last, enough } = thirds(series);
  const values = (part: Series) => part.map(({ value }) => value);
  const [before, after] = [median(values(middle)), median(values(last))];
  if (!enough) return { level: null, middle: null, last: after, slope: 0 };
  const later = [...middle, ...last];
  const slope = slopeOf(later);
  const span = (later.at(-1)?.at ?? 0) - (later[0]?.at ?? 0);
  const level = after <= before * (1 + tolerance) && slope * span <= before * 2 * tolerance;
  return { level, middle: before, last: after, slope };
}

/** Whether a quantity that grows with what it counts, such as rows that are kept, grows by no more than so much for each. */
export function judgeGrowth(series: Series, most: number): Judgement {
  const { middle, last, enough } = thirds(series);
  const values = (part: Series) => part.map(({ value }) => value);
  const after = median(values(last));
  if (!enough) return { level: null, middle: null, last: after, slope: 0 };
  const slope = slopeOf([...middle, ...last]);
  return { level: slope <= most, middle: median(values(middle)), last: after, slope };
}

/** The judgement on a series, in words; of one that is too short, its last value and that it cannot be judged. */
export function inWords({ middle, last }: Judgement, unit: (value: number) => string): string {
  return middle === null
    ? `${unit(last)} (too short to tell whether it levels off)`
    : `${unit(middle)} -> ${unit(last)}`;
}
