import { setImmediate } from 'node:timers/promises';
import { differingBitsOfWords, hashPicture, type PictureHash, wordsOfHash } from '../image/pdq.ts';
import type { PictureTrack } from './facts.ts';
import { MOST_FRAME_PIXELS } from './frames.ts';
import { inputArguments, RecordingError, runOnFile } from './programs.ts';
import { shownTimes } from './shown-times.ts';

/** The hash of a frame of a film. */
export interface FrameHash extends PictureHash {
  /** When the frame is shown, in seconds from the start. */
  readonly timeSec: number;
}

/** How a film is hashed. */
export interface HashOptions {
  readonly picture: PictureTrack;
  readonly startSec: number;
  /** Seconds after which no more is hashed. */
  readonly mostSeconds: number;
  readonly timeoutMs: number;
}

/** Frames that are hashed of each second: a copy that was cut between two seconds is found by the quarter that is nearest. */
const FRAMES_A_SECOND = 4;
/** Side of the frames that are hashed: twice what the hash samples, so that its own smoothing has nothing left to do. */
const SIDE = 128;
const FRAME_BYTES = 3 * SIDE * SIDE;
/** What the decoder says of the film, and of each frame. */
const SAID_CHARACTERS = 64 * 1024;
const SAID_OF_FRAME = 1_000;
/** Frames after which others get a turn: some ten milliseconds of work. */
const FRAMES_AT_ONCE = 8;
/** Times are written in millionths of a second. */
const ROUNDING_SECONDS = 0.000_6;

/** The published threshold of the hash for near copies, and the quality below which it says little. */
const NEAR_BITS = 31;
const LEAST_QUALITY = 50;

/** Hashes the first frame of each quarter of a second; quarters in which none begins have none. Rejects with a RecordingError or the signal's reason. */
export async function hashFilm(
  path: string,
  { picture, startSec, mostSeconds, timeoutMs }: HashOptions,
  signal?: AbortSignal,
): Promise<FrameHash[]> {
  if (picture.width * picture.height > MOST_FRAME_PIXELS) throw new RecordingError('too_large');
  const quarter = (time: string) =>
    `floor(${FRAMES_A_SECOND}*(${time}-${(startSec - ROUNDING_SECONDS).toFixed(6)}))`;
  const isNext = `isnan(prev_selected_t)+gt(${quarter('t')},${quarter('prev_selected_t')})`;
  const most = FRAMES_A_SECOND * (Math.ceil(mostSeconds) + 1);
  const { output, said } = await runOnFile(
    'ffmpeg',
    path,
    [
      ...['-v', 'info', '-nostats', '-hide_banner', '-nostdin', '-threads', '1', '-copyts'],
      // Frames on which no other rests cost the most and show nothing new.
      ...['-max_pixels', String(MOST_FRAME_PIXELS), '-skip_frame', 'noref'],
      ...[...inputArguments(), '-i', `file:${path}`, '-map', '0:V:0', '-an', '-sn', '-dn'],
      ...['-vf', `select='${isNext}',scale=${SIDE}:${SIDE}:flags=area,showinfo=checksum=0`],
      ...[
        '-fps_mode',
        'passthrough',
        '-frames:v',
        String(most),
        '-f',
        'rawvideo',
        '-pix_fmt',
        'rgb24',
        'pipe:1',
      ],
    ],
    {
      wallMs: timeoutMs,
      outputBytes: FRAME_BYTES * most,
      saidCharacters: SAID_CHARACTERS + SAID_OF_FRAME * most,
    },
    signal,
  );
  const times = shownTimes(said, startSec);
  const frames = output.length / FRAME_BYTES;
  if (frames === 0 || !Number.isInteger(frames) || times.length < frames) throw new RecordingError('broken');
  const hashed: FrameHash[] = [];
  for (let frame = 0; frame < frames; frame += 1) {
    const rgb = output.subarray(frame * FRAME_BYTES, (frame + 1) * FRAME_BYTES);
    hashed.push({
      timeSec: Math.max(0, times[frame] ?? 0),
      ...hashPicture({ width: SIDE, height: SIDE, rgb }),
    });
    if (frame % FRAMES_AT_ONCE === 0) await setImmediate();
    signal?.throwIfAborted();
  }
  return hashed;
}

