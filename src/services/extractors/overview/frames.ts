import sharp from 'sharp';
import { readFacts } from '../../../media/recording/facts.ts';
import { decodeFrames, type Frame } from '../../../media/recording/frames.ts';
import { RecordingError } from '../../../media/recording/programs.ts';
import { chooseFrames, midpoints, readTimeline } from '../../../media/recording/timeline.ts';

/** A frame as it was decoded, and a small copy of it. */
export interface SampledFrame extends Frame {
  readonly copy: { readonly width: number; readonly height: number; readonly jpeg: Buffer };
}

/** Frames of a video: as many as the video service examines, so that both use the same ones. */
const FRAMES = 16;
/** The longer side of decoded frames: letters of captions can be read. */
const LONGEST_SIDE = 1_280;
const COPY_SIDE = 480;
const QUALITY = 75;

async function copyOf({ rgb, width, height }: Frame): Promise<SampledFrame['copy']> {
  const { data, info } = await sharp(rgb, { raw: { width, height, channels: 3 } })
    .resize({ width: COPY_SIDE, height: COPY_SIDE, fit: 'inside', withoutEnlargement: true })
    .jpeg({ quality: QUALITY })
    .toBuffer({ resolveWithObject: true });
  return { width: info.width, height: info.height, jpeg: data };
}

/** Frames of a video evenly over its length; none of a sound. Rejects with a RecordingError or the signal's reason. */
export async function sampleFrames(
  path: string,
  { mostSeconds, timeoutMs }: { readonly mostSeconds: number; readonly timeoutMs: number },
  signal: AbortSignal,
): Promise<SampledFrame[]> {
  const { picture, startSec, durationSec } = await readFacts(path, signal);
  if (picture === null) throw new RecordingError('no_track');
  if ((durationSec ?? 0) > mostSeconds) throw new RecordingError('too_long');
  const timeline = await readTimeline(path, { startSec, timeoutMs }, signal);
  if (timeline.durationSec > mostSeconds + 1) throw new RecordingError('too_long');
  const chosen = chooseFrames(timeline, midpoints(FRAMES, 0, timeline.durationSec));
  const options = { picture, timeline, startSec, longestSide: LONGEST_SIDE, timeoutMs };
  const frames = await decodeFrames(path, chosen, options, signal);
  const sampled: SampledFrame[] = [];
  for (const frame of frames) sampled.push({ ...frame, copy: await copyOf(frame) });
  return sampled;
}

/** A decoded frame as a file that can be read like any picture. */
export function fileOfFrame({ rgb, width, height }: Frame): Promise<Buffer> {
  return sharp(rgb, { raw: { width, height, channels: 3 } })
    .png({ compressionLevel: 1 })
    .toBuffer();
}
