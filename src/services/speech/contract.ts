import { z } from 'zod';
import { callerShareSchema } from '../../foundation/caller-share.ts';
import { defineContract } from '../../foundation/contract.ts';
import { modelsOperation } from '../../foundation/model-service/operations.ts';
import { bytesAnswer, multipartBody } from '../../foundation/payloads.ts';
import { listForm } from '../../foundation/standard-operations.ts';
import { errors } from './errors.ts';

/** Bytes of the largest file that can be allowed. */
const LARGEST_FILE = 2048 * 1024 * 1024;

/** How a transcript may be written. */
export const RESPONSE_FORMATS = ['json', 'text', 'verbose_json', 'srt', 'vtt'] as const;

/** How a transcript is written. */
export type ResponseFormat = (typeof RESPONSE_FORMATS)[number];

/** Engines that a transcript can lack, and parts of one. */
export const DEGRADATIONS = [
  'no_engine',
  'language_unknown',
  'engine_failed',
  'low_confidence',
  'no_words',
  'no_segments',
] as const;

/** What a transcript lacks. */
export type Degradation = (typeof DEGRADATIONS)[number];

const granularity = z.enum(['word', 'segment']);
const granularities = z
  .union([granularity.transform((one) => [one]), z.array(granularity).max(2)])
  .optional();

const transcriptionFields = z.object({
  model: z.string().min(1).max(256).optional().describe('The first of /v1/models when absent.'),
  language: z
    .string()
    .regex(/^[A-Za-z]{2,3}$/, { error: 'should be a code of ISO 639' })
    .optional()
    .describe('Code of ISO 639 of what is spoken, where it is known.'),
  prompt: z.string().max(4_000).optional().describe('Words that are likely to be said, for the engine.'),
  response_format: z.enum(RESPONSE_FORMATS).default('json'),
  temperature: z.coerce.number().min(0).max(1).optional(),
  'timestamp_granularities[]': granularities.describe(
    'word, segment or both; words come with verbose_json only.',
  ),
  timestamp_granularities: granularities,
});

/** The text fields of a transcription request. */
export type TranscriptionFields = z.infer<typeof transcriptionFields>;

const seconds = z.number().min(0);
const voice = z
  .object({
    voiced_seconds: seconds,
    stretches: z.array(z.object({ start: seconds, end: seconds })),
  })
  .describe('Where something like a voice is heard, by our own signal analysis.');

const degraded = z.array(
  z.object({
    dependency: z.literal('speech_engine'),
    reason: z.enum(DEGRADATIONS),
    message: z.string(),
    message_ro: z.string(),
  }),
);

/** A transcript as `json`. */
export const transcription = z
  .object({
    text: z.string(),
    language: z.string().describe('Code of ISO 639, or und.'),
    duration: seconds.describe('Seconds, as decoded.'),
    engine: z
      .object({ model: z.string(), backend: z.string() })
      .nullable()
      .describe('What wrote the text; null when nothing did.'),
    voice,
    degraded,
  })
  .meta({ id: 'Transcription' });

/** A transcript as `json`. */
export type Transcription = z.infer<typeof transcription>;

/** A transcript as `verbose_json`. */
export const verboseTranscription = z
  .object({
    task: z.literal('transcribe'),
    ...transcription.shape,
    segments: z.array(
      z.object({
        id: z.int().min(0),
        seek: z.int().min(0),
        start: seconds,
        end: seconds,
        text: z.string(),
        tokens: z.array(z.int()).describe('Always empty: tokens of one model mean nothing to another.'),
        temperature: z.number().nullable(),
        avg_logprob: z.number().nullable().describe('Null when the engine does not tell.'),
        compression_ratio: z.number(),
        no_speech_prob: z.number().nullable().describe('Null when the engine does not tell.'),
      }),
    ),
    words: z
      .array(z.object({ word: z.string(), start: seconds, end: seconds }))
      .optional()
      .describe('When words were asked for and the engine gives them.'),
  })
  .meta({ id: 'VerboseTranscription' });

/** A transcript as `verbose_json`. */
export type VerboseTranscription = z.infer<typeof verboseTranscription>;

const speechModel = z
  .object({
    id: z.string(),
    object: z.literal('model'),
    created: z.int(),
    owned_by: z.string(),
    backend: z.string(),
    languages: z.array(z.string()).nullable().describe('Null when the backend does not tell.'),
    low_confidence: z.boolean().describe('Whether what it writes down is no more than a hint.'),
  })
  .meta({ id: 'SpeechModel' });

/** A model that transcribes. */
export type SpeechModel = z.infer<typeof speechModel>;

/** What is said in recordings. */
export const speech = defineContract({
  name: 'speech',
  title: 'Speech',
  version: '1.0.0',
  description:
    'What is said in a recording, in the convention of OpenAI: voices are found by an analysis of our own, words come from a transcription server or a model of yours.',
  errors,
  health: listForm('backends'),
  models: speechModel,
  operations: {
    transcribe: {
      method: 'POST',
      path: '/v1/audio/transcriptions',
      summary: 'What is said in a recording',
      access: 'bearer',
      headers: callerShareSchema('a recording is transcribed'),
      body: multipartBody({ fields: transcriptionFields, files: { file: { maxBytes: LARGEST_FILE } } }),
      answer: bytesAnswer(['application/json', 'text/plain', 'application/x-subrip', 'text/vtt']),
    },
    models: modelsOperation(speechModel),
  },
});
