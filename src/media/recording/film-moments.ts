import { differingBits } from '../image/pdq.ts';
import type { FrameHash } from './film-hashes.ts';
import { isDistinctiveFrame } from './film-similarity.ts';

/** Least distance of consecutive stored moments: a search that finds one finds a nearer one, too. */
const STORED_BITS_APART = 8;
const LOOKED_UP_BITS_APART = 4;

/** Distinctive frames, each of which differs from the previous one by more than so many bits. */
function distinctFrames(frames: readonly FrameHash[], bits: number): FrameHash[] {
  const distinct: FrameHash[] = [];
  for (const frame of frames.filter(isDistinctiveFrame)) {
    const last = distinct.at(-1);
    if (last === undefined || differingBits(last.hash, frame.hash) > bits) distinct.push(frame);
  }
  return distinct;
}

/** The moments that are stored for a film so that it can be found: at most one for each second. */
export function momentsToStore(frames: readonly FrameHash[]): FrameHash[] {
  const ofSeconds = new Map<number, FrameHash>();
  for (const frame of frames.filter(isDistinctiveFrame)) {
    const second = Math.floor(frame.timeSec);
    if (!ofSeconds.has(second)) ofSeconds.set(second, frame);
  }
  return distinctFrames([...ofSeconds.values()], STORED_BITS_APART);
}

/** The moments that are looked up for a film. Not one for each second: a copy may begin between the seconds of the stored film. */
export const momentsToLookUp = (frames: readonly FrameHash[]): FrameHash[] =>
  distinctFrames(frames, LOOKED_UP_BITS_APART);
