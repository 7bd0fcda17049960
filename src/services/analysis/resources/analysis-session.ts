import { z } from 'zod';
import { REASON_CODES } from '../reasons.ts';
import { planType } from './analyze-request.ts';
import { componentBlocks } from './component-blocks.ts';
import { componentName } from './component-name.ts';
import { degradation } from './degradation.ts';
import { count, dateTime, milliseconds } from './fields.ts';
import { mediaType } from './media-types.ts';
import { recording } from './recording.ts';
import { verdictResult } from './verdict-result.ts';

/** States of an analysis session. */
export const SESSION_STATUSES = [
  'pending',
  'processing',
  'running',
  'completed',
  'failed',
  'canceled',
] as const;
export const sessionStatus = z.enum(SESSION_STATUSES);
export type SessionStatus = z.infer<typeof sessionStatus>;

/** A component that was left out, and why. */
export const skippedComponent = z
  .object({
    component: componentName,
    code: z.enum(REASON_CODES),
    reason: z.string().meta({ description: 'The sentence of the code in English.' }),
    reason_ro: z.string().meta({ description: 'The sentence of the code in Romanian.' }),
  })
  .meta({ id: 'SkippedComponent' });

const summaryFields = {
  session_id: z.uuid(),
  user_id: z.string().nullable(),
  user_email: z.string().nullable(),
  input_type: mediaType,
  input_text: z.string().nullable(),
  input_title: z.string().nullable(),
  input_url: z.string().nullable(),
  input_media_url: z.string().nullable(),
  input_hash: z.string().nullable(),
  input_language: z.string().nullable().meta({ description: 'ISO 639-1 code of the analysed text.' }),
  status: sessionStatus,
  error_code: z.string().nullable(),
  plan_type: planType,
  components_run: z.array(componentName),
  components_skipped: z.array(componentName),
  skipped: z.array(skippedComponent),
  degraded: z.array(degradation),
  risk_score: z.number().min(0).max(100).nullable(),
  risk_category: z.string().nullable(),
  risk_level: z.string().nullable(),
  confidence: z.number().min(0).max(1).nullable(),
  confidence_level: z.string().nullable(),
  started_at: dateTime.nullable(),
  completed_at: dateTime.nullable(),
  created_at: dateTime,
  total_duration_ms: milliseconds.nullable(),
  scenario_applied: z.string().nullable().meta({ description: 'Profile code of the verdict.' }),
  topic_applied: z.string().nullable().meta({ description: 'Detected topic.' }),
  source_app: z.string().nullable(),
  api_version: z.literal('v3'),
  revision: z.int().min(1),
  config_version: count.meta({
    description: 'Changes of the configuration before the session was accepted.',
  }),
};

/** The central record: one analysis with its blocks, null where a part has not run. */
export const analysisSession = z
  .object({
    ...summaryFields,
    recording: recording.nullable().default(null).meta({
      description: 'What is known of a sound or video beside its findings; null for all else.',
    }),
    ...componentBlocks,
    verdict: verdictResult.nullable(),
  })
  .meta({ id: 'AnalysisSession' });
export type AnalysisSession = z.infer<typeof analysisSession>;

/** A session without the heavy result blocks. */
export const sessionSummary = z.object(summaryFields).meta({ id: 'SessionSummary' });
export type SessionSummary = z.infer<typeof sessionSummary>;
