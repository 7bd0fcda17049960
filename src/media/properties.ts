import { readFacts } from './recording/facts.ts';
import { CONTAINERS, RecordingError } from './recording/programs.ts';

/** Properties from the header of a file; null where the file has none of the kind. */
export interface MediaProperties {
  /** In pixels, after the rotation that the file asks for. */
  readonly width: number | null;
  readonly height: number | null;
  readonly durationSec: number | null;
  /** Whether there are moving pictures or a picture; cover art of a sound does not count. */
  readonly hasPicture: boolean;
}

/** Why a file has no properties: the reader is not installed, or the file could not be read. */
export type UnreadReason = 'reader_missing' | 'not_read';

/** Pictures beside recordings. */
const FORMATS = `${CONTAINERS},png_pipe,jpeg_pipe,webp_pipe,bmp_pipe,tiff_pipe`;

/** Reads what a file says of itself, by ffprobe in a sandboxed process of its own with little memory and time. */
export async function readProperties(
  path: string,
  signal?: AbortSignal,
): Promise<MediaProperties | UnreadReason> {
  try {
    const { picture, durationSec } = await readFacts(path, signal, FORMATS);
    return {
      width: picture?.width ?? null,
      height: picture?.height ?? null,
      durationSec,
      hasPicture: picture !== null,
    };
  } catch (error) {
    signal?.throwIfAborted();
    const isMissing = error instanceof RecordingError && error.reason === 'program_missing';
    return isMissing ? 'reader_missing' : 'not_read';
  }
}
