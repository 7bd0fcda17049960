import { describe, expect, it } from 'vitest';
import { Failure } from '../../../../src/foundation/errors.ts';
import {
  SESSION_STATUSES,
  type SessionStatus,
} from '../../../../src/services/analysis/resources/analysis-session.ts';
import {
  isFinal,
  nextStatus,
  type SessionEvent,
  statusAfter,
  statusesBefore,
} from '../../../../src/services/analysis/session/states.ts';

/** The table of the interface, row by row. */
const ALLOWED: [SessionStatus, SessionEvent, SessionStatus][] = [
  ['pending', 'slot_free', 'processing'],
  ['processing', 'step_started', 'running'],
  ['running', 'lease_lost', 'processing'],
  ['running', 'verdict_stored', 'completed'],
  ['running', 'impossible', 'failed'],
  ['processing', 'impossible', 'failed'],
  ['pending', 'cancel', 'canceled'],
  ['processing', 'cancel', 'canceled'],
  ['running', 'cancel', 'canceled'],
  ['failed', 'resume', 'processing'],
  ['canceled', 'resume', 'processing'],
  ['completed', 'corrected', 'completed'],
];
const EVENTS = [...new Set(ALLOWED.map(([, event]) => event))];

describe('session states', () => {
  it('allow what the table allows, and nothing else', () => {
    for (const status of SESSION_STATUSES) {
      for (const event of EVENTS) {
        const row = ALLOWED.find(([from, what]) => from === status && what === event);
        expect(nextStatus(status, event), `${status} ${event}`).toBe(row?.[2] ?? null);
      }
    }
  });

  it('refuse the rest with invalid_transition', () => {
    expect(() => statusAfter('completed', 'cancel')).toThrow(Failure);
    expect(() => statusAfter('completed', 'cancel')).toThrow(/completed/);
    expect(statusAfter('running', 'cancel')).toBe('canceled');
  });

  it('name the statuses that an event may come in', () => {
    expect(statusesBefore('cancel')).toEqual(['pending', 'processing', 'running']);
    expect(SESSION_STATUSES.filter(isFinal)).toEqual(['completed', 'failed', 'canceled']);
  });
});
