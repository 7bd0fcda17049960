import { z } from 'zod';
import { defineOperations } from '../../../foundation/contract.ts';
import { analysisSession } from '../resources/analysis-session.ts';
import { analyzeRequest } from '../resources/analyze-request.ts';
import { asyncAccepted } from '../resources/async-accepted.ts';
import { dryRunPlan } from '../resources/dry-run-plan.ts';
import { enveloped } from './envelope.ts';
import { idempotency, KEY_SCOPE } from './parameters.ts';

const SINCE = '2026-06-01T00:00:00Z';
/** A year and a half after it was replaced: time for clients that are released once a year. */
const SUNSET = '2027-12-01T00:00:00Z';

/** Operations that another one replaces; their answers say which and until when they stay. */
export const deprecatedOperations = defineOperations({
  domainAnalyze: {
    method: 'POST',
    path: '/api/v3/domain/analyze',
    summary: 'Replaced by source-assessment/analyze',
    group: 'domain',
    access: 'bearer',
    keyScope: KEY_SCOPE.analyze,
    headers: idempotency,
    body: analyzeRequest,
    answer: z.union([enveloped(analysisSession), dryRunPlan]),
    deprecated: { successor: '/api/v3/source-assessment/analyze', since: SINCE, sunset: SUNSET },
  },
  domainAnalyzeAsync: {
    method: 'POST',
    path: '/api/v3/domain/analyze-async',
    summary: 'Replaced by source-assessment/analyze-async',
    group: 'domain',
    access: 'bearer',
    keyScope: KEY_SCOPE.analyze,
    headers: idempotency,
    body: analyzeRequest,
    answer: z.union([asyncAccepted, dryRunPlan]),
    answers: { 202: asyncAccepted },
    deprecated: { successor: '/api/v3/source-assessment/analyze-async', since: SINCE, sunset: SUNSET },
  },
});
