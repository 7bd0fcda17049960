import { describe, expect, it } from 'vitest';
import {
  type ModerationEvent,
  moderationMove,
  nextModerationStatus,
} from '../../../../src/services/analysis/moderation/states.ts';
import {
  MODERATION_STATUSES,
  type ModerationStatus,
} from '../../../../src/services/analysis/resources/moderation.ts';

const EVENTS: ModerationEvent[] = [
  'claim',
  'renew',
  'release',
  'lost',
  'resolve',
  'decline',
  'closed',
  'reopen',
];

/** Every allowed move of the documented table; all others are refused. */
const ALLOWED: readonly (readonly [ModerationStatus, ModerationEvent, ModerationStatus])[] = [
  ['pending', 'claim', 'in_review'],
  ['pending', 'decline', 'declined'],
  ['pending', 'closed', 'auto_closed'],
  ['in_review', 'renew', 'in_review'],
  ['in_review', 'release', 'pending'],
  ['in_review', 'lost', 'pending'],
  ['in_review', 'resolve', 'resolved'],
  ['in_review', 'decline', 'declined'],
  ['resolved', 'reopen', 'pending'],
  ['declined', 'reopen', 'pending'],
  ['auto_closed', 'reopen', 'pending'],
];

describe('the states of an entry of the moderation queue', () => {
  const cases = MODERATION_STATUSES.flatMap((status) => EVENTS.map((event) => [status, event] as const));
  it.each(cases)('%s on %s', (status, event) => {
    const allowed = ALLOWED.find(([from, on]) => from === status && on === event);
    expect(nextModerationStatus(status, event)).toBe(allowed?.[2] ?? null);
    if (allowed === undefined) {
      expect(() => moderationMove(status, event)).toThrow(
        expect.objectContaining({ code: 'invalid_transition', status: 409 }),
      );
    }
  });
});
