import { BLOCK, type BlockGrid, transformPlane, ZIGZAG } from '../../../media/image/dct.ts';
import { boxMean, cropPlane, type Plane } from '../../../media/image/raster.ts';
import { meanOfTop, medianOf, robustScores } from './robust.ts';

/**
 * Aligned double quantisation: where a JPEG was saved twice, the histogram of each coefficient has gaps and peaks; a part that was put in
 * between the two saves has none. After Lin et al., Pattern Recognition 42 (2009), and Bianchi, De Rosa and Piva, ICASSP 2011.
 */
export interface DoubleQuantisation {
  /** Mean of the most conspicuous blocks, in robust standard deviations; more than `FLAG` says that parts differ in their history. */
  readonly score: number;
  /** Whether the rest of the picture shows two saves at all; without it nothing can be said of a part. */
  readonly savedTwice: boolean;
  /** How much each 8 x 8 block looks as if saved once, in robust standard deviations; row by row. */
  readonly map: Plane;
}

/** Of untouched pictures none had more, of spliced ones all (models/forensic.md). */
export const DETECTION_THRESHOLD = 7;

/** Alternating coefficients that are looked at: the first of the zig-zag order after the mean. */
const FREQUENCIES = ZIGZAG.slice(1, 13);
/** Coefficients are counted up to this many steps; larger ones are rare. */
const REACH = 127;
const BINS = 2 * REACH + 1;
/** Bins for each unit of a coefficient of the undistorted model. */
const FINE = 4;
const FINE_REACH = 1100;
const ROUNDS = 12;
/** A frequency takes part when the two-save model gains this many nats a block, and holds for most blocks. */
const LEAST_GAIN = 0.01;
const LEAST_SHARE = 0.5;
/** What one coefficient may say at most, in nats. */
const CLIP = 3;
const FLOOR = 1e-5;
const TOP_SHARE = 0.03;
/** Mean number of coefficients around a block from which it says anything. */
const LEAST_COEFFICIENTS = 3;
/** Fewer blocks have no histogram. */
const LEAST_BLOCKS = 1024;

/** Numbers of coefficients by their value in steps of the last save; the first is -REACH. */
type Histogram = Float64Array;

const binOf = (steps: number) => Math.max(-REACH, Math.min(REACH, steps)) + REACH;

function normalised(counts: Float64Array): Float64Array {
  const sum = counts.reduce((total, count) => total + count, 0);
  return counts.map((count) => Math.max(FLOOR, count / sum));
}

/** Values of one frequency in a picture without any grid: the same picture, off its grid by half a block. */
function undistorted(grid: BlockGrid, frequency: number): Float64Array {
  const counts = new Float64Array(2 * FINE_REACH * FINE + 1);
  for (let at = frequency; at < grid.coefficients.length; at += BLOCK) {
    const value = Math.max(-FINE_REACH, Math.min(FINE_REACH, grid.coefficients[at] ?? 0));
    const bin = Math.round(value * FINE) + FINE_REACH * FINE;
    counts[bin] = (counts[bin] ?? 0) + 1;
  }
  return counts;
}

/** What values become that were rounded to steps of `first` (0: not at all) and then of `last`. */
function expected(values: Float64Array, first: number, last: number): Histogram {
  const counts = new Float64Array(BINS);
  values.forEach((count, index) => {
    if (count === 0) return;
    const value = (index - FINE_REACH * FINE) / FINE;
    const once = first === 0 ? value : Math.round(value / first) * first;
    const bin = binOf(Math.round(once / last));
    counts[bin] = (counts[bin] ?? 0) + count;
  });
  return normalised(first === 0 ? counts : smeared(counts));
}

/** Rounding to whole pixels between the saves moves two in a hundred to each neighbour. */
function smeared(counts: Histogram): Histogram {
  return counts.map(
    (count, index) => 0.96 * count + 0.02 * (counts[index - 1] ?? 0) + 0.02 * (counts[index + 1] ?? 0),
  );
}

interface Mixture {
  readonly once: Histogram;
  readonly twice: Histogram;
  /** Share of blocks that were saved twice. */
  readonly share: number;
  /** Log-likelihood for each block over that of the model of one save, in nats. */
  readonly gain: number;
}

/** The share of the two-save model that explains the counts best, by expectation maximisation. */
function mix(seen: Histogram, once: Histogram, twice: Histogram, blocks: number): Mixture {
  let share = 0.5;
  for (let round = 0; round < ROUNDS; round += 1) {
    let sum = 0;
    seen.forEach((count, bin) => {
      const both = share * (twice[bin] ?? 0);
      sum += (count * both) / (both + (1 - share) * (once[bin] ?? 0));
    });
    share = Math.max(1e-3, Math.min(1 - 1e-3, sum / blocks));
  }
  let gain = 0;
  seen.forEach((count, bin) => {
    const single = once[bin] ?? FLOOR;
    gain += count * Math.log((share * (twice[bin] ?? 0) + (1 - share) * single) / single);
  });
  return { once, twice, share, gain: gain / blocks };
}

