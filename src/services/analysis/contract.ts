import { defineContract } from '../../foundation/contract.ts';
import { deprecatedOperations } from './contract/deprecated.ts';
import { diagnosticOperations } from './contract/diagnostics.ts';
import { feedbackOperations } from './contract/feedback.ts';
import { groupsOperations } from './contract/groups.ts';
import { healthOperations } from './contract/health.ts';
import { keyOperations } from './contract/keys.ts';
import { mediaOperations } from './contract/media.ts';
import { moderationOperations } from './contract/moderation.ts';
import { pipelineOperations } from './contract/pipeline.ts';
import { progressOperations } from './contract/progress.ts';
import { quickCheckOperations } from './contract/quick-checks.ts';
import { reportOperations } from './contract/reports.ts';
import { sessionOperations } from './contract/sessions.ts';
import { taxonomyOperations } from './contract/taxonomy.ts';
import { errors } from './errors.ts';

/** The interface of the analysis service, relative to the gateway's prefix; each part has its handlers in `routes/`. */
export const analysis = defineContract({
  name: 'analysis',
  title: 'Limpede analysis',
  version: '3.0.0',
  description: 'Intake, analysis components, verdict and sessions.',
  errors,
  operations: {
    ...healthOperations,
    ...pipelineOperations,
    ...sessionOperations,
    ...reportOperations,
    ...progressOperations,
    ...groupsOperations,
    ...taxonomyOperations,
    ...quickCheckOperations,
    ...diagnosticOperations,
    ...deprecatedOperations,
    ...moderationOperations,
    ...mediaOperations,
    ...keyOperations,
    ...feedbackOperations,
  },
});
