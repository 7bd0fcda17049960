import { errors } from '../errors.ts';
import type { ModerationStatus } from '../resources/moderation.ts';

/** What can happen to an entry of the moderation queue. `lost` ends the lease of its holder; `closed` its session. */
export type ModerationEvent =
  | 'claim'
  | 'renew'
  | 'release'
  | 'lost'
  | 'resolve'
  | 'decline'
  | 'closed'
  | 'reopen';

/** The state machine of an entry; transitions that are not listed are not allowed. */
const TRANSITIONS: Record<ModerationStatus, Partial<Record<ModerationEvent, ModerationStatus>>> = {
  pending: { claim: 'in_review', decline: 'declined', closed: 'auto_closed' },
  in_review: {
    renew: 'in_review',
    release: 'pending',
    lost: 'pending',
    resolve: 'resolved',
    decline: 'declined',
  },
  resolved: { reopen: 'pending' },
  declined: { reopen: 'pending' },
  auto_closed: { reopen: 'pending' },
};

/** The status after an event, or null when the event is not allowed now. */
export function nextModerationStatus(
  status: ModerationStatus,
  event: ModerationEvent,
): ModerationStatus | null {
  return TRANSITIONS[status][event] ?? null;
}

/** The status after an event; throws invalid_transition. */
export function moderationMove(status: ModerationStatus, event: ModerationEvent): ModerationStatus {
  const next = nextModerationStatus(status, event);
  if (next === null) {
    throw errors.invalid_transition({ message: `An entry that is ${status} does not allow ${event}.` });
  }
  return next;
}
