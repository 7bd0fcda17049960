import { differingBitsOfWords, hashToWords } from '../image/pdq.ts';
import { FRAMES_A_SECOND, type FrameHash } from './film-hashes.ts';

/** How much of two films is the same, where it fits best. */
export interface FilmSimilarity {
  /** Seconds by which the second film shows it later than the first, to a quarter; negative when earlier. */
  readonly offsetSec: number;
  /** Seconds of the first film that are near copies of frames of the second there. */
  readonly matching: number;
  /** Their share of the seconds of each film whose hashes say something, 0 to 1. */
  readonly shareOfFirst: number;
  readonly shareOfSecond: number;
  /** Where they lie in the first film, in whole seconds from its start; the end is that of the last second. */
  readonly stretches: readonly { readonly startSec: number; readonly endSec: number }[];
  /** Bits in which they differ there, on average. */
  readonly differingBits: number;
  /** Different pictures among them. */
  readonly scenes: number;
  /** Bits in which they differ from other moments of the first film, where these fit best; null when they are too few, or many pictures. */
  readonly ownBits: number | null;
}

/** The published threshold of the hash for near copies, and the quality below which it says little. */
const NEAR_BITS = 31;
const LEAST_QUALITY = 50;
/** Times are rounded to milliseconds on their way. */
const ROUNDING_SECONDS = 0.001;

/** Films of which less is the same are no copies: an opening that many films share. */
const LEAST_SECONDS = 3;
const LEAST_SHARE = 1 / 3;
/** Shorter films are copies when nearly all of the shorter one is the same. */
const SHORT_SHARE = 0.8;
/** So many pictures in one order are no chance. */
const TELLING_SCENES = 3;
/** Two moments of one speaker before one wall are near copies, too: only what fits this much better than other moments do is the same moment. */
const MOMENT_SHARE = 0.75;
/** Of offsets at which this share of the most seconds agree the one is taken at which they differ least. */
const NEARLY_AS_MANY = 0.9;
/** Part of a stretch that has to lie over itself when it is shifted. */
const LEAST_OVERLAP = 0.3;
/** Frames that have nothing to do with each other count no more than this. */
const MOST_BITS = 64;
/** Copies of one picture that was scaled, compressed and framed anew differ in fewer bits than this, as measured. */
const COPY_BITS = 20;
/** Frames that differ by no more than this are a still picture, and compared like one. */
const STILL_BITS = 2;

interface DistinctiveFrame {
  readonly timeSec: number;
  readonly second: number;
  readonly words: Uint32Array;
}

/** Whether the hash of a frame says something. */
export const isDistinctiveFrame = ({ quality }: FrameHash): boolean => quality >= LEAST_QUALITY;

/** Frames whose hashes say something. */
const distinctiveFrames = (film: readonly FrameHash[]): DistinctiveFrame[] =>
  film.filter(isDistinctiveFrame).map(({ timeSec, hash }) => ({
    timeSec,
    second: Math.floor(timeSec + ROUNDING_SECONDS),
    words: hashToWords(hash),
  }));

/** For each offset, in quarters, the seconds of the first film that agree there, with the bits in which they differ. */
type Agreements = Map<number, Map<number, number>>;

const firstOfSeconds = (frames: readonly DistinctiveFrame[]): DistinctiveFrame[] => [
  ...new Map(frames.toReversed().map((frame) => [frame.second, frame])).values(),
];

function agreementsOf(seconds: readonly DistinctiveFrame[], others: readonly DistinctiveFrame[]): Agreements {
  const atOffset: Agreements = new Map();
  for (const one of seconds)
    for (const other of others) {
      const bits = differingBitsOfWords(one.words, other.words);
      if (bits > NEAR_BITS) continue;
      const offset = Math.round(FRAMES_A_SECOND * (other.timeSec - one.timeSec));
      const countsByOffset = atOffset.get(offset) ?? new Map<number, number>();
      atOffset.set(
        offset,
        countsByOffset.set(one.second, Math.min(bits, countsByOffset.get(one.second) ?? bits)),
      );
    }
  return atOffset;
}

const meanOf = (numbers: readonly number[]): number =>
  numbers.reduce((sum, number) => sum + number, 0) / Math.max(1, numbers.length);

/** What agrees at an offset; frames do not begin at whole quarters, so what lies one beside belongs to it. */
function at(offset: number, agreements: Agreements) {
  const bits = new Map<number, number>();
  for (const near of [offset - 1, offset, offset + 1])
    for (const [second, differing] of agreements.get(near) ?? [])
      bits.set(second, Math.min(differing, bits.get(second) ?? differing));
  return {
    offset,
    own: agreements.get(offset)?.size ?? 0,
    seconds: [...bits.keys()],
    differingBits: meanOf([...bits.values()]),
  };
}

