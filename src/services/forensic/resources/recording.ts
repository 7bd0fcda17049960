import { z } from 'zod';
import { localizedText } from '../../../foundation/localized-text.ts';

/** The detectors of recordings, the strongest evidence first. */
export const RECORDING_DETECTORS = [
  'lip_sync',
  'digital_silence',
  'bandwidth_change',
  'bandwidth',
  'pulse',
] as const;

/** A detector of recordings. */
export type RecordingDetector = (typeof RECORDING_DETECTORS)[number];

const seconds = z.number().min(0);

const detectorResult = z
  .object({
    detector: z.enum(RECORDING_DETECTORS),
    applicable: z.boolean(),
    reason: z
      .object({ code: z.string(), ...localizedText.shape })
      .nullable()
      .describe('Why the detector can say nothing of this recording; null when it is applicable.'),
    score: z.number().nullable().describe('The own number of the detector; null when it is not applicable.'),
    threshold: z
      .number()
      .nullable()
      .describe('The score from which it counts as found; null when it only shows.'),
    found: z.boolean().nullable(),
    log_likelihood_ratio: z
      .object({ value: z.number(), low: z.number(), high: z.number() })
      .describe(
        'What the result says for a recording that was made or edited, in nats; 0 when nothing was found.',
      ),
    explanation: localizedText.nullable().describe('What was found; null when nothing was.'),
    cannot_see: localizedText,
    stretches: z
      .array(z.object({ start_s: seconds, end_s: seconds }))
      .describe(
        'Where it was found, in seconds from the start; empty when it is found in the whole or nowhere.',
      ),
  })
  .meta({ id: 'RecordingDetectorResult' });

/** What one detector says of a recording. */
export type RecordingDetectorResult = z.infer<typeof detectorResult>;

const soundFacts = z.object({
  codec: z.string(),
  sample_rate: z.number(),
  channels: z.number(),
  bit_rate: z.number().nullable(),
  encoder: z.string().nullable().describe('The program that wrote the file, as it says.'),
  bandwidth_hz: z.number().nullable().describe('Up to where the sound has content; null in silence.'),
});

const pictureFacts = z.object({
  codec: z.string(),
  width: z.int().min(1),
  height: z.int().min(1),
  frames_per_second: z.number().nullable(),
});

const filmHashes = z.object({
  algorithm: z.literal('pdq'),
  frames: z
    .array(z.object({ at_s: seconds, value: z.string().length(64), quality: z.int().min(0).max(100) }))
    .describe('The first frame of each quarter of a second. Near copies differ in at most 31 of 256 bits.'),
});

/** Parts of an examination that may be lost while the others are answered. */
export const RECORDING_PARTS = ['hashes', 'faces'] as const;

/** What is found in a recording. */
export const recordingAnalysis = z
  .object({
    request_id: z.uuid(),
    media_type: z.enum(['audio', 'video']),
    mime_type: z.string().describe('By its bytes.'),
    size_bytes: z.int().min(1),
    sha256: z.string(),
    duration_s: seconds.describe('As decoded: of the sound, else of the moving pictures.'),
    voiced_s: seconds.describe('Seconds in which something like a voice is heard.'),
    sound: soundFacts.nullable().describe('The first sound track; null when there is none.'),
    picture: pictureFacts
      .nullable()
      .describe('The first track with moving pictures; null when there is none.'),
    hashes: filmHashes.nullable().describe('Null without moving pictures, and when they were not read.'),
    detectors: z.array(detectorResult),
    degraded: z.array(z.object({ part: z.enum(RECORDING_PARTS), reason: z.string() })),
    examination_time_ms: z.int().min(0),
  })
  .meta({ id: 'RecordingAnalysis' });

/** What is found in a recording. */
export type RecordingAnalysis = z.infer<typeof recordingAnalysis>;
