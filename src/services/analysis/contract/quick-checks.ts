import { z } from 'zod';
import { defineOperations } from '../../../foundation/contract.ts';
import { analysisSession } from '../resources/analysis-session.ts';
import { analyzeRequest } from '../resources/analyze-request.ts';
import { dryRunPlan } from '../resources/dry-run-plan.ts';
import { mediaType } from '../resources/media-types.ts';
import { enveloped } from './envelope.ts';
import { idempotency, KEY_SCOPE } from './parameters.ts';

/** Analyses of the group ai-tampered beside those that every group has. */
export const quickCheckOperations = defineOperations({
  aiTamperedQuick: {
    method: 'POST',
    path: '/api/v3/ai-tampered/quick',
    summary:
      'Look for traces by our own engines alone: in a text, or in the file of a stored picture and its hash; nothing outside the platform is asked',
    group: 'ai-tampered',
    access: 'bearer',
    keyScope: KEY_SCOPE.analyze,
    headers: idempotency,
    body: analyzeRequest,
    answer: z.union([enveloped(analysisSession), dryRunPlan]),
  },
  aiTamperedAnalyzeImage: {
    method: 'POST',
    path: '/api/v3/ai-tampered/analyze-image',
    summary: 'Look for traces of generation and tampering in a picture',
    group: 'ai-tampered',
    access: 'bearer',
    keyScope: KEY_SCOPE.analyze,
    headers: idempotency,
    body: analyzeRequest.extend({ media_type: mediaType.default('image') }),
    answer: z.union([enveloped(analysisSession), dryRunPlan]),
  },
});
