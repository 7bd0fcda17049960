import { defineOperations } from '../../../foundation/contract.ts';
import { eventsAnswer } from '../../../foundation/payloads.ts';
import { progressEvents } from '../resources/progress-event.ts';
import { KEY_SCOPE, sessionParams } from './parameters.ts';

/** The progress of sessions. */
export const progressOperations = defineOperations({
  progress: {
    method: 'GET',
    path: '/api/v3/pipeline/sessions/{sessionId}/events',
    summary: 'The progress of a session, from its first event to its end',
    group: 'pipeline',
    access: 'bearer',
    keyScope: KEY_SCOPE.read,
    params: sessionParams,
    answer: eventsAnswer(progressEvents),
  },
});
