import { z } from 'zod';
import { callerShareSchema } from '../../foundation/caller-share.ts';
import { defineContract } from '../../foundation/contract.ts';
import { localizedText } from '../../foundation/localized-text.ts';
import { multipartBody } from '../../foundation/payloads.ts';
import type { HealthForm } from '../../foundation/standard-operations.ts';
import { errors } from './errors.ts';

/** Bytes of the largest video that can be allowed. */
const LARGEST_FILE = 2048 * 1024 * 1024;

const count = z.int().min(0);
const seconds = z.number().min(0);
const usage = z
  .object({ prompt_tokens: count, completion_tokens: count, total_tokens: count })
  .describe('As the model server counts them; 0 where it does not.');

/** Whether a video is what it seems. */
export const VIDEO_VERDICTS = ['REAL', 'FAKE', 'UNCERTAIN'] as const;

/** What one family of traces says. */
const signal = z
  .object({
    group: z.string(),
    applicable: z.boolean(),
    log_likelihood_ratio: z
      .number()
      .describe('For a made or altered video, in nats, within the cap of its family.'),
    strong: z.boolean().describe('Whether it is enough for a verdict.'),
    explanation: localizedText,
  })
  .meta({ id: 'VideoSignal' });

/** What one family of traces says. */
export type VideoSignal = z.infer<typeof signal>;

const deepfakeAnswer = z
  .object({
    request_id: z.uuid(),
    run_dir: z.string().describe('Folder with frames and results, below LIMPEDE_HOME.'),
    verdict: z.enum(VIDEO_VERDICTS),
    explanation: z.string(),
    explanation_ro: z.string(),
    frames_analyzed: count.describe('Frames that the vision model has seen.'),
    evidence: z
      .array(z.object({ frame_index: count, timestamp_s: seconds }))
      .describe('Frames in which something speaks for a made or altered video.'),
    probability: z.number().min(0).max(1).describe('Of a made or altered video, by all families of traces.'),
    evidence_grade: z
      .enum(['A', 'B', 'C', 'D'])
      .describe('A: signature or metadata, B: a strong trace, C: weak traces alone, D: nothing applied.'),
    signals: z.array(signal),
    usage,
    latency_s: z.object({
      sampling_time_s: seconds,
      encode_time_s: seconds,
      model_inference_time_s: seconds,
    }),
    meta: z.object({
      fps: z.number().min(0),
      total_frames: count,
      duration_s: seconds,
      sampled: count,
      indices: z.array(count),
      timestamps_s: z.array(seconds),
    }),
  })
  .meta({ id: 'DeepfakeAnswer' });

/** Whether a video is what it seems. */
export type DeepfakeAnswer = z.infer<typeof deepfakeAnswer>;

const chunkResult = z
  .object({
    chunk_idx: count,
    time_range: z.string().describe('Start and end in seconds, such as 10.0-20.0.'),
    description: z.string(),
    frames_analyzed: count,
    inference_time_s: seconds,
    usage,
  })
  .meta({ id: 'ChunkResult' });

/** What is seen in a part of a video. */
export type ChunkResult = z.infer<typeof chunkResult>;

const semanticAnswer = z
  .object({
    request_id: z.uuid(),
    run_dir: z.string().describe('Folder with frames and results, below LIMPEDE_HOME.'),
    analysis_type: z.literal('semantic'),
    video_duration_s: seconds,
    num_chunks: count,
    chunk_results: z.array(chunkResult),
    final_summary: z
      .string()
      .nullable()
      .describe('Null when aggregation is off, or when no text model answered.'),
    aggregation_time_s: seconds.nullable(),
    total_latency_s: seconds,
    degraded: z.array(
      z.object({
        dependency: z.literal('llm'),
        reason: z.string(),
        message: z.string(),
        message_ro: z.string(),
      }),
    ),
    meta: z.object({
      fps: z.number().min(0),
      total_frames: count,
      duration_s: seconds,
      chunk_duration_s: seconds,
      frames_per_chunk: count,
      total_frames_sampled: count,
    }),
  })
  .meta({ id: 'SemanticAnswer' });

/** What is seen in a video. */
export type SemanticAnswer = z.infer<typeof semanticAnswer>;

const semanticFields = z.object({
  chunk_duration_s: z.coerce.number().min(1).max(60).default(10),
  frames_per_chunk: z.coerce.number().int().min(4).max(64).default(24),
  enable_aggregation: z.stringbool().default(true),
});

/** Options of a semantic analysis. */
export type SemanticFields = z.infer<typeof semanticFields>;

const state = z.enum(['healthy', 'unhealthy', 'unknown']);
const healthAnswer = z
  .object({
    status: z.enum(['ok', 'unavailable']),
    checks: z.record(z.string(), z.object({ status: state, error: z.string().nullable() })),
  })
  .meta({ id: 'VideoHealth' });

/** The word of the video service: ok, whatever its model server does, as long as videos can be read. */
const healthForm: HealthForm<typeof healthAnswer> = {
  body: healthAnswer,
  unhealthyStatus: 503,
  describe: ({ status, checks }) => ({
    status: status === 'unhealthy' ? 'unavailable' : 'ok',
    checks: Object.fromEntries(
      Object.entries(checks).map(([name, check]) => [name, { status: check.status, error: check.error }]),
    ),
  }),
};

const headers = callerShareSchema('a video is examined');
const files = { file: { maxBytes: LARGEST_FILE } };

/** Whether a video is real, and what it shows. */
export const video = defineContract({
  name: 'video',
  title: 'Video analysis',
  version: '1.0.0',
  description:
    'Whether a video is real, as far as its frames and traces tell, and what it shows, chunk by chunk and as a whole.',
  errors,
  health: healthForm,
  operations: {
    analyze: {
      method: 'POST',
      path: '/analyze/video',
      summary: 'Whether a video is real: 16 frames',
      access: 'public',
      headers,
      body: multipartBody({ fields: z.object({}), files }),
      answer: deepfakeAnswer,
    },
    describe: {
      method: 'POST',
      path: '/analyze/video/semantic',
      summary: 'What a video shows',
      access: 'public',
      headers,
      body: multipartBody({ fields: semanticFields, files }),
      answer: semanticAnswer,
    },
  },
});
