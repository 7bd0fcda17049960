import { setImmediate } from 'node:timers/promises';
import type { Sound } from './sound.ts';

/** A time range, in seconds from the start. */
export interface TimeRange {
  readonly startSec: number;
  readonly endSec: number;
}

/** Where the sound resembles a voice. */
export interface VoiceActivity {
  readonly ranges: readonly TimeRange[];
  /** Sum of their lengths in seconds. */
  readonly voicedSec: number;
}

/** Frames of 32 ms, a new one every 16 ms: two periods of the deepest voice. */
const FRAME_SECONDS = 0.032;
const HOP_SECONDS = 0.016;
/** Frames between two yields to the event loop: some ten milliseconds of work. */
const FRAMES_AT_ONCE = 256;
/** Pitch of voices in hertz. */
const LOWEST_PITCH = 65;
const HIGHEST_PITCH = 420;
/** A frame is voiced when it repeats itself so well, and is so much louder than the quietest tenth of the recording. */
const LEAST_PERIODICITY = 0.45;
const ABOVE_FLOOR_DECIBELS = 5;
/** Quieter frames are silence whatever the floor. */
const SILENCE_DECIBELS = -60;
/** Consonants around voiced frames, and pauses within a sentence. */
const MARGIN_SECONDS = 0.2;
const LONGEST_GAP_SECONDS = 0.35;
/** Shorter ranges are clicks. */
const SHORTEST_SECONDS = 0.25;
/** The pitch of a voice varies: ranges of constant pitch are hums or tones and are left out. */
const STEADY_PITCH = 0.004;

/** One frame: how loud it is, and what repeats in it. */
interface VoiceFrame {
  readonly decibels: number;
  /** Correlation with itself one period later, 0 to 1. */
  readonly periodicity: number;
  /** Samples of the period. */
  readonly period: number;
}

/** Detects voices by loudness above the noise floor, periodicity in the range of voices, and pitch that varies. Music with a melody passes, too. */
export async function detectVoices({ rate, samples }: Sound, signal?: AbortSignal): Promise<VoiceActivity> {
  const hop = Math.round(HOP_SECONDS * rate);
  const frames = await framesOf({ rate, samples }, hop, signal);
  const levels = frames.map(({ decibels }) => decibels).sort((one, two) => one - two);
  const floor = levels[Math.floor(levels.length / 10)] ?? SILENCE_DECIBELS;
  const least = Math.max(SILENCE_DECIBELS, floor + ABOVE_FLOOR_DECIBELS);
  const isVoiced = frames.map(
    ({ decibels, periodicity }) => decibels >= least && periodicity >= LEAST_PERIODICITY,
  );
  const ranges = voicedRuns(isVoiced, hop / rate)
    .filter(({ from, to }) => pitchMoves(frames.slice(from, to + 1)))
    .map(({ from, to }) => ({
      startSec: Math.max(0, (from * hop) / rate - MARGIN_SECONDS),
      endSec: Math.min(samples.length / rate, (to * hop) / rate + FRAME_SECONDS + MARGIN_SECONDS),
    }));
  const merged = mergeOverlaps(ranges);
  return {
    ranges: merged,
    voicedSec: merged.reduce((sum, { startSec, endSec }) => sum + endSec - startSec, 0),
  };
}

async function framesOf(
  { rate, samples }: Sound,
  hop: number,
  signal: AbortSignal | undefined,
): Promise<VoiceFrame[]> {
  const length = Math.round(FRAME_SECONDS * rate);
  const frames: VoiceFrame[] = [];
  for (let at = 0; at + length <= samples.length; at += hop) {
    frames.push(frameOf(samples.subarray(at, at + length), rate));
    if (frames.length % FRAMES_AT_ONCE !== 0) continue;
    await setImmediate();
    signal?.throwIfAborted();
  }
  return frames;
}

function frameOf(frame: Float32Array, rate: number): VoiceFrame {
  let power = 0;
  for (const sample of frame) power += sample * sample;
  const decibels = 10 * Math.log10(power / frame.length + 1e-12);
  if (decibels < SILENCE_DECIBELS) return { decibels, periodicity: 0, period: 0 };
  // Voices repeat in their low part, which every fourth sample of 16 kHz still carries.
  const step = Math.max(1, Math.floor(rate / 4_000));
  const reduced = smaller(frame, step);
  const shortest = Math.floor(rate / step / HIGHEST_PITCH);
  const longest = Math.ceil(rate / step / LOWEST_PITCH);
  let best = { periodicity: 0, period: 0 };
  for (let lag = shortest; lag <= longest && lag < reduced.length - shortest; lag += 1) {
    const periodicity = correlation(reduced, lag);
    if (periodicity > best.periodicity) best = { periodicity, period: lag * step };
  }
  return { decibels, ...best };
}

/** Means of so many neighbours. */
function smaller(frame: Float32Array, step: number): Float32Array {
  const result = new Float32Array(Math.floor(frame.length / step));
  for (let index = 0; index < result.length; index += 1) {
    let sum = 0;
    for (let offset = 0; offset < step; offset += 1) sum += frame[index * step + offset] ?? 0;
    result[index] = sum / step;
  }
  return result;
}

/** How well a frame agrees with itself so many samples later: 1 is a perfect repetition. */
function correlation(frame: Float32Array, lag: number): number {
  let [product, first, second] = [0, 0, 0];
  for (let index = 0; index + lag < frame.length; index += 1) {
    const one = frame[index] ?? 0;
    const two = frame[index + lag] ?? 0;
    product += one * two;
    first += one * one;
    second += two * two;
  }
  return product / (Math.sqrt(first * second) + 1e-12);
}

interface Run {
  readonly from: number;
  readonly to: number;
}

/** Runs of voiced frames, over the pauses between words; runs that are too short are left out. */
function voicedRuns(isVoiced: readonly boolean[], hopSec: number): Run[] {
  const runs: { from: number; to: number; voiced: number }[] = [];
  isVoiced.forEach((voiced, index) => {
    if (!voiced) return;
    const last = runs.at(-1);
    if (last !== undefined && (index - last.to) * hopSec <= LONGEST_GAP_SECONDS) {
      last.to = index;
      last.voiced += 1;
    } else runs.push({ from: index, to: index, voiced: 1 });
  });
  return runs.filter(({ voiced }) => voiced * hopSec >= SHORTEST_SECONDS);
}

/** Whether the period changes along a run, or its loudness does: tones and hums do neither. */
function pitchMoves(frames: readonly VoiceFrame[]): boolean {
  const voiced = frames.filter(({ periodicity }) => periodicity >= LEAST_PERIODICITY);
  const mean = voiced.reduce((sum, { period }) => sum + period, 0) / voiced.length;
  const spread = Math.sqrt(voiced.reduce((sum, { period }) => sum + (period - mean) ** 2, 0) / voiced.length);
  return spread / mean > STEADY_PITCH;
}

function mergeOverlaps(ranges: readonly TimeRange[]): TimeRange[] {
  const result: { startSec: number; endSec: number }[] = [];
  for (const { startSec, endSec } of ranges) {
    const last = result.at(-1);
    if (last !== undefined && startSec <= last.endSec) last.endSec = endSec;
    else result.push({ startSec, endSec });
  }
  return result;
}
