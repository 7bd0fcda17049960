import type { PictureTrack } from './facts.ts';
import { frameSize, MOST_FRAME_PIXELS } from './frames.ts';
import { inputArguments, RecordingError, runProgramOnFile } from './programs.ts';
import type { Sound } from './sound.ts';

/** A part of a recording in which pictures and sound are wanted together, from the same moment on. */
export interface WindowOptions {
  readonly fromSec: number;
  readonly seconds: number;
  readonly timeoutMs: number;
}

/** Consecutive frames at an even rate, three bytes a pixel, one frame after the other. */
export interface FrameRun {
  readonly width: number;
  readonly height: number;
  readonly framesPerSecond: number;
  readonly count: number;
  readonly rgb: Buffer;
}

const BYTES_PER_SAMPLE = 2;
const FULL_SCALE = 32_768;

const common = (path: string, { fromSec, seconds }: WindowOptions) => [
  ...['-v', 'error', '-nostdin', '-threads', '1', '-max_pixels', String(MOST_FRAME_PIXELS)],
  ...(fromSec > 0 ? ['-ss', fromSec.toFixed(3)] : []),
  ...[...inputArguments(), '-i', `file:${path}`, '-sn', '-dn', '-t', seconds.toFixed(3)],
];

/** Decodes all frames of a window, at an even rate that begins with the window. Rejects with a RecordingError or the signal's reason. */
export async function decodeRun(
  path: string,
  options: WindowOptions & {
    readonly picture: PictureTrack;
    readonly longestSide: number;
    readonly framesPerSecond: number;
  },
  signal?: AbortSignal,
): Promise<FrameRun> {
  const { picture, longestSide, framesPerSecond, seconds, timeoutMs } = options;
  if (picture.width * picture.height > MOST_FRAME_PIXELS) throw new RecordingError('too_large');
  const { width, height } = frameSize(picture, longestSide);
  const frameBytes = 3 * width * height;
  const most = Math.ceil(seconds * framesPerSecond) + 1;
  const { output } = await runProgramOnFile(
    'ffmpeg',
    path,
    [
      ...[...common(path, options), '-map', '0:V:0', '-an'],
      ...['-vf', `fps=${framesPerSecond}:start_time=0,scale=${width}:${height},setsar=1`],
      ...['-frames:v', String(most), '-f', 'rawvideo', '-pix_fmt', 'rgb24', 'pipe:1'],
    ],
    { wallMs: timeoutMs, outputBytes: most * frameBytes },
    signal,
  );
  const count = output.length / frameBytes;
  if (count === 0 || !Number.isInteger(count)) throw new RecordingError('broken');
  return { width, height, framesPerSecond, count, rgb: output };
}

/** The sound of a window: silence where the track has none yet. Rejects with a RecordingError or the signal's reason. */
export async function decodeSoundRun(
  path: string,
  options: WindowOptions & { readonly rate: number },
  signal?: AbortSignal,
): Promise<Sound> {
  const { rate, seconds, timeoutMs } = options;
  const { output } = await runProgramOnFile(
    'ffmpeg',
    path,
    [
      ...[...common(path, options), '-map', '0:a:0', '-vn', '-af', 'aresample=async=1:first_pts=0'],
      ...['-ac', '1', '-ar', String(rate), '-f', 's16le', 'pipe:1'],
    ],
    { wallMs: timeoutMs, outputBytes: BYTES_PER_SAMPLE * rate * (Math.ceil(seconds) + 1) },
    signal,
  );
  const samples = new Float32Array(Math.floor(output.length / BYTES_PER_SAMPLE));
  for (let index = 0; index < samples.length; index += 1)
    samples[index] = output.readInt16LE(BYTES_PER_SAMPLE * index) / FULL_SCALE;
  return { rate, samples };
}
