import { z } from 'zod';
import { CONTAINERS, inputArguments, RecordingError, runProgramOnFile } from './programs.ts';

/** The first track with moving pictures; covers of sounds are none. */
export interface PictureTrack {
  readonly codec: string;
  /** Pixels as it is shown: turned as the file says. */
  readonly width: number;
  readonly height: number;
  /** Width over height of one pixel as it is shown; 1 is a square. */
  readonly pixelShape: number;
  /** Mean frames of a second; null when the file does not say. */
  readonly framesPerSecond: number | null;
}

/** The first sound track. */
export interface SoundTrack {
  readonly codec: string;
  readonly sampleRate: number;
  readonly channels: number;
  /** Bits of a second; null when the file does not say. */
  readonly bitRate: number | null;
}

/** What a recording says of itself in its header; none of it was checked by decoding. */
export interface RecordingFacts {
  /** Names of the container format, as ffprobe calls it. */
  readonly container: string;
  readonly durationSec: number | null;
  /** The time of its first sample or frame, from which times are counted here. */
  readonly startSec: number;
  readonly picture: PictureTrack | null;
  readonly sound: SoundTrack | null;
  readonly tracks: number;
  /** The program that wrote it, as it says. */
  readonly encoder: string | null;
}

/** A program that hangs ends after so many milliseconds; otherwise the time of the caller holds, which is a setting. */
const HANGING_MS = 60_000;
/** Bytes of the report: a file with a thousand tracks is none that is read. */
const REPORT_BYTES = 256 * 1024;
const LONGEST_TEXT = 200;
const ENTRIES = [
  'format=format_name,duration,start_time:format_tags=encoder',
  'stream=codec_type,codec_name,width,height,sample_aspect_ratio,avg_frame_rate,sample_rate,channels,bit_rate',
  'stream_disposition=attached_pic',
  'stream_side_data=rotation',
].join(':');

const text = z.string().transform((value) => value.slice(0, LONGEST_TEXT));
const amount = z.coerce.number().nonnegative().optional().catch(undefined);
const stream = z.object({
  codec_type: z.string().optional(),
  codec_name: text.default('unknown'),
  width: z.number().int().positive().optional().catch(undefined),
  height: z.number().int().positive().optional().catch(undefined),
  sample_aspect_ratio: z.string().optional(),
  avg_frame_rate: z.string().optional(),
  sample_rate: amount,
  channels: amount,
  bit_rate: amount,
  disposition: z.object({ attached_pic: z.number() }).partial().optional(),
  side_data_list: z.array(z.object({ rotation: z.number().optional() })).optional(),
});
const report = z.object({
  streams: z.array(stream).min(1),
  format: z.object({
    format_name: text.default('unknown'),
    duration: amount,
    start_time: z.coerce.number().optional().catch(undefined),
    tags: z.object({ encoder: text }).partial().optional(),
  }),
});

type Stream = z.infer<typeof stream>;

/** A ratio such as `30000/1001` or `16:15`; null when a part of it is 0 or missing. */
function ratio(written: string | undefined): number | null {
  const [above = Number.NaN, below = Number.NaN] = (written ?? '').split(/[/:]/).map(Number);
  const value = above / below;
  return Number.isFinite(value) && value > 0 ? value : null;
}

function pictureOf(streams: readonly Stream[]): PictureTrack | null {
  const track = streams.find((one) => one.codec_type === 'video' && one.disposition?.attached_pic !== 1);
  if (track?.width === undefined || track.height === undefined) return null;
  const turn = track.side_data_list?.find(({ rotation }) => rotation !== undefined)?.rotation ?? 0;
  const isTurned = Math.abs(turn) % 180 === 90;
  const [width, height] = isTurned ? [track.height, track.width] : [track.width, track.height];
  const shape = ratio(track.sample_aspect_ratio) ?? 1;
  return {
    codec: track.codec_name,
    width,
    height,
    pixelShape: isTurned ? 1 / shape : shape,
    framesPerSecond: ratio(track.avg_frame_rate),
  };
}

function soundOf(streams: readonly Stream[]): SoundTrack | null {
  const track = streams.find((one) => one.codec_type === 'audio');
  if (track === undefined || !track.sample_rate || !track.channels) return null;
  return {
    codec: track.codec_name,
    sampleRate: track.sample_rate,
    channels: track.channels,
    bitRate: track.bit_rate ?? null,
  };
}

/** Reads what a file says of itself. Rejects with a RecordingError or the signal's reason. */
export async function readFacts(
  path: string,
  signal?: AbortSignal,
  containers: string = CONTAINERS,
): Promise<RecordingFacts> {
  const { output } = await runProgramOnFile(
    'ffprobe',
    path,
    ['-v', 'error', ...inputArguments(containers), '-of', 'json', '-show_entries', ENTRIES, `file:${path}`],
    { wallMs: HANGING_MS, outputBytes: REPORT_BYTES },
    signal,
  );
  const { streams, format } = parseReport(output);
  return {
    container: format.format_name,
    durationSec: format.duration ?? null,
    startSec: format.start_time ?? 0,
    picture: pictureOf(streams),
    sound: soundOf(streams),
    tracks: streams.length,
    encoder: format.tags?.encoder ?? null,
  };
}

function parseReport(output: Buffer): z.infer<typeof report> {
  try {
    return report.parse(JSON.parse(output.toString()));
  } catch (error) {
    throw new RecordingError('broken', { cause: error });
  }
}
