import { z } from 'zod';
import { defineOperations } from '../../../foundation/contract.ts';
import { analysisSession } from '../resources/analysis-session.ts';
import { analyzeRequest } from '../resources/analyze-request.ts';
import { asyncAccepted } from '../resources/async-accepted.ts';
import { dryRunPlan } from '../resources/dry-run-plan.ts';
import { mediaType } from '../resources/media-types.ts';
import { verdictConfig } from '../resources/verdict-config.ts';
import { activeProfile } from '../tunables.ts';
import { enveloped } from './envelope.ts';
import { ADMIN, idempotency, KEY_SCOPE } from './parameters.ts';

const PIPELINE = 'pipeline';

const queueState = z
  .object({
    depth: z.int().min(0),
    oldest_age_ms: z.number().min(0).nullable(),
    in_flight: z.int().min(0),
  })
  .meta({ id: 'QueueState' });

/** The kind of content, and what is to be different in its profile; the rest stays. */
const profileChange = activeProfile.partial().loose().extend({ media_type: mediaType });

const analyzeAndWait = {
  method: 'POST',
  group: PIPELINE,
  access: 'bearer',
  keyScope: KEY_SCOPE.analyze,
  headers: idempotency,
  body: analyzeRequest,
  answer: z.union([enveloped(analysisSession), dryRunPlan]),
} as const;

/** Analyses through the whole pipeline, and how it is set. */
export const pipelineOperations = defineOperations({
  analyze: {
    ...analyzeAndWait,
    path: '/api/v3/pipeline/analyze',
    summary: 'Analyse and wait for the session',
  },
  analyzeAsync: {
    method: 'POST',
    path: '/api/v3/pipeline/analyze-async',
    summary: 'Accept an analysis and answer at once',
    group: PIPELINE,
    access: 'bearer',
    keyScope: KEY_SCOPE.analyze,
    headers: idempotency,
    body: analyzeRequest,
    answer: z.union([asyncAccepted, dryRunPlan]),
    answers: { 202: asyncAccepted },
  },
  analyzeMedia: {
    ...analyzeAndWait,
    path: '/api/v3/pipeline/analyze-media',
    summary: 'Analyse a picture, sound or a video and wait for the session',
  },
  dryRun: {
    method: 'POST',
    path: '/api/v3/pipeline/dry-run',
    summary: 'The plan of an analysis, without running it',
    group: PIPELINE,
    access: 'bearer',
    keyScope: KEY_SCOPE.analyze,
    body: analyzeRequest,
    answer: dryRunPlan,
  },
  queue: {
    method: 'GET',
    path: '/api/v3/pipeline/queue',
    summary: 'How much waits in each queue',
    group: PIPELINE,
    access: 'bearer',
    answer: enveloped(z.object({ queues: z.record(z.string(), queueState) })),
  },
  verdictConfig: {
    method: 'GET',
    path: '/api/v3/pipeline/verdict-config',
    summary: 'Weights, bands and overrides of the verdict',
    group: PIPELINE,
    access: 'bearer',
    answer: enveloped(verdictConfig),
  },
  setVerdictProfile: {
    method: 'PUT',
    path: '/api/v3/pipeline/verdict-config',
    summary:
      'Change the verdict profile of one kind of content; holds for every session accepted from now on',
    group: PIPELINE,
    access: ADMIN,
    body: profileChange,
    answer: enveloped(verdictConfig),
  },
});
