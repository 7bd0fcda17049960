import sharp from 'sharp';
import type { RecordingFacts } from '../../media/recording/facts.ts';
import { readFacts } from '../../media/recording/facts.ts';
import { decodeFrames, type Frame } from '../../media/recording/frames.ts';
import { RecordingError } from '../../media/recording/programs.ts';
import { type RecordingFailures, recordingFailure } from '../../media/recording/recording-failures.ts';
import { readTimeline, shiftTimeline, type Timeline } from '../../media/recording/timeline.ts';
import { errors } from './errors.ts';

/** Limits of a film; settings may change them, so they are read for each film. */
export interface FilmLimits {
  readonly mostSeconds: number;
  readonly decodeTimeoutMs: number;
}

/** A film that may be decoded. */
export interface Film {
  readonly path: string;
  readonly facts: RecordingFacts;
  readonly timeline: Timeline;
  readonly framesPerSecond: number;
  /** Decodes frames by their indices, ascending. */
  frames(indices: readonly number[], longestSide: number, signal: AbortSignal): Promise<Frame[]>;
}

/** A frame as JPEG. */
export interface EncodedFrame {
  readonly index: number;
  readonly timeSec: number;
  readonly jpeg: Buffer;
}

/** JPEG quality: enough for models and people, at a tenth of the size of the best. */
const QUALITY = 80;

const FAILURES: RecordingFailures = {
  decoder_missing: errors.decoder_missing,
  broken_media: errors.invalid_file,
  no_track: errors.invalid_file,
  media_too_long: errors.too_long,
  too_much: errors.too_many_pixels,
  timeout: errors.timeout,
};

/** Maps errors of reading a recording to failures of this service. */
export const filmFailure = (error: unknown): unknown => recordingFailure(error, FAILURES);

/** The facts of the header; throws for files without pictures and files that are too long. */
async function checkedFacts(path: string, { mostSeconds }: FilmLimits, signal: AbortSignal) {
  const facts = await readFacts(path, signal);
  const { picture, startSec } = facts;
  if (picture === null) throw new RecordingError('no_track');
  if ((facts.durationSec ?? 0) > mostSeconds) throw new RecordingError('too_long');
  return { facts, picture, startSec };
}

/** Reads the header and the frame times of a file without decoding it. Throws a RecordingError or the signal's reason. */
export async function openFilm(path: string, limits: FilmLimits, signal: AbortSignal): Promise<Film> {
  const timeoutMs = limits.decodeTimeoutMs;
  const left = new AbortController();
  // Both start a process, which takes longer than most of their work; times are counted from the start once it is known.
  const listing = readTimeline(path, { startSec: 0, timeoutMs }, AbortSignal.any([signal, left.signal]));
  listing.catch(() => undefined);
  const { facts, picture, startSec } = await checkedFacts(path, limits, signal).catch((error: unknown) => {
    left.abort();
    throw error;
  });
  const timeline = shiftTimeline(await listing, startSec);
  if (timeline.durationSec > limits.mostSeconds + 1) throw new RecordingError('too_long');
  return {
    path,
    facts,
    timeline,
    framesPerSecond: picture.framesPerSecond ?? timeline.times.length / Math.max(timeline.durationSec, 1e-3),
    frames: (indices, longestSide, ended) =>
      decodeFrames(path, indices, { picture, timeline, startSec, longestSide, timeoutMs }, ended),
  };
}

/** Compresses decoded frames. */
export function encodeFrames(frames: readonly Frame[]): Promise<EncodedFrame[]> {
  return Promise.all(
    frames.map(async ({ index, timeSec, width, height, rgb }) => ({
      index,
      timeSec: Math.max(0, timeSec),
      jpeg: await sharp(rgb, { raw: { width, height, channels: 3 } })
        .jpeg({ quality: QUALITY })
        .toBuffer(),
    })),
  );
}
