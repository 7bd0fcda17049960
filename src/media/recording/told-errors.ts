import { RecordingError } from './programs.ts';

type Told = (options: { readonly cause: unknown }) => Error;

/** The errors by which a service tells that it did not read a recording. */
export interface RecordingFailures {
  readonly decoder_missing: Told;
  readonly broken_media: Told;
  readonly no_track: Told;
  readonly media_too_long: Told;
  /** What it decodes to takes more memory or output than it may. */
  readonly too_much: Told;
  readonly timeout: Told;
}

/** What a caller is told of a recording that was not read; other errors stay as they are. */
export function toldRecordingError(error: unknown, told: RecordingFailures): unknown {
  if (!(error instanceof RecordingError)) return error;
  const table = {
    program_missing: told.decoder_missing,
    broken: told.broken_media,
    no_track: told.no_track,
    too_long: told.media_too_long,
    too_large: told.too_much,
    out_of_memory: told.too_much,
    timeout: told.timeout,
  } as const;
  return table[error.reason]({ cause: error });
}
