import { z } from 'zod';
import { defineOperations } from '../../../foundation/contract.ts';
import { analysisSession, SESSION_STATUSES } from '../resources/analysis-session.ts';
import { asyncAccepted } from '../resources/async-accepted.ts';
import { COMPONENTS, componentName } from '../resources/component-name.ts';
import { historyPage } from '../resources/history-page.ts';
import { MEDIA_TYPES } from '../resources/media-types.ts';
import { queueStatus } from '../resources/queue-status.ts';
import { revision } from '../resources/revision.ts';
import { enveloped } from './envelope.ts';
import { KEY_SCOPE, sessionParams } from './parameters.ts';

const PIPELINE = 'pipeline';
const SESSION = '/api/v3/pipeline/sessions/{sessionId}';

/** Words to search for; a NUL is in no stored text. */
const searched = (longest: number) =>
  z
    .string()
    .max(longest)
    .refine((value) => !value.includes('\0'), 'must not hold a NUL character');
const included = z
  .string()
  .transform((value) => value.split(',').map((part) => part.trim()))
  .pipe(z.array(z.enum([...COMPONENTS, 'verdict', 'revisions'])))
  .optional()
  .describe(
    'Blocks to answer with, separated by commas; all blocks unless given. `revisions` adds the corrections.',
  );
const historyQuery = z.object({
  page: z.coerce.number().int().min(1).max(100_000).default(1),
  limit: z.coerce.number().int().min(1).max(100).default(20),
  status: z.enum(SESSION_STATUSES).optional(),
  input_type: z.enum(MEDIA_TYPES).optional(),
  risk_level: z.enum(['minimal', 'low', 'moderate', 'high', 'critical', 'unknown']).optional(),
  q: searched(200).min(1).optional().describe('Words to find in the text, title or address.'),
  from: z.iso.datetime({ offset: true }).or(z.iso.date()).optional(),
  to: z.iso.datetime({ offset: true }).or(z.iso.date()).optional(),
  sort: z.enum(['created_at', '-created_at', 'risk_score', '-risk_score']).default('-created_at'),
  user_id: searched(255)
    .optional()
    .describe(
      'Another person’s sessions: for moderator, senior_moderator, auditor and admin; each look is noted.',
    ),
});

/** What a cancelled session answers. */
const cancellation = enveloped(
  z.object({
    session_id: z.uuid(),
    status: z.literal('canceled'),
    cancel_requested_at: z.iso.datetime({ offset: true }),
  }),
);

/** What a resumed session runs again beside what is missing. */
const resumeChoice = z.looseObject({
  checkpoint_id: z
    .string()
    .optional()
    .describe('Everything that was found after this checkpoint is found again.'),
  components: z.array(componentName).optional(),
  force_rerun: z.boolean().optional(),
});

const checkpoint = z
  .object({
    checkpoint_id: z.string(),
    node: z.string(),
    created_at: z.iso.datetime({ offset: true }),
    completed_components: z.array(componentName),
    next: z.array(z.string()).describe('The steps that were possible from here.'),
  })
  .meta({ id: 'Checkpoint' });

/** One session and the list of them. */
export const sessionOperations = defineOperations({
  session: {
    method: 'GET',
    path: SESSION,
    summary: 'A session; blocks fill while it runs',
    group: PIPELINE,
    access: 'bearer',
    keyScope: KEY_SCOPE.read,
    params: sessionParams,
    query: z.object({ include: included }),
    answer: enveloped(analysisSession.extend({ revisions: z.array(revision).optional() })),
  },
  sessionStatus: {
    method: 'GET',
    path: `${SESSION}/status`,
    summary: 'How far a session is',
    group: PIPELINE,
    access: 'bearer',
    keyScope: KEY_SCOPE.read,
    params: sessionParams,
    answer: enveloped(queueStatus),
  },
  result: {
    method: 'GET',
    path: '/api/v3/pipeline/results/{sessionId}',
    summary: 'The session once it is final',
    group: PIPELINE,
    access: 'bearer',
    keyScope: KEY_SCOPE.read,
    params: sessionParams,
    answer: enveloped(analysisSession),
  },
  cancel: {
    method: 'POST',
    path: `${SESSION}/cancel`,
    summary: 'Stop a session; what was found is kept',
    group: PIPELINE,
    access: 'bearer',
    params: sessionParams,
    body: z.looseObject({ reason: z.string().max(500).optional() }).optional(),
    answer: cancellation,
  },
  resume: {
    method: 'POST',
    path: `${SESSION}/resume`,
    summary: 'Continue a failed or cancelled session; finished parts are reused',
    group: PIPELINE,
    access: 'bearer',
    params: sessionParams,
    body: resumeChoice.optional(),
    answer: asyncAccepted,
    answers: { 202: asyncAccepted },
  },
  checkpoints: {
    method: 'GET',
    path: `${SESSION}/checkpoints`,
    summary: 'What a session has come to, step by step',
    group: PIPELINE,
    access: 'bearer',
    keyScope: KEY_SCOPE.read,
    params: sessionParams,
    answer: enveloped(z.array(checkpoint)),
  },
  remove: {
    method: 'DELETE',
    path: SESSION,
    summary: 'Erase the content of a session; an audit stub stays',
    group: PIPELINE,
    access: 'bearer',
    params: sessionParams,
    answer: enveloped(z.object({ session_id: z.uuid(), deleted_at: z.iso.datetime({ offset: true }) })),
  },
  history: {
    method: 'GET',
    path: '/api/v3/pipeline/history',
    summary: 'The caller’s sessions, newest first',
    group: PIPELINE,
    access: 'bearer',
    keyScope: KEY_SCOPE.read,
    query: historyQuery,
    answer: historyPage,
  },
});