/** The offset at which the films differ least, of those at which nearly as many seconds agree as at any; of several the least. */
function bestOf(agreements: Agreements) {
  const all = [...agreements.keys()].map((offset) => at(offset, agreements));
  const most = Math.max(0, ...all.map(({ seconds }) => seconds.length));
  const [best] = all
    .filter(({ seconds }) => seconds.length >= NEARLY_AS_MANY * most)
    .sort(
      (one, two) =>
        one.differingBits - two.differingBits ||
        two.seconds.length - one.seconds.length ||
        two.own - one.own ||
        Math.abs(one.offset) - Math.abs(two.offset) ||
        two.offset - one.offset,
    );
  return best;
}

function stretchesOf(seconds: readonly number[]): FilmSimilarity['stretches'] {
  const stretches: { startSec: number; endSec: number }[] = [];
  for (const second of [...seconds].sort((one, two) => one - two)) {
    const last = stretches.at(-1);
    if (last?.endSec === second) last.endSec = second + 1;
    else stretches.push({ startSec: second, endSec: second + 1 });
  }
  return stretches;
}

/** Different pictures among moments of a film. */
function scenesOf(moments: readonly DistinctiveFrame[]): number {
  const scenes: DistinctiveFrame[] = [];
  for (const one of moments)
    if (scenes.every((scene) => differingBitsOfWords(scene.words, one.words) > NEAR_BITS)) scenes.push(one);
  return scenes.length;
}

/** Bits in which frames differ from those that another film shows so many quarters later, on average; null when there are too few. */
function bitsAt(
  quarters: number,
  ones: readonly DistinctiveFrame[],
  others: ReadonlyMap<number, DistinctiveFrame[]>,
  least: number,
) {
  const bits: number[] = [];
  for (const one of ones) {
    const place = Math.round(FRAMES_A_SECOND * one.timeSec) + quarters;
    const near = [place - 1, place, place + 1].flatMap((each) => others.get(each) ?? []);
    if (near.length === 0) continue;
    const least = Math.min(...near.map((other) => differingBitsOfWords(one.words, other.words)));
    bits.push(Math.min(least, MOST_BITS));
  }
  return bits.length < least ? null : meanOf(bits);
}

function byQuarter(frames: readonly DistinctiveFrame[]): Map<number, DistinctiveFrame[]> {
  const quarters = new Map<number, DistinctiveFrame[]>();
  for (const frame of frames) {
    const place = Math.round(FRAMES_A_SECOND * frame.timeSec);
    quarters.set(place, [...(quarters.get(place) ?? []), frame]);
  }
  return quarters;
}

/** How little a stretch differs from itself where it is shifted by a second or more, at best; null when it is too short. */
function ownBitsOf(frames: readonly DistinctiveFrame[]): number | null {
  const own = byQuarter(frames);
  const length = FRAMES_A_SECOND * ((frames.at(-1)?.timeSec ?? 0) - (frames[0]?.timeSec ?? 0));
  const least = Math.max(FRAMES_A_SECOND, LEAST_OVERLAP * frames.length);
  let best: number | null = null;
  for (let shift = FRAMES_A_SECOND; shift <= length; shift += 1) {
    const bits = bitsAt(shift, frames, own, least);
    if (bits !== null) best = Math.min(bits, best ?? bits);
  }
  return best;
}

/**
 * Compares the seconds of a film with another film at every offset and keeps the one at which most agree; of several that at which they
 * differ least. Undefined when no second agrees, or when the hashes of one film say nothing.
 */
export function compareFilms(
  first: readonly FrameHash[],
  second: readonly FrameHash[],
): FilmSimilarity | undefined {
  const [ones, others] = [distinctiveFrames(first), distinctiveFrames(second)];
  const moments = firstOfSeconds(ones);
  const best = bestOf(agreementsOf(moments, others));
  if (best === undefined) return undefined;
  const matching = best.seconds.length;
  const agreeing = new Set(best.seconds);
  const frames = ones.filter((frame) => agreeing.has(frame.second));
  const scenes = scenesOf(moments.filter((moment) => agreeing.has(moment.second)));
  return {
    offsetSec: best.offset / FRAMES_A_SECOND,
    matching,
    shareOfFirst: matching / moments.length,
    shareOfSecond: Math.min(1, matching / firstOfSeconds(others).length),
    stretches: stretchesOf(best.seconds),
    differingBits: bitsAt(best.offset, frames, byQuarter(others), 1) ?? best.differingBits,
    scenes,
    ownBits: scenes < TELLING_SCENES ? ownBitsOf(frames) : null,
  };
}

/** Whether what is the same is enough, and shows more than one place, to call the films copies of each other, whole or in part. */
export function isNearCopy(likeness: FilmSimilarity): boolean {
  const { matching, shareOfFirst, shareOfSecond, differingBits, scenes, ownBits } = likeness;
  const share = Math.max(shareOfFirst, shareOfSecond);
  if (share < (matching < LEAST_SECONDS ? SHORT_SHARE : LEAST_SHARE)) return false;
  if (scenes >= TELLING_SCENES) return true;
  // A second or two has too few changes to compare: its frames have to be as alike as those of copies.
  if (ownBits === null || ownBits <= STILL_BITS) return differingBits <= COPY_BITS;
  return differingBits <= MOMENT_SHARE * ownBits;
}
