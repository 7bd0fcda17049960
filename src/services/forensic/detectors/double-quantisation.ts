import { BLOCK, type BlockGrid, transformPlane, ZIGZAG } from '../../../media/image/dct.ts';
import { boxMean, cropPlane, type Plane } from '../../../media/image/raster.ts';
import { meanOfTop, robustScores } from './robust.ts';

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

/** Scores above this were seen on no untouched picture (docs of the detector). */
export const FLAG = 5;

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

/** Adds what one frequency says of each block: the logarithm of once over twice. */
function addScores(
  scores: Float32Array,
  grid: BlockGrid,
  frequency: number,
  last: number,
  mixture: Mixture,
): void {
  const ratios = mixture.once.map((once, bin) =>
    Math.max(-CLIP, Math.min(CLIP, Math.log(once / (mixture.twice[bin] ?? FLOOR)))),
  );
  for (let block = 0; block < scores.length; block += 1) {
    const steps = Math.round((grid.coefficients[block * BLOCK + frequency] ?? 0) / last);
    if (steps !== 0) scores[block] = (scores[block] ?? 0) + (ratios[binOf(steps)] ?? 0);
  }
}

/**
 * Looks for parts of a JPEG that were not there at its first save. `brightness` is the decoded picture on its own grid, `steps` the
 * quantisation table of the file. Undefined when the picture is too small.
 */
export function findDoubleQuantisation(
  brightness: Plane,
  steps: readonly number[],
): DoubleQuantisation | undefined {
  const grid = transformPlane(brightness);
  const blocks = grid.columns * grid.rows;
  if (blocks < LEAST_BLOCKS) return undefined;
  const offGrid = transformPlane(cropPlane(brightness, 4, 4, brightness.width - 4, brightness.height - 4));
  const scores = new Float32Array(blocks);
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
    addScores(scores, grid, frequency, last, mixture);
    used += 1;
  }
  const plane = { width: grid.columns, height: grid.rows, values: scores };
  const map = { ...plane, values: robustScores(boxMean(boxMean(plane, 2), 3).values) };
  return { score: used === 0 ? 0 : meanOfTop(map.values, TOP_SHARE), savedTwice: used > 0, map };
}
