import { type Kysely, sql, type Transaction } from 'kysely';
import type { Logger } from '../../../foundation/log.ts';
import { type Broker, publishing } from '../broker/broker.ts';
import { errors } from '../errors.ts';
import type { AnalysisMetrics } from '../metrics.ts';
import type { ConfigVersion } from '../pipeline/config-version.ts';
import { next, withDependents } from '../pipeline/plan.ts';
import { PLAN_TYPE } from '../resources/analyze-request.ts';
import type { ComponentName } from '../resources/component-name.ts';
import { doneSteps } from '../session/checkpoint.ts';
import type { Plan, StepName } from '../session/plan.ts';
import { moveTo } from '../session/states.ts';
import {
  type CheckpointEntry,
  dropCheckpoints,
  listCheckpoints,
  readCheckpoints,
  type StoredCheckpoints,
} from '../store/checkpoints.ts';
import {
  countOpen,
  countPending,
  lockSlots,
  oldestPending,
  takeLostLeases,
  usersWaitingInVain,
  waitForSlots,
} from '../store/leases.ts';
import { closeEntryOf, enqueue, reopenEntryOf } from '../store/moderation.ts';
import {
  eraseSession,
  findByKey,
  findSession,
  insertSession,
  moveSession,
  type NewSession,
  type SessionRecord,
} from '../store/sessions.ts';
import { forgetHolds } from '../store/step-holds.ts';
import type { AnalysisTables } from '../store/tables.ts';
import { CANCEL_CHANNEL, LEASE_MS } from './active-sessions.ts';
import { publishSteps } from './worker.ts';

/** Users whose waiting sessions one sweep looks at; the next one sees the others. */
const SWEEP_USERS = 100;

/** How many accepted sessions of one user may be under way at once, by tier. */
export interface Slots {
  readonly free: number;
  readonly premium: number;
}

/** What may be done to sessions from outside. */
export interface SessionLifecycle {
  /** Stores a session for the queues; false when the idempotency key is taken. */
  accept(created: Omit<NewSession, 'status' | 'lease'>, correlationId: string): Promise<boolean>;
  cancel(record: SessionRecord): Promise<Date>;
  resume(record: SessionRecord, choice: ResumeChoice, correlationId: string): Promise<void>;
  remove(record: SessionRecord): Promise<Date>;
  /** Gives the user's free slots to the sessions that have waited longest. */
  slotFree(account: string): Promise<void>;
  /**
   * Puts sessions whose process is gone back into the queues and names their number; `all` takes those
   * of every earlier process: right when no two run at once. Sees also to sessions that wait although a slot is free.
   */
  recover(all: boolean): Promise<number>;
}

/** What a resumed session runs again beside what is missing. */
export interface ResumeChoice {
  readonly components?: readonly ComponentName[] | undefined;
  readonly forceRerun?: boolean | undefined;
  /** Everything stored after this checkpoint runs again. */
  readonly checkpointId?: string | undefined;
}

/** Steps whose checkpoints may not be reused: unusable ones, and those of another configuration. */
function staleSteps({ unusable, configVersions }: StoredCheckpoints, configVersion: string): StepName[] {
  const others = [...configVersions].filter(([, version]) => version !== configVersion);
  return [...unusable, ...others.map(([step]) => step)];
}

/** Steps that a resume runs again beside stale ones: the verdict, lost components, and those that were asked for. */
function chosenSteps(
  plan: Plan,
  { checkpoints }: StoredCheckpoints,
  entries: readonly CheckpointEntry[],
  { components, forceRerun, checkpointId }: ResumeChoice,
): StepName[] {
  const again = components ?? (forceRerun === true ? plan.steps.map(({ name }) => name) : []);
  const lost = checkpoints.filter((each) => 'outcome' in each && each.outcome.state === 'lost');
  return ['verdict', ...lost.map(({ step }) => step), ...again, ...storedAfter(entries, checkpointId)];
}

/** The steps that ended after a checkpoint; throws checkpoint_not_found when it is none of them. */
function storedAfter(entries: readonly CheckpointEntry[], checkpointId: string | undefined): StepName[] {
  if (checkpointId === undefined) return [];
  const at = entries.findIndex(({ id }) => String(id) === checkpointId);
  if (at < 0) throw errors.checkpoint_not_found();
  return entries.slice(at + 1).map(({ step }) => step);
}

/** What the lifecycle works with. */
export interface LifecycleDependencies {
  readonly queries: Kysely<AnalysisTables>;
  /** Where steps are published. */
  readonly broker: Broker;
  /** How many sessions of a user may be under way. */
  readonly slots: Slots;
  /** How many more may wait. */
  readonly pendingMax: number;
  readonly configVersion: ConfigVersion;
  readonly metrics: Pick<AnalysisMetrics, 'ended'>;
  readonly log: Logger;
}

