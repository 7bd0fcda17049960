import { RecordingError } from './programs.ts';

type MakeError = (options: { readonly cause: unknown }) => Error;

/** The errors with which a service answers when a recording was not read. */
export interface RecordingFailures {
  readonly decoder_missing: MakeError;
  readonly broken_media: MakeError;
  readonly no_track: MakeError;
  readonly media_too_long: MakeError;
  /** What it decodes to takes more memory or output than it may. */
  readonly too_much: MakeError;
  readonly timeout: MakeError;
}

/** Turns failures of reading into errors of the service; other errors stay as they are. */
export function recordingFailure(error: unknown, failures: RecordingFailures): unknown {
  if (!(error instanceof RecordingError)) return error;
  const table = {
    program_missing: failures.decoder_missing,
    broken: failures.broken_media,
    no_track: failures.no_track,
    too_long: failures.media_too_long,
    too_large: failures.too_much,
    out_of_memory: failures.too_much,
    timeout: failures.timeout,
  } as const;
  return table[error.reason]({ cause: error });
}
