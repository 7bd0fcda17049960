import { z } from 'zod';
import { localizedText } from '../../../foundation/localized-text.ts';
import { count, looseObject, milliseconds, score } from './fields.ts';
import { pictureFusion, pictureProvenance } from './image-analysis.ts';
import { leftOutPart } from './recording.ts';
import { recordingSeenBefore } from './recording-seen-before.ts';

const seconds = z.number().min(0);

const detectorScore = z.object({
  detector: z.string(),
  applicable: z.boolean(),
  reason: z
    .object({ code: z.string(), ...localizedText.shape })
    .nullable()
    .meta({ description: 'Why it can say nothing of this recording.' }),
  score: z.number().nullable().meta({ description: 'Its own number.' }),
  threshold: z.number().nullable().meta({ description: 'The score from which it counts as found.' }),
  found: z.boolean().nullable().meta({ description: 'null: it only shows, or is not applicable.' }),
  log_likelihood_ratio: z
    .object({ value: z.number(), low: z.number(), high: z.number() })
    .meta({ description: 'What it says for making or editing, in nats, with its 90 % bounds.' }),
  explanation: localizedText.nullable(),
  cannot_see: localizedText.nullable(),
  stretches: z.array(z.object({ start_s: seconds, end_s: seconds })).meta({
    description: 'When it was found; empty where it concerns the whole recording.',
  }),
});
/** What one detector said of a recording, as the analysis keeps it. */
export type RecordingDetectorScore = z.infer<typeof detectorScore>;

const track = z.object({
  track: z.enum(['sound', 'picture']),
  ai_probability: score.nullable().meta({ description: '0 to 100; null when no detector applied.' }),
  evidence_grade: z.enum(['A', 'B', 'C', 'D']),
  detectors: z.array(detectorScore),
  not_applicable: z.array(z.string()).meta({ description: 'Detectors that can say nothing of it.' }),
  fusion: pictureFusion,
});
/** What is known of the sound or the picture of a recording. */
export type RecordingTrack = z.infer<typeof track>;

const watched = z.object({
  verdict: z
    .enum(['REAL', 'FAKE', 'UNCERTAIN'])
    .nullable()
    .meta({ description: 'Of the video service; null when nobody judged.' }),
  explanation_en: z.string().nullable(),
  explanation_ro: z.string().nullable(),
  frames_analyzed: count.meta({ description: 'Frames that a vision model has seen.' }),
  frames: z.array(z.object({ index: count, timestamp_s: seconds })).meta({
    description: 'Frames in which something speaks for a made or altered video.',
  }),
  summary: z.string().nullable().meta({ description: 'What is seen as a whole, in English.' }),
  chunks: z.array(z.object({ start_s: seconds, end_s: seconds, description: z.string() })),
  left_out: z.array(leftOutPart),
});
/** What was seen in a video. */
export type WatchedRecording = z.infer<typeof watched>;

/** What is known of the making of one recording. */
export const recordingAnalysis = z
  .object({
    media_id: z.uuid(),
    media_type: z.enum(['audio', 'video']),
    mime_type: z.string(),
    size_bytes: count,
    sha256: z.string(),
    duration_s: seconds.nullable(),
    depth: z.enum(['full', 'quick']),
    sound: looseObject.nullable().meta({ description: 'The sound track; null when nobody looked at it.' }),
    tracks: z.array(track).meta({ description: 'ai_probability of the block is that of the higher one.' }),
    provenance: pictureProvenance
      .nullable()
      .meta({ description: 'null: nobody looked for a signed history.' }),
    seen_before: recordingSeenBefore
      .nullable()
      .default(null)
      .meta({ description: 'null: it could not be looked up.' }),
    video: watched.nullable().meta({ description: 'null: it is no video, or was not watched.' }),
    examination_time_ms: milliseconds,
  })
  .meta({ id: 'AnalysedRecording' });
/** What is known of the making of one recording. */
export type AnalysedRecording = z.infer<typeof recordingAnalysis>;