type Change = Transaction<AnalysisTables>;

function slotsOf({ slots }: LifecycleDependencies, planType: number): number {
  return planType >= PLAN_TYPE.premiumFrom ? slots.premium : slots.free;
}

/** Notifies every process that a session was canceled, when the transaction commits. */
async function notifyCanceled(change: Change, sessionId: string): Promise<void> {
  await sql`select pg_notify(${CANCEL_CHANNEL}, ${sessionId})`.execute(change);
}

/** Publishes the steps of a session that may start. */
async function publishNext(
  { broker, log }: LifecycleDependencies,
  change: Change,
  { session }: SessionRecord,
  correlationId: string,
): Promise<void> {
  const { sessionId, plan } = session;
  const { checkpoints } = await readCheckpoints(change, session, log);
  await publishSteps(broker, change, { sessionId, correlationId }, next(plan, doneSteps(checkpoints)));
}

/** Gives free slots to the user's sessions that have waited longest. */
async function promote(dependencies: LifecycleDependencies, change: Change, account: string): Promise<void> {
  await lockSlots(change, account);
  for (;;) {
    const sessionId = await oldestPending(change, account);
    const record = sessionId === undefined ? undefined : await findSession(change, sessionId);
    if (record === undefined) return;
    if ((await countOpen(change, account)) >= slotsOf(dependencies, record.session.plan.planType)) return;
    if (!(await moveSession(change, record.session.sessionId, 'slot_free', 'processing'))) return;
    await publishNext(dependencies, change, record, record.session.sessionId);
  }
}

/** Seconds after which a user whose waiting sessions are too many may try again: some of them have started by then. */
const PENDING_RETRY_AFTER = '30';

/** Throws rate_limited when as many sessions of the user wait as may; one that was accepted before is none of them. */
async function refuseBeyond(
  pendingMax: number,
  change: Change,
  { submission: { account }, idempotencyKey }: Pick<NewSession, 'submission' | 'idempotencyKey'>,
): Promise<void> {
  if ((await countPending(change, account)) < pendingMax) return;
  if (idempotencyKey !== null && (await findByKey(change, account, idempotencyKey)) !== undefined) return;
  throw errors.rate_limited({
    message: `${pendingMax} of your analyses wait already; try again when some have ended.`,
    headers: { 'Retry-After': PENDING_RETRY_AFTER },
  });
}

async function accept(
  dependencies: LifecycleDependencies,
  change: Change,
  created: Omit<NewSession, 'status' | 'lease'>,
  correlationId: string,
): Promise<boolean> {
  const { sessionId, plan, submission, checkpoints } = created;
  const { account, planType } = submission;
  await lockSlots(change, account);
  const waits = (await countOpen(change, account)) >= slotsOf(dependencies, planType);
  if (waits) await refuseBeyond(dependencies.pendingMax, change, created);
  const status = waits ? 'pending' : 'processing';
  if (!(await insertSession(change, { ...created, status, lease: null }))) return false;
  if (created.enqueue) await enqueue(change, sessionId, created.enqueue);
  if (!waits) {
    const done = doneSteps(checkpoints.map(({ checkpoint }) => checkpoint));
    await publishSteps(dependencies.broker, change, { sessionId, correlationId }, next(plan, done));
  }
  return true;
}

/** When a session was to end, and whether that was what ended it. */
interface Ending {
  readonly at: Date;
  readonly ended: boolean;
}

async function cancel(
  dependencies: LifecycleDependencies,
  change: Change,
  record: SessionRecord,
): Promise<Ending> {
  const { sessionId, account, status } = record.session;
  const at = new Date();
  const patch = { cancel_requested_at: at, completed_at: at, lease_until: null, owner: null };
  await lockSlots(change, account);
  if (await moveSession(change, sessionId, 'cancel', moveTo(status, 'cancel'), patch)) {
    await closeEntryOf(change, sessionId, 'the session was canceled');
    await notifyCanceled(change, sessionId);
    await promote(dependencies, change, account);
    return { at, ended: true };
  }
  // Somebody was quicker: the same wish is granted already, anything else has ended the session.
  const now = await findSession(change, sessionId);
  const earlier = now?.session.cancelRequestedAt ?? null;
  if (now?.session.status !== 'canceled' || earlier === null) throw errors.invalid_transition();
  return { at: earlier, ended: false };
}

