import { z } from 'zod';
import { objectSettings } from '../../foundation/objects/settings.ts';
import { integer, optionalText, settingOfOtherService } from '../../foundation/settings.ts';

const MEBIBYTE = 1024 * 1024;

const { S3_ENDPOINT, S3_BUCKET, S3_REGION, S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY } = objectSettings.shape;

/** Settings of the extractors service, named as in the environment. */
export const extractorsSettings = z.object({
  S3_ENDPOINT: settingOfOtherService(S3_ENDPOINT),
  S3_BUCKET: settingOfOtherService(S3_BUCKET),
  S3_REGION: settingOfOtherService(S3_REGION),
  S3_ACCESS_KEY_ID: settingOfOtherService(S3_ACCESS_KEY_ID),
  S3_SECRET_ACCESS_KEY: settingOfOtherService(S3_SECRET_ACCESS_KEY),
  EXTRACTORS_THREADS: integer(1, 1, 64).describe(
    'Files that each kind of reading takes at once, each on a thread.',
  ),
  EXTRACTORS_QUEUE_SIZE: integer(100, 1, 10_000).describe(
    'Files that may wait for each kind of reading, of all callers together.',
  ),
  EXTRACTORS_CALLER_SHARE: integer(20, 1, 10_000).describe('Files of one caller that may wait or be read.'),
  EXTRACTORS_METADATA_TIMEOUT_MS: integer(10_000, 100, 600_000).describe(
    'Time for the metadata of one file, waiting apart.',
  ),
  EXTRACTORS_OCR_TIMEOUT_MS: integer(45_000, 100, 600_000).describe(
    'Time for reading the text of one picture, waiting apart.',
  ),
  EXTRACTORS_DETECT_TIMEOUT_MS: integer(20_000, 100, 600_000).describe(
    'Time for recognising what one picture shows, waiting apart.',
  ),
  EXTRACTORS_TEXT_TIMEOUT_MS: integer(10_000, 100, 600_000).describe(
    'Time for finding names or the sentiment of one text, waiting apart.',
  ),
  EXTRACTORS_PICTURES_TIMEOUT_MS: integer(30_000, 100, 600_000).describe(
    'Time for drawing the pictures of one file, waiting apart.',
  ),
  EXTRACTORS_OVERVIEW_TIMEOUT_MS: integer(90_000, 100, 600_000).describe(
    'Time for the overview of one sound or video, waiting apart.',
  ),
  EXTRACTORS_MAX_SOUND_SECONDS: integer(600, 1, 36_000).describe(
    'Seconds of the longest sound or video of which pictures are drawn.',
  ),
  EXTRACTORS_PICTURE_DAYS: integer(7, 1, 3_650).describe(
    'Days for which pictures are kept that were drawn of files which are no stored objects. In an S3 store a rule of the bucket for `extracted/` has to remove them.',
  ),
  EXTRACTORS_DECODE_TIMEOUT_MS: integer(15_000, 100, 600_000).describe(
    'Time for decoding one picture or sound, part of the time of what it is decoded for.',
  ),
  EXTRACTORS_MAX_PIXELS: integer(50_000_000, 1_000_000, 200_000_000).describe(
    'Pixels of the largest picture that is decoded; decoding takes up to 12 bytes of memory for each.',
  ),
  EXTRACTORS_MAX_PICTURE_BYTES: integer(25 * MEBIBYTE, 1024, 256 * MEBIBYTE).describe(
    'Largest picture file.',
  ),
  EXTRACTORS_MAX_FILE_BYTES: integer(200 * MEBIBYTE, 1024, 1024 * MEBIBYTE).describe(
    'Largest sound or video file.',
  ),
  EXTRACTORS_C2PA_TRUST_ANCHORS: optionalText().describe(
    'A PEM file with the root certificates of signers of C2PA that are trusted; without it no signer is known to be trusted, and nothing is ever fetched to find out.',
  ),
});

/** Checked settings of the extractors service. */
export type ExtractorsSettings = z.infer<typeof extractorsSettings>;
