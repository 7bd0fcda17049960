import type { Kysely, Transaction } from 'kysely';
import { errors } from '../errors.ts';
import type { ModerationResolveRequest, ModerationStatus } from '../resources/moderation.ts';
import {
  type Actor,
  addActivity,
  assign,
  assignNext,
  endEntry,
  findEntry,
  lockEntry,
  lockExpired,
  renewLease,
  requeueEntry,
  type StoredEntry,
  SYSTEM,
} from '../store/moderation.ts';
import { storeCorrection } from '../store/revisions.ts';
import { findSession, type SessionRecord } from '../store/sessions.ts';
import type { AnalysisTables } from '../store/tables.ts';
import type { CorrectedResult } from './correct-session.ts';
import type { Corrections } from './corrections.ts';
import { type ModerationEvent, moderationMove } from './states.ts';

/** The operations on entries of the moderation queue. Each change and its log entry are one transaction. */
export interface Reviews {
  claim(queueId: number, actor: Actor, leaseSec: number): Promise<StoredEntry>;
  /** Claims the most urgent entry; throws queue_empty. */
  next(actor: Actor, leaseSec: number): Promise<StoredEntry>;
  renew(queueId: number, actor: Actor, leaseSec: number): Promise<StoredEntry>;
  release(queueId: number, actor: Actor, note: string | null): Promise<StoredEntry>;
  resolve(queueId: number, actor: Actor, decision: ModerationResolveRequest): Promise<StoredEntry>;
  decline(queueId: number, actor: Actor, reason: string): Promise<StoredEntry>;
  reopen(queueId: number, actor: Actor, reason: string): Promise<StoredEntry>;
  /** Puts entries back whose holder let the lease run out; their number. */
  endLeases(): Promise<number>;
}

/** Computes the result of a session after corrections. Throws validation_failed. */
export type CorrectSession = (record: SessionRecord, corrections: Corrections) => Promise<CorrectedResult>;

type Change = Transaction<AnalysisTables>;

const NO_CORRECTIONS = {
  path: ['body', 'corrections'],
  message: 'action corrected needs corrections.',
  type: 'value_error',
};

async function entryOf(change: Change, queueId: number): Promise<StoredEntry> {
  const entry = await lockEntry(change, queueId);
  if (entry === undefined) throw errors.queue_entry_not_found();
  return entry;
}

/** An entry that this person has claimed; those of others, and one whose lease ended, are refused. */
function requireHolder(entry: StoredEntry, actor: Actor, event: ModerationEvent): void {
  moderationMove(entry.status, event);
  const expired = entry.lease_until !== null && entry.lease_until.getTime() <= Date.now();
  if (entry.assigned_account !== actor.account || expired) throw errors.entry_already_claimed();
}

async function endExpired(change: Change): Promise<number> {
  const expired = await lockExpired(change);
  for (const entry of expired) {
    const status = moderationMove(entry.status, 'lost');
    await requeueEntry(change, entry);
    await addActivity(change, {
      queueId: entry.queue_id,
      actor: SYSTEM,
      action: 'lease_ended',
      previous: entry.status,
      status,
      note: entry.assigned_to,
    });
  }
  return expired.length;
}

async function claimEntry(change: Change, queueId: number, actor: Actor, leaseSec: number) {
  await endExpired(change);
  const entry = await entryOf(change, queueId);
  if (entry.status === 'in_review') throw errors.entry_already_claimed();
  const status = moderationMove(entry.status, 'claim');
  const claimed = await assign(change, queueId, actor, leaseSec);
  await addActivity(change, { queueId, actor, action: 'claim', previous: entry.status, status });
  return claimed;
}

async function decide(
  change: Change,
  entry: StoredEntry,
  actor: Actor,
  decision: ModerationResolveRequest,
  correction: { record: SessionRecord; result: CorrectedResult } | undefined,
): Promise<StoredEntry> {
  const { queue_id: queueId, session_id: sessionId } = entry;
  const { action, notes = null } = decision;
  if (correction !== undefined) {
    const { record, result } = correction;
    const from = record.session.revision;
    const stored = await storeCorrection(change, { sessionId, from, ...result, actor, reason: notes });
    if (!stored) throw errors.version_conflict();
  }
  const resolved = await endEntry(change, entry, { status: 'resolved', actor, action });
  const status: ModerationStatus = 'resolved';
  await addActivity(change, { queueId, actor, action, previous: entry.status, status, note: notes });
  return resolved;
}

