import { z } from 'zod';

/** The detectors of sound, the strongest evidence first. */
export const SOUND_DETECTORS = ['digital_silence', 'bandwidth'] as const;

/** A detector of sound. */
export type SoundDetector = (typeof SOUND_DETECTORS)[number];

const words = z.object({ en: z.string(), ro: z.string() });

const soundResult = z
  .object({
    detector: z.enum(SOUND_DETECTORS),
    applicable: z.boolean(),
    reason: z
      .object({ code: z.string(), ...words.shape })
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
      .describe('What the result says for sound that was made or edited, in nats; 0 when nothing was found.'),
    explanation: words.nullable().describe('What was found; null when nothing was.'),
    cannot_see: words,
  })
  .meta({ id: 'SoundDetectorResult' });

/** What one detector says of a sound. */
export type SoundDetectorResult = z.infer<typeof soundResult>;

/** What is found in the sound of a recording. */
export const recordingAnalysis = z
  .object({
    request_id: z.uuid(),
    media_type: z.enum(['audio', 'video']),
    mime_type: z.string().describe('By its bytes.'),
    size_bytes: z.int().min(1),
    sha256: z.string(),
    duration_s: z.number().min(0).describe('Of the sound, as decoded.'),
    voiced_s: z.number().min(0).describe('Seconds in which something like a voice is heard.'),
    sound: z.object({
      codec: z.string(),
      sample_rate: z.number(),
      channels: z.number(),
      bit_rate: z.number().nullable(),
      encoder: z.string().nullable().describe('The program that wrote the file, as it says.'),
      bandwidth_hz: z.number().nullable().describe('Up to where the sound has content; null in silence.'),
    }),
    detectors: z.array(soundResult),
    examination_time_ms: z.int().min(0),
  })
  .meta({ id: 'RecordingAnalysis' });

/** What is found in the sound of a recording. */
export type RecordingAnalysis = z.infer<typeof recordingAnalysis>;
