import { setImmediate } from 'node:timers/promises';
import { hashPicture, type PictureHash } from '../image/pdq.ts';
import { enlargeContentArea, findContentArea } from './content-area.ts';
import type { PictureTrack } from './facts.ts';
import { frameTimes } from './frame-times.ts';
import { MOST_FRAME_PIXELS } from './frames.ts';
import { inputArguments, RecordingError, runProgramOnFile } from './programs.ts';

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
export const FRAMES_A_SECOND = 4;
/** Side of the frames that are hashed: twice what the hash samples, so that its own smoothing has nothing left to do. */
const SIDE = 128;
const FRAME_BYTES = 3 * SIDE * SIDE;
/** What the decoder says of the film, and of each frame. */
const MAX_ERROR_OUTPUT = 64 * 1024;
const ERROR_OUTPUT_PER_FRAME = 1_000;
/** Frames between two yields to the event loop: some ten milliseconds of work. */
const FRAMES_AT_ONCE = 8;
/** Times are written in millionths of a second. */
const ROUNDING_SECONDS = 0.000_6;

/**
 * Hashes the first frame of each quarter of a second, bars at its sides left out; quarters in which none begins have none. Rejects with a
 * RecordingError or the signal's reason.
 */
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
  const { output, errorOutput } = await runProgramOnFile(
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
      maxErrorOutput: MAX_ERROR_OUTPUT + ERROR_OUTPUT_PER_FRAME * most,
    },
    signal,
  );
  const times = frameTimes(errorOutput, startSec);
  const frames = output.length / FRAME_BYTES;
  if (frames === 0 || !Number.isInteger(frames) || times.length < frames) throw new RecordingError('broken');
  const rasters = Array.from({ length: frames }, (_, frame) => ({
    width: SIDE,
    height: SIDE,
    rgb: output.subarray(frame * FRAME_BYTES, (frame + 1) * FRAME_BYTES),
  }));
  const inside = findContentArea(rasters);
  const hashed: FrameHash[] = [];
  for (const [frame, raster] of rasters.entries()) {
    hashed.push({
      timeSec: Math.max(0, times[frame] ?? 0),
      ...hashPicture(inside === undefined ? raster : enlargeContentArea(raster, inside)),
    });
    if (frame % FRAMES_AT_ONCE === 0) await setImmediate();
    signal?.throwIfAborted();
  }
  return hashed;
}
