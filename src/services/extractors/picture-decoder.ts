import { packageFile } from '../../foundation/files.ts';
import { createDecoder, DecodeError, type Decoder } from '../../media/image/decoder.ts';
import { errors } from './errors.ts';
import type { ExtractorsSettings } from './settings.ts';

/** The longer side of the copy that is looked at: letters that people read on a screen are large enough in it. */
const LOOKED_AT = 1600;

const SANDBOX_NOTES = {
  bubblewrap: 'decoders run without network and files',
  limits: 'decoders run with limits of memory and time alone; bubblewrap is missing or not allowed',
  process: 'decoders run as plain processes; prlimit and bubblewrap are missing',
} as const;

/** How decoders are kept apart from the machine. */
export const sandboxNote = ({ isolation }: Decoder): string => SANDBOX_NOTES[isolation];

const FAILURES = {
  broken: errors.broken_media,
  out_of_memory: errors.too_many_pixels,
  too_many_pixels: errors.too_many_pixels,
  timeout: errors.timeout,
} as const;

/** What a caller is told whose picture was not decoded. */
export const toldDecodeError = (error: unknown): unknown =>
  error instanceof DecodeError ? FAILURES[error.reason]({ cause: error }) : error;

/** A decoder over the bundled program, each picture in a process of its own; none is started before the first. */
export function openPictureDecoder(settings: ExtractorsSettings): Decoder {
  return createDecoder({
    script: packageFile('dist', 'image-decode-worker.js'),
    readable: ['dist', 'node_modules', 'package.json'].map((name) => packageFile(name)),
    timeoutMs: settings.EXTRACTORS_DECODE_TIMEOUT_MS,
    mostPixels: settings.EXTRACTORS_MAX_PIXELS,
    thumbnailSide: LOOKED_AT,
  });
}
