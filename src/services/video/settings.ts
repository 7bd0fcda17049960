import { z } from 'zod';
import { dependency, integer, optionalText } from '../../foundation/settings.ts';

const MEBIBYTE = 1024 * 1024;

/** Settings of the video service, named as in the environment. */
export const videoSettings = z.object({
  VIDEO_RUNNING: integer(1, 1, 16).describe('Videos that are examined at once.'),
  VIDEO_QUEUE_SIZE: integer(20, 1, 1_000).describe('Videos that may wait, of all callers together.'),
  VIDEO_CALLER_SHARE: integer(5, 1, 1_000).describe('Videos of one caller that may wait or be examined.'),
  VIDEO_MAX_FILE_BYTES: integer(200 * MEBIBYTE, 1024, 2048 * MEBIBYTE).describe('Largest file.'),
  VIDEO_MAX_SECONDS: integer(180, 1, 7_200).describe('Longest video in seconds.'),
  VIDEO_TIMEOUT_MS: integer(600_000, 1_000, 3_600_000).describe('Time for one video, waiting apart.'),
  VIDEO_DECODE_TIMEOUT_MS: integer(60_000, 100, 600_000).describe('Time for one run of the decoder.'),
  VIDEO_RUN_KEEP_MINUTES: integer(1_440, 1, 525_600).describe(
    'How long frames and results are kept in the run_dir of an answer, a folder below LIMPEDE_HOME.',
  ),
  VISION_URL: dependency().describe(
    'The vision model server, which looks at frames; `none` switches it off.',
  ),
  VIDEO_VISION_MODEL: optionalText().describe('Its model; unset: the first that it lists.'),
  VIDEO_VISION_IMAGES: integer(8, 1, 64).describe('Frames of one request to it.'),
  VIDEO_VISION_TIMEOUT_MS: integer(30_000, 1, 600_000).describe('Time for one request to it.'),
  EXTRACTORS_URL: dependency().describe(
    'The extractors, which check signatures of origin; `none` switches them off.',
  ),
  VIDEO_EXTRACTORS_TIMEOUT_MS: integer(20_000, 1, 600_000).describe('Time for one request to them.'),
  LLM_URL: dependency().describe(
    'The text-model gateway, which merges descriptions; `none` switches it off.',
  ),
  LLM_API_TOKEN: optionalText().describe('The token that our own services send to the text-model gateway.'),
  VIDEO_SUMMARY_MODEL: optionalText().describe(
    'The model that merges descriptions; unset: the first that the gateway lists.',
  ),
  VIDEO_SUMMARY_TIMEOUT_MS: integer(60_000, 1, 600_000).describe('Time for merging descriptions.'),
});

/** Checked settings of the video service. */
export type VideoSettings = z.infer<typeof videoSettings>;
