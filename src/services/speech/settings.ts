import { z } from 'zod';
import { address, flag, integer, list, optionalText, text } from '../../foundation/settings.ts';

const MEBIBYTE = 1024 * 1024;

/** Settings of the speech service, named as in the environment. */
export const speechSettings = z.object({
  SPEECH_API_TOKENS: list().describe('Comma-separated bearer tokens; unset: no token is asked for.'),
  SPEECH_RUNNING: integer(1, 1, 64).describe(
    'Recordings that are transcribed at once; each takes up to 300 MB while it is decoded.',
  ),
  SPEECH_QUEUE_SIZE: integer(50, 1, 10_000).describe('Recordings that may wait, of all callers together.'),
  SPEECH_CALLER_SHARE: integer(10, 1, 10_000).describe(
    'Recordings of one caller that may wait or be transcribed.',
  ),
  SPEECH_MAX_FILE_BYTES: integer(200 * MEBIBYTE, 1024, 2048 * MEBIBYTE).describe('Largest file.'),
  SPEECH_MAX_SECONDS: integer(1_800, 1, 14_400).describe('Longest recording in seconds.'),
  SPEECH_DECODE_TIMEOUT_MS: integer(60_000, 100, 600_000).describe('Time for decoding one recording.'),
  SPEECH_PIECE_SECONDS: integer(300, 10, 3_600).describe(
    'Longer recordings are sent to an engine in pieces of at most this length, cut where nobody speaks.',
  ),
  SPEECH_UPSTREAM_URL: address().describe(
    'Root of a transcription server of the common convention, such as https://host/v1; unset: none.',
  ),
  SPEECH_UPSTREAM_API_KEY: optionalText().describe('Key that is sent to that server, when it wants one.'),
  SPEECH_UPSTREAM_MODEL: text('whisper-1').describe('Model that it is asked for when a caller names none.'),
  SPEECH_UPSTREAM_TIMEOUT_MS: integer(60_000, 1, 3_600_000).describe(
    'Time for one call of that server, which transcribes one piece; a call that fails is tried once more.',
  ),
  SPEECH_LOCAL_MODEL: optionalText().describe(
    'Folder below LIMPEDE_HOME/models whose speech model is taken when a caller names none; unset: the first by name. `limpede setup speech` installs what runs it.',
  ),
  SPEECH_LOCAL_THREADS: integer(2, 1, 64).describe('Threads of such a model.'),
  SPEECH_LOCAL_MEMORY_MB: integer(3_072, 256, 262_144).describe(
    'Private memory of an engine on this machine, which is a process for each piece.',
  ),
  SPEECH_LOCAL_TIMEOUT_MS: integer(300_000, 100, 3_600_000).describe(
    'Time for one piece by an engine on this machine: at most 30 seconds of sound.',
  ),
  SPEECH_POCKETSPHINX: flag(true).describe(
    'Whether pocketsphinx is asked where it is installed and English is named as the language: it hears about every third word wrong, and answers say so.',
  ),
});

/** Checked settings of the speech service. */
export type SpeechSettings = z.infer<typeof speechSettings>;