/** Throws rate_limited when the user has no free slot: sessions that were canceled and resumed would go past the others. */
async function refuseWithoutSlot(
  dependencies: LifecycleDependencies,
  change: Change,
  { session: { account, plan } }: SessionRecord,
): Promise<void> {
  const slots = slotsOf(dependencies, plan.planType);
  if ((await countOpen(change, account)) < slots) return;
  throw errors.rate_limited({
    message: `${slots} of your analyses are under way already; resume this one when one of them has ended.`,
    headers: { 'Retry-After': PENDING_RETRY_AFTER },
  });
}

async function resume(
  dependencies: LifecycleDependencies,
  change: Change,
  record: SessionRecord,
  { choice, correlationId }: { choice: ResumeChoice; correlationId: string },
): Promise<void> {
  const { configVersion, log } = dependencies;
  const { sessionId, account, status, plan } = record.session;
  // The slots before the session, as everywhere: otherwise two changes could wait for each other.
  await lockSlots(change, account);
  await refuseWithoutSlot(dependencies, change, record);
  const patch = { cancel_requested_at: null, completed_at: null, error_code: null };
  const moved = await moveSession(change, sessionId, 'resume', moveTo(status, 'resume'), patch);
  if (!moved) throw errors.invalid_transition();
  await reopenEntryOf(change, sessionId);
  const stored = await readCheckpoints(change, record.session, log);
  const entries = await listCheckpoints(change, sessionId);
  const again = [...staleSteps(stored, configVersion(plan)), ...chosenSteps(plan, stored, entries, choice)];
  await dropCheckpoints(change, sessionId, [...withDependents(plan, again)]);
  await forgetHolds(change, sessionId);
  await publishNext(dependencies, change, record, correlationId);
}

async function remove(
  dependencies: LifecycleDependencies,
  change: Change,
  record: SessionRecord,
): Promise<Ending> {
  const { sessionId, account } = record.session;
  const at = new Date();
  const patch = { cancel_requested_at: at, completed_at: at, lease_until: null, owner: null };
  await lockSlots(change, account);
  const ended = await moveSession(change, sessionId, 'cancel', 'canceled', patch);
  await eraseSession(change, sessionId, at);
  await closeEntryOf(change, sessionId, 'the session was deleted');
  await notifyCanceled(change, sessionId);
  await promote(dependencies, change, account);
  return { at, ended };
}

/** Puts sessions whose lease is lost back into the queues; their number. */
async function takeUp(dependencies: LifecycleDependencies, change: Change, all: boolean): Promise<number> {
  // What this process itself leases ends later than a lease that was taken when it began.
  const { configVersion, log } = dependencies;
  const by = all ? new Date(performance.timeOrigin + LEASE_MS) : null;
  const ids = await takeLostLeases(change, by);
  for (const id of ids) {
    const record = await findSession(change, id);
    if (record === undefined) continue;
    const stored = await readCheckpoints(change, record.session, log);
    const stale = withDependents(record.session.plan, staleSteps(stored, configVersion(record.session.plan)));
    await dropCheckpoints(change, id, [...stale]);
    await publishNext(dependencies, change, record, id);
  }
  return ids.length;
}

/** Makes the lifecycle of sessions: what changes in the database and what is published stand in one transaction. */
export function createSessionLifecycle(dependencies: LifecycleDependencies): SessionLifecycle {
  const { queries, slots, metrics } = dependencies;
  const inOne = <Result>(work: (change: Change) => Promise<Result>) =>
    publishing(dependencies.broker, queries, work);
  // Counted when it is committed.
  const counted = async (ending: Promise<Ending>) => {
    const { at, ended } = await ending;
    if (ended) metrics.ended('canceled', null);
    return at;
  };
  const slotFree = async (account: string) => {
    // Mostly nobody waits. What is being decided of this user's slots now is waited for: it may be somebody who will.
    await waitForSlots(queries, account);
    if ((await oldestPending(queries, account)) === undefined) return;
    await inOne((change) => promote(dependencies, change, account));
  };

  return {
    accept: (created, correlationId) =>
      inOne((change) => accept(dependencies, change, created, correlationId)),
    cancel: async (record) => {
      const { status, cancelRequestedAt } = record.session;
      if (status === 'canceled' && cancelRequestedAt !== null) return cancelRequestedAt;
      return counted(inOne((change) => cancel(dependencies, change, record)));
    },
    resume: (record, choice, correlationId) =>
      inOne((change) => resume(dependencies, change, record, { choice, correlationId })),
    remove: (record) => counted(inOne((change) => remove(dependencies, change, record))),
    slotFree,
    recover: async (all) => {
      const taken = await inOne((change) => takeUp(dependencies, change, all));
      // A process may have died between the end of a session and telling those that waited for it.
      const most = Math.max(slots.free, slots.premium);
      for (const account of await usersWaitingInVain(queries, most, SWEEP_USERS)) await slotFree(account);
      return taken;
    },
  };
}
