import { z } from 'zod';
import { integer } from '../../foundation/settings.ts';

const MEBIBYTE = 1024 * 1024;

/** Settings of the forensic service, named as in the environment. */
export const forensicSettings = z.object({
  FORENSIC_THREADS: integer(1, 1, 64).describe('Pictures that are examined at once, each on a thread.'),
  FORENSIC_QUEUE_SIZE: integer(100, 1, 10_000).describe('Pictures that may wait, of all callers together.'),
  FORENSIC_CALLER_SHARE: integer(20, 1, 10_000).describe(
    'Pictures of one caller that may wait or be examined.',
  ),
  FORENSIC_TIMEOUT_MS: integer(60_000, 100, 600_000).describe('Time for one picture, waiting apart.'),
  FORENSIC_DECODE_TIMEOUT_MS: integer(15_000, 100, 600_000).describe(
    'Time for decoding one picture, part of the former.',
  ),
  FORENSIC_MAX_FILE_BYTES: integer(25 * MEBIBYTE, 1024, 256 * MEBIBYTE).describe('Largest picture file.'),
  FORENSIC_MAX_RECORDING_BYTES: integer(200 * MEBIBYTE, 1024, 2048 * MEBIBYTE).describe(
    'Largest sound or video file.',
  ),
  FORENSIC_RECORDING_TIMEOUT_MS: integer(120_000, 100, 3_600_000).describe(
    'Time for one recording, waiting apart.',
  ),
  FORENSIC_MAX_SECONDS: integer(420, 1, 7_200).describe('Longest recording in seconds.'),
  FORENSIC_MAX_PIXELS: integer(50_000_000, 1_000_000, 200_000_000).describe(
    'Pixels of the largest picture that is decoded; decoding takes up to 12 bytes of memory for each.',
  ),
});

/** Checked settings of the forensic service. */
export type ForensicSettings = z.infer<typeof forensicSettings>;
