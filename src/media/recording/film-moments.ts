import { differingBits } from '../image/pdq.ts';
import type { FrameHash } from './film-hashes.ts';
import { isTellingFrame } from './film-likeness.ts';

/** Moments that differ less from the one before add nothing: what finds the one finds the other. */
const KEPT_APART_BITS = 8;
const ASKED_APART_BITS = 4;

/** Frames that say something, each of which differs from the one before by more than so many bits. */
function apart(frames: readonly FrameHash[], bits: number): FrameHash[] {
  const kept: FrameHash[] = [];
  for (const frame of frames.filter(isTellingFrame)) {
    const last = kept.at(-1);
    if (last === undefined || differingBits(last.hash, frame.hash) > bits) kept.push(frame);
  }
  return kept;
}

/** The moments by which a film is found: one of a second at most. */
export function momentsToKeep(frames: readonly FrameHash[]): FrameHash[] {
  const ofSeconds = new Map<number, FrameHash>();
  for (const frame of frames.filter(isTellingFrame)) {
    const second = Math.floor(frame.timeSec);
    if (!ofSeconds.has(second)) ofSeconds.set(second, frame);
  }
  return apart([...ofSeconds.values()], KEPT_APART_BITS);
}

/** The moments that are looked for: all, for the copy may be cut between the seconds of the other film. */
export const momentsToAsk = (frames: readonly FrameHash[]): FrameHash[] => apart(frames, ASKED_APART_BITS);
