import type { Sound } from '../../../media/recording/sound.ts';
import { createSpectrum } from './spectrum.ts';

/** The share of samples that are exactly zero, 0 to 1. */
export function zeroShare({ samples }: Sound): number {
  let zeros = 0;
  for (const sample of samples) if (sample === 0) zeros += 1;
  return samples.length === 0 ? 0 : zeros / samples.length;
}

/** Where the content of a sound ends. */
export interface Bandwidth {
  readonly hertz: number;
  /** Whether it ends at a wall, far below what the sample rate could hold: earlier compression, or a lower sample rate before. */
  readonly isCut: boolean;
}

/** Samples of a window of the transform, and the most windows that are looked at: evenly spread, they are enough for a mean. */
const WINDOW = 2048;
const MOST_WINDOWS = 200;
/** Content is what lies within so many decibels of the strongest part. */
const CONTENT_DECIBELS = 80;
/** A wall falls by so many decibels within so many hertz. */
const WALL_DECIBELS = 20;
const WALL_HERTZ = 600;
/** Share of the possible bandwidth above which an end is the usual one of the sample rate. */
const USUAL_SHARE = 0.92;
/** Power below which there is nothing but rounding. */
const SILENCE = 1e-10;

/** Finds where the mean spectrum ends; undefined for silence. */
export function bandwidthOf({ rate, samples }: Sound): Bandwidth | undefined {
  const levels = meanSpectrum(samples);
  const peak = Math.max(...levels);
  if (levels.length === 0 || peak < 10 * Math.log10(SILENCE)) return undefined;
  const least = peak - CONTENT_DECIBELS;
  const last = levels.findLastIndex((level) => level >= least);
  const width = rate / WINDOW;
  const hertz = (last + 1) * width;
  const near = Math.round(WALL_HERTZ / width);
  const before = Math.max(...levels.slice(Math.max(0, last - near), last + 1));
  const after = levels[Math.min(levels.length - 1, last + near)] ?? least;
  return { hertz, isCut: hertz < USUAL_SHARE * (rate / 2) && before - after >= WALL_DECIBELS };
}

/** The mean power of each frequency in decibels. */
function meanSpectrum(samples: Float32Array): number[] {
  const windows = Math.min(MOST_WINDOWS, Math.floor(samples.length / WINDOW));
  if (windows === 0) return [];
  const step = (samples.length - WINDOW) / Math.max(1, windows - 1);
  const powerOf = createSpectrum(WINDOW);
  const sums = new Float64Array(WINDOW / 2);
  for (let window = 0; window < windows; window += 1) {
    const from = Math.floor(window * step);
    const power = powerOf(samples.subarray(from, from + WINDOW));
    power.forEach((value, bin) => {
      sums[bin] = (sums[bin] ?? 0) + value;
    });
  }
  return Array.from(sums, (sum) => 10 * Math.log10(sum / windows + SILENCE / 10));
}
