import type { Sound } from '../../../media/recording/sound.ts';

/** How the movement of a mouth goes with the loudness of the sound. */
export interface LipSync {
  /** The best correlation within what people take for simultaneous, -1 to 1. */
  readonly together: number;
  /** The best correlation further apart, and there the seconds by which the sound comes later; negative when earlier. */
  readonly apart: number;
  readonly lagSec: number;
}

/** Seconds within which picture and sound are together. */
const TOGETHER_SECONDS = 0.16;
/** Further apart than this they are out of step; what lies between is neither. */
const APART_SECONDS = 0.24;
const FARTHEST_SECONDS = 2;
/** Fewer seconds beside each other say nothing. */
const LEAST_OVERLAP_SECONDS = 1.5;
/** Frames over which both are smoothed. */
const SMOOTHED = 3;
/** Larger movements than this share of all are cuts and jumps of the head; they count as the largest that are none. */
const CLIPPED_SHARE = 0.97;
/** Loudness below which it is silence. */
const QUIETEST = 1e-3;

/** The loudness of each frame, as the logarithm of its mean amplitude. */
export function loudnessOf({ rate, samples }: Sound, framesPerSecond: number, frames: number): Float64Array {
  const length = rate / framesPerSecond;
  return Float64Array.from({ length: frames }, (_, frame) => {
    const part = samples.subarray(Math.round(frame * length), Math.round((frame + 1) * length));
    const power = part.reduce((sum, sample) => sum + sample * sample, 0) / Math.max(1, part.length);
    return Math.log(Math.sqrt(power) + QUIETEST);
  });
}

/** Means over neighbours. */
function smooth(values: Float64Array): Float64Array {
  const reach = (SMOOTHED - 1) / 2;
  return values.map((_, index) => {
    const part = values.subarray(Math.max(0, index - reach), index + reach + 1);
    return part.reduce((sum, value) => sum + value, 0) / part.length;
  });
}

/** The values with what is missing drawn straight between its neighbours, and the largest cut off. */
function whole(values: readonly (number | null)[]): Float64Array {
  const known = values.flatMap((value, index) => (value === null ? [] : [{ value, index }]));
  const ordered = known.map(({ value }) => value).sort((one, two) => one - two);
  const most = ordered[Math.floor(CLIPPED_SHARE * (ordered.length - 1))] ?? 0;
  let next = 0;
  return Float64Array.from(values, (_, index) => {
    while (next < known.length && (known[next]?.index ?? 0) < index) next += 1;
    const [before, after] = [known[next - 1] ?? known[next], known[next] ?? known[next - 1]];
    if (before === undefined || after === undefined) return 0;
    const share = after.index === before.index ? 0 : (index - before.index) / (after.index - before.index);
    return Math.min(most, before.value + share * (after.value - before.value));
  });
}

/** Pearson's correlation of two stretches of the same length; 0 where one of them never changes. */
export function pearsonCorrelation(one: Float64Array, other: Float64Array): number {
  const mean = (values: Float64Array) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const [first, second] = [mean(one), mean(other)];
  let [product, square, otherSquare] = [0, 0, 0];
  one.forEach((value, index) => {
    const [x, y] = [value - first, (other[index] ?? 0) - second];
    product += x * y;
    square += x * x;
    otherSquare += y * y;
  });
  return square === 0 || otherSquare === 0 ? 0 : product / Math.sqrt(square * otherSquare);
}

/** Compares the movement of a mouth with the loudness frame by frame, at every shift; undefined when there is too little of both. */
export function lipSyncOf(
  motion: readonly (number | null)[],
  loudness: Float64Array,
  framesPerSecond: number,
): LipSync | undefined {
  const length = Math.min(motion.length, loudness.length);
  const least = Math.max(LEAST_OVERLAP_SECONDS * framesPerSecond, length / 2);
  if (length < LEAST_OVERLAP_SECONDS * framesPerSecond) return undefined;
  const mouth = smooth(whole(motion.slice(0, length)));
  const sound = smooth(loudness.subarray(0, length));
  let best: LipSync = { together: -1, apart: -1, lagSec: 0 };
  for (
    let lag = -Math.round(FARTHEST_SECONDS * framesPerSecond);
    lag <= FARTHEST_SECONDS * framesPerSecond;
    lag += 1
  ) {
    const overlap = length - Math.abs(lag);
    if (overlap < least) continue;
    const from = Math.max(0, -lag);
    const value = pearsonCorrelation(
      mouth.subarray(from, from + overlap),
      sound.subarray(from + lag, from + lag + overlap),
    );
    const seconds = Math.abs(lag) / framesPerSecond;
    if (seconds <= TOGETHER_SECONDS) best = { ...best, together: Math.max(best.together, value) };
    else if (seconds > APART_SECONDS && value > best.apart)
      best = { ...best, apart: value, lagSec: lag / framesPerSecond };
  }
  return best;
}