/** How much of two films is the same, where it fits best. */
export interface FilmLikeness {
  /** Seconds by which the second film shows it later than the first, to a quarter; negative when earlier. */
  readonly offsetSec: number;
  /** Seconds of the first film that are near copies of frames of the second there. */
  readonly matching: number;
  /** Their share of the seconds of each film whose hashes say something, 0 to 1. */
  readonly shareOfFirst: number;
  readonly shareOfSecond: number;
  /** Where they lie in the first film, in whole seconds from its start; the end is that of the last second. */
  readonly stretches: readonly { readonly startSec: number; readonly endSec: number }[];
}

interface Telling {
  readonly timeSec: number;
  readonly second: number;
  readonly words: Uint32Array;
}

/** Frames whose hashes say something. */
const telling = (film: readonly FrameHash[]): Telling[] =>
  film
    .filter(({ quality }) => quality >= LEAST_QUALITY)
    .map(({ timeSec, hash }) => ({
      timeSec,
      second: Math.floor(timeSec + ROUNDING_SECONDS),
      words: wordsOfHash(hash),
    }));

/** Seconds of the first film by the offset at which they agree, in quarters. */
function agreements(ones: readonly Telling[], others: readonly Telling[]): Map<number, Set<number>> {
  const atOffset = new Map<number, Set<number>>();
  for (const one of new Map(ones.toReversed().map((frame) => [frame.second, frame])).values())
    for (const other of others) {
      if (differingBitsOfWords(one.words, other.words) > NEAR_BITS) continue;
      const offset = Math.round(FRAMES_A_SECOND * (other.timeSec - one.timeSec));
      const seconds = atOffset.get(offset) ?? new Set();
      atOffset.set(offset, seconds.add(one.second));
    }
  return atOffset;
}

function stretchesOf(seconds: readonly number[]): FilmLikeness['stretches'] {
  const stretches: { startSec: number; endSec: number }[] = [];
  for (const second of [...seconds].sort((one, two) => one - two)) {
    const last = stretches.at(-1);
    if (last?.endSec === second) last.endSec = second + 1;
    else stretches.push({ startSec: second, endSec: second + 1 });
  }
  return stretches;
}

/**
 * Compares the seconds of a film with another film at every offset and keeps the one at which most agree; of several the least.
 * Undefined when no second agrees, or when the hashes of one film say nothing.
 */
export function compareFilms(
  first: readonly FrameHash[],
  second: readonly FrameHash[],
): FilmLikeness | undefined {
  const [ones, others] = [telling(first), telling(second)];
  const atOffset = agreements(ones, others);
  // Frames do not begin at whole quarters: what lies one beside belongs together.
  const near = [...atOffset].map(([offset, own]) => {
    const seconds = [offset - 1, offset, offset + 1].flatMap((one) => [...(atOffset.get(one) ?? [])]);
    return { offset, own: own.size, seconds: [...new Set(seconds)] };
  });
  const [best] = near.sort(
    (one, two) =>
      two.seconds.length - one.seconds.length ||
      two.own - one.own ||
      Math.abs(one.offset) - Math.abs(two.offset) ||
      two.offset - one.offset,
  );
  if (best === undefined) return undefined;
  const matching = best.seconds.length;
  const secondsOf = (frames: readonly Telling[]) => new Set(frames.map((frame) => frame.second)).size;
  return {
    offsetSec: best.offset / FRAMES_A_SECOND,
    matching,
    shareOfFirst: matching / secondsOf(ones),
    shareOfSecond: Math.min(1, matching / secondsOf(others)),
    stretches: stretchesOf(best.seconds),
  };
}
