import { errors } from '../errors.ts';
import type { SessionStatus } from '../resources/analysis-session.ts';

/** What can happen to a session. */
export type SessionEvent =
  | 'slot_free'
  | 'step_started'
  | 'lease_lost'
  | 'verdict_stored'
  | 'impossible'
  | 'cancel'
  | 'resume'
  | 'corrected';

/** The state machine of a session; transitions that are not listed are not allowed. */
const TRANSITIONS: Record<SessionStatus, Partial<Record<SessionEvent, SessionStatus>>> = {
  pending: { slot_free: 'processing', cancel: 'canceled' },
  processing: { step_started: 'running', impossible: 'failed', cancel: 'canceled' },
  running: {
    lease_lost: 'processing',
    verdict_stored: 'completed',
    impossible: 'failed',
    cancel: 'canceled',
  },
  completed: { corrected: 'completed' },
  failed: { resume: 'processing' },
  canceled: { resume: 'processing' },
};

/** The status after an event, or null when the event is not allowed now. */
export function nextStatus(status: SessionStatus, event: SessionEvent): SessionStatus | null {
  return TRANSITIONS[status][event] ?? null;
}

/** The statuses from which an event is allowed: the guard of a single UPDATE. */
export function statusesBefore(event: SessionEvent): SessionStatus[] {
  return (Object.keys(TRANSITIONS) as SessionStatus[]).filter((status) => nextStatus(status, event) !== null);
}

/** The status after an event; throws invalid_transition. */
export function statusAfter(status: SessionStatus, event: SessionEvent): SessionStatus {
  const next = nextStatus(status, event);
  if (next === null) {
    throw errors.invalid_transition({ message: `A session that is ${status} does not allow ${event}.` });
  }
  return next;
}

/** Whether the status only changes by a request, not by itself. */
export function isFinal(status: SessionStatus): boolean {
  return status === 'completed' || status === 'failed' || status === 'canceled';
}