async function reopenEntry(change: Change, queueId: number, actor: Actor, reason: string) {
  const entry = await entryOf(change, queueId);
  const status = moderationMove(entry.status, 'reopen');
  if ((await findSession(change, entry.session_id)) === undefined) {
    throw errors.invalid_transition({ message: 'The session of this entry was deleted.' });
  }
  const reopened = await requeueEntry(change, entry);
  await addActivity(change, {
    queueId,
    actor,
    action: 'reopen',
    previous: entry.status,
    status,
    note: reason,
  });
  return reopened;
}

/** An entry may be declined by the moderator who claimed it, or by any while it is not claimed. */
async function declineEntry(change: Change, queueId: number, actor: Actor, reason: string) {
  const entry = await entryOf(change, queueId);
  if (entry.status === 'in_review') requireHolder(entry, actor, 'decline');
  const status = moderationMove(entry.status, 'decline');
  const declined = await endEntry(change, entry, { status, actor, action: null });
  await addActivity(change, {
    queueId,
    actor,
    action: 'decline',
    previous: entry.status,
    status,
    note: reason,
  });
  return declined;
}

async function releaseEntry(change: Change, queueId: number, actor: Actor, note: string | null) {
  const entry = await entryOf(change, queueId);
  requireHolder(entry, actor, 'release');
  const released = await requeueEntry(change, entry);
  await addActivity(change, {
    queueId,
    actor,
    action: 'release',
    previous: entry.status,
    status: released.status,
    note,
  });
  return released;
}

/** Makes the reviews of one database. */
export function createReviews(queries: Kysely<AnalysisTables>, correctSession: CorrectSession): Reviews {
  const inOne = <Result>(work: (change: Change) => Promise<Result>) => queries.transaction().execute(work);

  /** A correction is computed before the transaction: it may ask a text model. */
  const prepare = async (queueId: number, actor: Actor, decision: ModerationResolveRequest) => {
    const entry = await findEntry(queries, queueId);
    if (entry === undefined) throw errors.queue_entry_not_found();
    requireHolder(entry, actor, 'resolve');
    const record = await findSession(queries, entry.session_id);
    if (record === undefined) throw errors.session_not_found();
    if (decision.action !== 'corrected') return undefined;
    if (record.session.status !== 'completed') throw errors.invalid_transition();
    const { corrections = {} } = decision;
    // A field under another name would otherwise end the review with nothing changed.
    if (Object.keys(corrections).length === 0) throw errors.validation_failed({ details: [NO_CORRECTIONS] });
    return { record, result: await correctSession(record, corrections) };
  };

  return {
    claim: (queueId, actor, leaseSec) => inOne((change) => claimEntry(change, queueId, actor, leaseSec)),
    next: (actor, leaseSec) =>
      inOne(async (change) => {
        await endExpired(change);
        const entry = await assignNext(change, actor, leaseSec);
        if (entry === undefined) throw errors.queue_empty();
        const { queue_id: queueId, status } = entry;
        await addActivity(change, { queueId, actor, action: 'claim', previous: 'pending', status });
        return entry;
      }),
    renew: (queueId, actor, leaseSec) =>
      inOne(async (change) => {
        requireHolder(await entryOf(change, queueId), actor, 'renew');
        return renewLease(change, queueId, leaseSec);
      }),
    release: (queueId, actor, note) => inOne((change) => releaseEntry(change, queueId, actor, note)),
    resolve: async (queueId, actor, decision) => {
      const correction = await prepare(queueId, actor, decision);
      return inOne(async (change) => {
        const entry = await entryOf(change, queueId);
        requireHolder(entry, actor, 'resolve');
        if (decision.version !== undefined && decision.version !== entry.version)
          throw errors.version_conflict();
        return decide(change, entry, actor, decision, correction);
      });
    },
    decline: (queueId, actor, reason) => inOne((change) => declineEntry(change, queueId, actor, reason)),
    reopen: (queueId, actor, reason) => inOne((change) => reopenEntry(change, queueId, actor, reason)),
    endLeases: () => inOne(endExpired),
  };
}
