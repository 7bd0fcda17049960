import { z } from 'zod';
import { callerShareSchema } from '../../foundation/caller-share.ts';
import { defineContract } from '../../foundation/contract.ts';
import { localizedText } from '../../foundation/localized-text.ts';
import { multipartBody } from '../../foundation/payloads.ts';
import { fileFactsReport } from '../../media/image/file-facts-report.ts';
import { errors } from './errors.ts';
import { recordingAnalysis } from './resources/recording.ts';

/** Bytes of the largest picture that can be allowed. */
const LARGEST_FILE = 256 * 1024 * 1024;

/** Bytes of the largest recording that can be allowed. */
const LARGEST_RECORDING = 2048 * 1024 * 1024;

/** The detectors, the strongest evidence first. */
export const DETECTORS = [
  'generator_metadata',
  'double_quantisation',
  'copy_move',
  'jpeg_grid',
  'file_history',
  'error_level',
  'ghost',
  'noise',
] as const;

/** A detector. */
export type Detector = (typeof DETECTORS)[number];

const pixels = z.int().min(0);
const region = z.object({ x: pixels, y: pixels, width: pixels, height: pixels });

const detectorResult = z
  .object({
    detector: z.enum(DETECTORS),
    applicable: z.boolean(),
    reason: z
      .object({ code: z.string(), ...localizedText.shape })
      .nullable()
      .describe('Why the detector can say nothing of this picture; null when it is applicable.'),
    score: z
      .number()
      .nullable()
      .describe('The own number of the detector; null when it only shows, or is not applicable.'),
    threshold: z.number().nullable().describe('The score from which it counts as found.'),
    found: z.boolean().nullable(),
    log_likelihood_ratio: z
      .object({ value: z.number(), low: z.number(), high: z.number() })
      .describe(
        'What the result says for tampering or making, in nats, with its 90 % bounds: 0 when nothing was found, for no detector shows that a picture is genuine.',
      ),
    explanation: localizedText.nullable().describe('What was found; null when nothing was.'),
    cannot_see: localizedText,
    regions: z.array(region).describe('Where it was found, in pixels of the picture as it is stored.'),
    picture: z
      .object({ mime_type: z.literal('image/png'), width: pixels, height: pixels, data: z.base64() })
      .nullable()
      .describe(
        'What the detector sees over a small copy of the picture; null unless pictures were asked for.',
      ),
  })
  .meta({ id: 'DetectorResult' });

/** What one detector says of a picture. */
export type DetectorResult = z.infer<typeof detectorResult>;

const jpegFacts = z.object({
  quality: z.int().min(1).max(100).describe('The nearest quality of libjpeg.'),
  standard_table: z
    .boolean()
    .describe('Whether its table is that of libjpeg; cameras and editors have others.'),
  subsampling: z.string(),
  progressive: z.boolean(),
  segments: z.array(z.string()).describe('Names of its application segments, in their order.'),
  trailing_bytes: z.int().min(0),
});

const fileFacts = z.object({ jpeg: jpegFacts.nullable(), ...fileFactsReport.shape });

const pictureAnalysis = z
  .object({
    request_id: z.uuid(),
    media_type: z.literal('image'),
    mime_type: z.string().describe('By its bytes.'),
    size_bytes: z.int().min(1),
    sha256: z.string(),
    width: z.int().min(1),
    height: z.int().min(1),
    orientation: z.int().min(1).max(8).describe('How EXIF says that the picture is to be turned.'),
    frames: z.int().min(1).describe('Pictures in the file; the first is examined.'),
    hash: z
      .object({ algorithm: z.literal('pdq'), value: z.string().length(64), quality: z.int().min(0).max(100) })
      .describe('Near copies differ in at most 31 of 256 bits; qualities under 50 say little.'),
    preview: z
      .object({ mime_type: z.literal('image/jpeg'), width: pixels, height: pixels, data: z.base64() })
      .nullable()
      .describe('The small copy itself; null unless pictures were asked for.'),
    file: fileFacts.describe('What the file says of itself; whatever it says can be forged.'),
    detectors: z.array(detectorResult),
    degraded: z.array(z.object({ detector: z.enum(DETECTORS), reason: z.literal('detector_failed') })),
    examination_time_ms: z.int().min(0),
  })
  .meta({ id: 'PictureAnalysis' });

/** What is found in a picture. */
export type PictureAnalysis = z.infer<typeof pictureAnalysis>;

/** Traces of tampering and making in media. */
export const forensic = defineContract({
  name: 'forensic',
  title: 'Forensic features',
  version: '1.0.0',
  description:
    'Traces of tampering and of making in pictures and recordings: each detector says what it found, whether it could say anything at all, and what it cannot see.',
  errors,
  operations: {
    analyzeRecording: {
      method: 'POST',
      path: '/v1/analyze/recording',
      summary: 'Examine a recording: its sound and its moving pictures',
      access: 'public',
      headers: callerShareSchema('a recording is examined'),
      body: multipartBody({
        fields: z.object({
          depth: z
            .enum(['full', 'quick'])
            .default('full')
            .describe('quick: no faces are looked for, and no detector that needs one is listed.'),
        }),
        files: { file: { maxBytes: LARGEST_RECORDING } },
      }),
      answer: recordingAnalysis,
    },
    analyze: {
      method: 'POST',
      path: '/v1/analyze',
      summary: 'Examine a picture',
      access: 'public',
      headers: callerShareSchema('a picture is examined'),
      body: multipartBody({
        fields: z.object({
          depth: z
            .enum(['full', 'quick'])
            .default('full')
            .describe(
              'quick: what the file says of itself, and the hash; no detector looks at the pixels, and none of them is listed.',
            ),
          pictures: z
            .stringbool()
            .default(false)
            .describe('Whether the answer holds a picture for each detector that has one.'),
        }),
        files: { file: { maxBytes: LARGEST_FILE } },
      }),
      answer: pictureAnalysis,
    },
  },
});
