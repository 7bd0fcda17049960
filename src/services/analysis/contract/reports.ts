import { z } from 'zod';
import { defineOperations } from '../../../foundation/contract.ts';
import { bytesAnswer } from '../../../foundation/payloads.ts';
import { KEY_SCOPE, sessionParams } from './parameters.ts';

const reportQuery = z.object({
  format: z
    .enum(['html', 'json', 'claimreview'])
    .default('html')
    .describe(
      'One HTML file, the complete session with the rules that judged it, or ClaimReview of schema.org.',
    ),
  lang: z
    .string()
    .transform((value) => [...new Set(value.split(',').map((part) => part.trim()))])
    .pipe(z.array(z.enum(['ro', 'en'])).min(1))
    .optional()
    .describe('ro, en, or both separated by a comma; the first one is shown first. Both unless given.'),
});
/** How a report is to be made. */
export type ReportQuery = z.output<typeof reportQuery>;

/** Reports of sessions. */
export const reportOperations = defineOperations({
  report: {
    method: 'GET',
    path: '/api/v3/pipeline/sessions/{sessionId}/report',
    summary:
      'The report of a final session as a file; ClaimReview holds only claims that a person decided, else 404',
    group: 'pipeline',
    access: 'bearer',
    keyScope: KEY_SCOPE.read,
    params: sessionParams,
    query: reportQuery,
    answer: bytesAnswer(['text/html', 'application/json', 'application/ld+json']),
  },
});
