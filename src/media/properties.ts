import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { promisify } from 'node:util';
import { z } from 'zod';

/** What the header of a file says of its content; null where there is nothing of the kind. */
export interface MediaProperties {
  /** Pixels, as it is shown. */
  readonly width: number | null;
  readonly height: number | null;
  readonly durationSec: number | null;
  /** Whether there are moving pictures or a picture, a cover of a sound apart. */
  readonly hasPicture: boolean;
}

/** Why nothing is known of a file: no reader is installed, or the file could not be read. */
export type Unread = 'reader_missing' | 'not_read';

/** Longest reading in milliseconds; a header is read in a tenth of a second. */
const LIMIT_MS = 10_000;
/** Bytes of the report of a file with many streams. */
const REPORT_BYTES = 256 * 1024;
/** Address space and seconds of processor time of the reader: no honest header needs more. */
const PRLIMIT = ['--as=1073741824', '--cpu=10', '--nofile=64', '--fsize=0', '--core=0'];
const PRLIMIT_PATH = '/usr/bin/prlimit';
/** Where programs are looked for; the reader learns nothing else of this process. */
const SEARCHED = '/usr/local/bin:/usr/bin:/bin:/opt/homebrew/bin';
/** Containers alone: lists that name other files, such as playlists, are not among them. */
const FORMATS =
  'mov,matroska,webm,ogg,mp3,wav,w64,flac,aac,amr,aiff,caf,ac3,avi,mpeg,mpegts,asf,flv,gif,png_pipe,jpeg_pipe,webp_pipe,bmp_pipe,tiff_pipe';
const ARGUMENTS = [
  ...['-v', 'error', '-protocol_whitelist', 'file', '-format_whitelist', FORMATS],
  ...['-probesize', '10M', '-analyzeduration', '5M', '-of', 'json', '-show_entries'],
  'format=duration:stream=codec_type,width,height,duration:stream_disposition=attached_pic:stream_side_data=rotation',
];

const report = z.object({
  streams: z
    .array(
      z.object({
        codec_type: z.string().optional(),
        width: z.number().int().positive().optional(),
        height: z.number().int().positive().optional(),
        disposition: z.object({ attached_pic: z.number() }).partial().optional(),
        side_data_list: z.array(z.object({ rotation: z.number().optional() })).optional(),
      }),
    )
    .min(1),
  format: z.object({ duration: z.coerce.number().nonnegative().optional() }).default({}),
});

const run = promisify(execFile);

/** Reads what a file says of itself, by ffprobe in a process of its own with little memory and time. */
export async function readProperties(path: string, signal?: AbortSignal): Promise<MediaProperties | Unread> {
  const probe = [...ARGUMENTS, `file:${path}`];
  const [program, argumentList] = existsSync(PRLIMIT_PATH)
    ? [PRLIMIT_PATH, [...PRLIMIT, 'ffprobe', ...probe]]
    : ['ffprobe', probe];
  try {
    const { stdout } = await run(program, argumentList, {
      env: { PATH: SEARCHED },
      timeout: LIMIT_MS,
      killSignal: 'SIGKILL',
      maxBuffer: REPORT_BYTES,
      ...(signal !== undefined && { signal }),
    });
    const read = report.safeParse(JSON.parse(stdout));
    return read.success ? propertiesOf(read.data) : 'not_read';
  } catch (error) {
    signal?.throwIfAborted();
    return isMissing(error) ? 'reader_missing' : 'not_read';
  }
}

/** ENOENT by Node.js, 127 by prlimit. */
function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 127);
}

function propertiesOf({ streams, format }: z.infer<typeof report>): MediaProperties {
  const picture = streams.find(
    ({ codec_type, disposition }) => codec_type === 'video' && disposition?.attached_pic !== 1,
  );
  const turn = picture?.side_data_list?.find(({ rotation }) => rotation !== undefined)?.rotation ?? 0;
  const [width, height] =
    Math.abs(turn) % 180 === 90 ? [picture?.height, picture?.width] : [picture?.width, picture?.height];
  return {
    width: width ?? null,
    height: height ?? null,
    durationSec: format.duration ?? null,
    hasPicture: picture !== undefined,
  };
}
