import type { PictureTrack } from './facts.ts';
import { frameTimes } from './frame-times.ts';
import { inputArguments, RecordingError, runProgramOnFile } from './programs.ts';
import type { Timeline } from './timeline.ts';

/** A decoded frame: three bytes a pixel, row by row. */
export interface Frame {
  /** Its place among all frames. */
  readonly index: number;
  /** When it is shown, in seconds from the start, as the decoder says. */
  readonly timeSec: number;
  readonly width: number;
  readonly height: number;
  readonly rgb: Buffer;
}

/** What frames are decoded from, and into what. */
export interface FrameOptions {
  readonly picture: PictureTrack;
  readonly timeline: Timeline;
  readonly startSec: number;
  /** Longer side of the decoded frames; smaller films stay as they are. */
  readonly longestSide: number;
  /** For each run of the decoder. */
  readonly timeoutMs: number;
}

/** Frames that one run of the decoder takes. */
interface Pass {
  readonly frames: readonly number[];
  /** Where decoding begins: at the last frame before it that can be decoded alone. */
  readonly fromSec: number;
  /** Only frames that can be decoded alone are. */
  readonly keysOnly: boolean;
  /** How frames are identified: by when they are shown, or by their number from the first. */
  readonly by: 'time' | 'number';
}

/** Pixels of the largest frame that is decoded: 4096 x 2304. */
export const MOST_FRAME_PIXELS = 4096 * 2304;
/** Above so many frames that can be decoded alone, going to each is cheaper than decoding all of them. */
const MOST_KEYS = 120;
/** Passes that run at once. */
const AT_ONCE = 2;
/** Starting a decoder costs as much as decoding so many seconds. */
const START_SECONDS = 2;
/** Times are written in millionths of a second: frames that are nearer are one. */
const SAME_SECONDS = 0.000_6;

/** How a list of frames is decoded with the least work. */
export function planPasses({ times, keys, isTimed }: Timeline, frames: readonly number[]): Pass[] {
  const isKey = new Set(keys);
  const timeOf = (frame: number) => times[frame] ?? 0;
  const keyBefore = (frame: number) => keys.findLast((key) => key <= frame) ?? 0;
  const first = frames[0];
  const last = frames[frames.length - 1];
  if (first === undefined || last === undefined) return [];
  if (!isTimed) return [{ frames, fromSec: 0, keysOnly: false, by: 'number' }];
  const keysOnly = frames.every((frame) => isKey.has(frame));
  const between = keys.filter((key) => key >= first && key <= last).length;
  const together: Pass = { frames, fromSec: timeOf(keyBefore(first)), keysOnly, by: 'time' };
  if (keysOnly && between <= MOST_KEYS) return [together];
  const single = frames.map((frame) => ({ ...together, frames: [frame], fromSec: timeOf(keyBefore(frame)) }));
  const alone = frames.map((frame) => timeOf(frame) - timeOf(keyBefore(frame)) + START_SECONDS);
  const whole = timeOf(last) - together.fromSec + START_SECONDS;
  return alone.reduce((sum, seconds) => sum + seconds, 0) < whole ? single : [together];
}

/** The size of decoded frames: that of the film with square pixels, within the longest side, even as decoders like it. */
export function frameSize({ width, height, pixelShape }: PictureTrack, longestSide: number) {
  const scale = Math.min(1, longestSide / Math.max(width * pixelShape, height));
  const even = (length: number) => Math.max(2, 2 * Math.round((length * scale) / 2));
  return { width: even(width * pixelShape), height: even(height) };
}

/** Decodes some frames, by their indices in ascending order. Rejects with a RecordingError or the signal's reason. */
export async function decodeFrames(
  path: string,
  frames: readonly number[],
  options: FrameOptions,
  signal?: AbortSignal,
): Promise<Frame[]> {
  const { picture, timeline } = options;
  if (picture.width * picture.height > MOST_FRAME_PIXELS) throw new RecordingError('too_large');
  const waiting = planPasses(timeline, frames);
  const decoded: Frame[] = [];
  // One that fails ends the others.
  const stop = new AbortController();
  const ended = AbortSignal.any([stop.signal, ...(signal === undefined ? [] : [signal])]);
  const work = async () => {
    for (let pass = waiting.shift(); pass !== undefined; pass = waiting.shift())
      decoded.push(...(await decodePass(path, pass, options, ended)));
  };
  const workers = Array.from({ length: AT_ONCE }, () =>
    work().catch((error: unknown) => {
      stop.abort(error);
      throw error;
    }),
  );
  await Promise.all(workers);
  if (decoded.length === 0) throw new RecordingError('broken');
  return decoded.sort((one, two) => one.timeSec - two.timeSec);
}

/** The condition by which the decoder lets the frames of a pass through. */
function conditionOf({ frames, by }: Pass, { timeline: { times }, startSec }: FrameOptions): string {
  if (by === 'number') return frames.map((frame) => `eq(n,${frame})`).join('+');
  const shown = frames.map((frame) => startSec + (times[frame] ?? 0));
  return shown
    .map((time) => `between(t,${(time - SAME_SECONDS).toFixed(6)},${(time + SAME_SECONDS).toFixed(6)})`)
    .join('+');
}

async function decodePass(
  path: string,
  pass: Pass,
  options: FrameOptions,
  signal: AbortSignal | undefined,
): Promise<Frame[]> {
  const { frames, fromSec, keysOnly, by } = pass;
  const { startSec, timeoutMs } = options;
  const { times } = options.timeline;
  const size = frameSize(options.picture, options.longestSide);
  const filters = [
    `select='${conditionOf(pass, options)}'`,
    `scale=${size.width}:${size.height}`,
    ...['setsar=1', 'showinfo=checksum=0'],
  ];
  const frameBytes = 3 * size.width * size.height;
  const { output, errorOutput } = await runProgramOnFile(
    'ffmpeg',
    path,
    [
      ...['-v', 'info', '-nostats', '-hide_banner', '-nostdin', '-threads', '1', '-copyts'],
      ...['-max_pixels', String(MOST_FRAME_PIXELS), ...(keysOnly ? ['-skip_frame', 'nokey'] : [])],
      ...(fromSec > 0 ? ['-ss', (fromSec - SAME_SECONDS).toFixed(6)] : []),
      ...[...inputArguments(), '-i', `file:${path}`, '-map', '0:V:0', '-an', '-sn', '-dn'],
      ...['-vf', filters.join(','), '-fps_mode', 'passthrough', '-frames:v', String(frames.length)],
      ...['-f', 'rawvideo', '-pix_fmt', 'rgb24', 'pipe:1'],
    ],
    { wallMs: timeoutMs, outputBytes: frameBytes * frames.length },
    signal,
  );
  const shown = frameTimes(errorOutput, startSec);
  if (output.length % frameBytes !== 0 || shown.length * frameBytes < output.length)
    throw new RecordingError('broken', { message: 'the decoder answered frames of another size' });
  return Array.from({ length: output.length / frameBytes }, (_, place) => {
    const timeSec = shown[place] ?? 0;
    const byTime = frames.findLast((frame) => (times[frame] ?? 0) <= timeSec + SAME_SECONDS);
    const index = (by === 'number' ? frames[place] : byTime) ?? frames[0] ?? 0;
    return { index, timeSec, ...size, rgb: output.subarray(place * frameBytes, (place + 1) * frameBytes) };
  });
}
