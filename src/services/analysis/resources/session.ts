import { z } from 'zod';
import {
  aiTamperedResult,
  claimsResult,
  componentName,
  domainResult,
  mediaType,
  PLAN_TYPE,
  techniquesResult,
  verdictProfile,
  verdictResult,
} from '../resources.ts';

const count = z.int().min(0);
const milliseconds = z.int().min(0);
const moment = z.iso.datetime({ offset: true });
const planType = z.int().min(PLAN_TYPE.min).max(PLAN_TYPE.max);

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

/** Acceptance of an -async operation. */
export const asyncAccepted = z
  .object({
    success: z.literal(true),
    async_: z.literal(true),
    data: z.object({
      session_id: z.uuid(),
      status: sessionStatus,
      queued_components: z.array(componentName),
      plan_type: z.int().min(PLAN_TYPE.min).max(PLAN_TYPE.max),
      poll_url: z.string(),
      result_url: z.string(),
    }),
  })
  .meta({ id: 'AsyncAccepted' });
export type AsyncAccepted = z.infer<typeof asyncAccepted>;

/** A component that was left out, and why. */
export const skippedComponent = z
  .object({ component: componentName, reason: z.string() })
  .meta({ id: 'SkippedComponent' });
export type SkippedComponent = z.infer<typeof skippedComponent>;

/** How a dependency failed us. */
export const LOSS_REASONS = ['timeout', 'unavailable', 'rate_limited', 'invalid_answer'] as const;
/**
 * What a loss did: `own_engine` the dependency is off by setting and our engine answers at no cost; `fallback` it was
 * lost and another engine stood in; `part_missing` the part has no other engine; `component_lost` a component gave nothing.
 */
export const LOSS_EFFECTS = ['own_engine', 'fallback', 'part_missing', 'component_lost'] as const;

/** A dependency that did not do its part, and what that did to the result. */
export const degradation = z
  .object({ dependency: z.string(), reason: z.enum(LOSS_REASONS), effect: z.enum(LOSS_EFFECTS) })
  .meta({ id: 'Degradation' });
export type Degradation = z.infer<typeof degradation>;

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
  started_at: moment.nullable(),
  completed_at: moment.nullable(),
  created_at: moment,
  total_duration_ms: milliseconds.nullable(),
  scenario_applied: z.string().nullable().meta({ description: 'Profile code of the verdict.' }),
  topic_applied: z.string().nullable().meta({ description: 'Detected topic.' }),
  source_app: z.string().nullable(),
  api_version: z.literal('v3'),
  revision: z.int().min(1),
};

/** The central record: one analysis with its blocks, null where a part has not run. */
export const analysisSession = z
  .object({
    ...summaryFields,
    techniques: techniquesResult.nullable(),
    ai_tampered: aiTamperedResult.nullable(),
    claims: claimsResult.nullable(),
    domain: domainResult.nullable(),
    verdict: verdictResult.nullable(),
  })
  .meta({ id: 'AnalysisSession' });
export type AnalysisSession = z.infer<typeof analysisSession>;

/** A session without the heavy result blocks. */
export const sessionSummary = z.object(summaryFields).meta({ id: 'SessionSummary' });
export type SessionSummary = z.infer<typeof sessionSummary>;

/** Position in a list: `pages` is 0 for an empty one. */
export const pagination = z
  .object({ page: z.int().min(1), limit: z.int().min(1).max(100), total: count, pages: count })
  .meta({ id: 'Pagination' });
export type Pagination = z.infer<typeof pagination>;

/** One page of the caller's sessions. */
export const historyPage = z
  .object({ success: z.literal(true), data: z.object({ items: z.array(sessionSummary), pagination }) })
  .meta({ id: 'HistoryPage' });
export type HistoryPage = z.infer<typeof historyPage>;

/** Where a session stands; `progress` runs from 0 to 1. */
export const queueStatus = z
  .object({
    session_id: z.uuid(),
    status: sessionStatus,
    progress: z.number().min(0).max(1),
    completed_components: z.array(componentName),
    total_components: count,
    stage: z.string().nullable(),
    queue_position: count.nullable(),
    eta_ms: milliseconds.nullable(),
    degraded: z.array(degradation),
    cancel_requested: z.boolean(),
  })
  .meta({ id: 'QueueStatus' });
export type QueueStatus = z.infer<typeof queueStatus>;

const stageModels = z.object({ primary: z.string(), fallbacks: z.array(z.string()) });

/** What an analysis would run, and about what it would cost, without running it. */
export const dryRunPlan = z
  .object({
    success: z.literal(true),
    dry_run: z.literal(true),
    data: z.object({
      media_type: mediaType,
      plan_type: planType,
      flow: z.string(),
      results_queue: z.string(),
      nodes: z.array(
        z.object({
          component: z.string(),
          queue: z.string(),
          priority: z.int().min(1).max(10),
          timeout_ms: milliseconds,
          depends_on: z.array(z.string()),
        }),
      ),
      stages: z
        .record(z.string(), z.record(z.string(), stageModels))
        .meta({ description: 'stage -> tier (free, premium) -> models.' }),
      prompt_config_keys: z.array(z.string()),
      skipped: z.array(skippedComponent),
      verdict_profile: verdictProfile,
      estimate: z.object({
        calls: count,
        tokens: count,
        search_queries: count,
        cost_units: z.number().min(0),
        duration_ms_p50: milliseconds,
        duration_ms_p95: milliseconds,
      }),
    }),
  })
  .meta({ id: 'DryRunPlan' });
export type DryRunPlan = z.infer<typeof dryRunPlan>;