/** The first save that explains the values of one frequency best. */
function bestMixture(
  values: Float64Array,
  seen: Histogram,
  last: number,
  blocks: number,
): Mixture | undefined {
  const once = expected(values, 0, last);
  let best: Mixture | undefined;
  for (let first = 2; first <= Math.min(60, 6 * last + 20); first += 1) {
    if (first === last) continue;
    const mixture = mix(seen, once, expected(values, first, last), blocks);
    if (best === undefined || mixture.gain > best.gain) best = mixture;
  }
  return best !== undefined && best.gain > LEAST_GAIN && best.share > LEAST_SHARE ? best : undefined;
}

/** What the coefficients of each block say together, and how many said something. */
interface Evidence {
  /** Sum of the logarithms of once over twice. */
  readonly sum: Plane;
  /** Number of coefficients that are not 0. */
  readonly count: Plane;
  /** Pixels of each block that are cut off at the end of their range. */
  readonly clipped: Plane;
}

/** Pixels of a block that may be cut off at the end of their range: more of them move its coefficients off their steps. */
const MOST_CLIPPED = 2;

/** Adds what one frequency says of each block. A coefficient of 0 says next to nothing in either history. */
function addScores(
  { sum, count, clipped }: Evidence,
  grid: BlockGrid,
  frequency: number,
  last: number,
  mixture: Mixture,
): void {
  const ratios = mixture.once.map((once, bin) =>
    Math.max(-CLIP, Math.min(CLIP, Math.log(once / (mixture.twice[bin] ?? FLOOR)))),
  );
  for (let block = 0; block < sum.values.length; block += 1) {
    const steps = Math.round((grid.coefficients[block * BLOCK + frequency] ?? 0) / last);
    if (steps === 0 || (clipped.values[block] ?? 0) > MOST_CLIPPED) continue;
    sum.values[block] = (sum.values[block] ?? 0) + (ratios[binOf(steps)] ?? 0);
    count.values[block] = (count.values[block] ?? 0) + 1;
  }
}

const smooth = (plane: Plane) => boxMean(boxMean(plane, 2), 3).values;

/**
 * How far each place is from what its number of coefficients would have it, in robust standard deviations. Without that number even
 * surfaces, which say nothing, would stand out from a picture that was saved twice. Places that say too little are 0.
 */
function standOut({ sum, count }: Evidence): Plane {
  const [sums, counts] = [smooth(sum), smooth(count)];
  const speaks = (place: number) => (counts[place] ?? 0) >= LEAST_COEFFICIENTS;
  const usual = medianOf(
    sums.map((value, place) => value / (counts[place] ?? 1)).filter((_value, place) => speaks(place)),
  );
  const distances = sums.map((value, place) => {
    const expectedSum = usual * (counts[place] ?? 0);
    return (value - expectedSum) / Math.sqrt(counts[place] ?? 1);
  });
  const scores = robustScores(distances.filter((_value, place) => speaks(place)));
  let next = 0;
  const values = distances.map((_value, place) => (speaks(place) ? (scores[next++] ?? 0) : 0));
  return { width: sum.width, height: sum.height, values };
}

/**
 * Looks for parts of a JPEG that were not there at its first save. `brightness` is the decoded picture on its own grid, `steps` the
 * quantisation table of the file; `clipped` has a cell for each
 * block, also for those that are cut at the edges. Undefined when the picture is too small.
 */
export function findDoubleQuantisation(
  brightness: Plane,
  clipped: Plane,
  steps: readonly number[],
): DoubleQuantisation | undefined {
  const grid = transformPlane(brightness);
  const blocks = grid.columns * grid.rows;
  if (blocks < LEAST_BLOCKS) return undefined;
  const offGrid = transformPlane(cropPlane(brightness, 4, 4, brightness.width - 4, brightness.height - 4));
  const blank = () => ({ width: grid.columns, height: grid.rows, values: new Float32Array(blocks) });
  const evidence: Evidence = {
    sum: blank(),
    count: blank(),
    clipped: cropPlane(clipped, 0, 0, grid.columns, grid.rows),
  };
  let used = 0;
  for (const frequency of FREQUENCIES) {
    const last = Math.max(1, steps[frequency] ?? 1);
    const seen = new Float64Array(BINS);
    for (let at = frequency; at < grid.coefficients.length; at += BLOCK) {
      const bin = binOf(Math.round((grid.coefficients[at] ?? 0) / last));
      seen[bin] = (seen[bin] ?? 0) + 1;
    }
    const mixture = bestMixture(undistorted(offGrid, frequency), seen, last, blocks);
    if (mixture === undefined) continue;
    addScores(evidence, grid, frequency, last, mixture);
    used += 1;
  }
  const map = used === 0 ? evidence.sum : standOut(evidence);
  return { score: used === 0 ? 0 : meanOfTop(map.values, TOP_SHARE), savedTwice: used > 0, map };
}
