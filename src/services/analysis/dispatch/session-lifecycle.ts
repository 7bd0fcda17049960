import { type Kysely, sql, type Transaction } from 'kysely';
import type { Broker } from '../broker/broker.ts';
import { errors } from '../errors.ts';
import { next } from '../pipeline/plan.ts';
import { PLAN_TYPE } from '../resources/analyze-request.ts';
import type { ComponentName } from '../resources/component-name.ts';
import { doneSteps } from '../session/checkpoint.ts';
import type { StepName } from '../session/plan.ts';
import { moveTo } from '../session/states.ts';
import { countOpen, lockSlots, oldestPending, takeLostLeases, usersWaitingInVain } from '../store/leases.ts';
import {
  type CheckpointRow,
  dropCheckpoints,
  eraseSession,
  findSession,
  insertSession,
  listCheckpoints,
  moveSession,
  type NewSession,
  readCheckpoints,
  type SessionRecord,
} from '../store/sessions.ts';
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

/** Steps that a resume runs again: the verdict, lost components, and those that were asked for. */
export function stepsToDrop(
  record: SessionRecord,
  lost: readonly StepName[],
  stored: readonly CheckpointRow[],
  { components, forceRerun, checkpointId }: ResumeChoice,
): StepName[] {
  const again = components ?? (forceRerun === true ? record.session.plan.nodes.map(({ node }) => node) : []);
  return [...new Set<StepName>(['verdict', ...lost, ...again, ...storedAfter(stored, checkpointId)])];
}

/** The steps that ended after a checkpoint; throws checkpoint_not_found when it is none of them. */
function storedAfter(stored: readonly CheckpointRow[], checkpointId: string | undefined): StepName[] {
  if (checkpointId === undefined) return [];
  const at = stored.findIndex(({ id }) => String(id) === checkpointId);
  if (at < 0) throw errors.checkpoint_not_found();
  return stored.slice(at + 1).map(({ node }) => node);
}

/** Where steps are published, and how many sessions of a user may be under way. */
interface Dispatcher {
  readonly broker: Broker;
  readonly slots: Slots;
}

type Change = Transaction<AnalysisTables>;

function slotsOf({ slots }: Dispatcher, planType: number): number {
  return planType >= PLAN_TYPE.premiumFrom ? slots.premium : slots.free;
}

/** Notifies every process that a session was canceled, when the transaction commits. */
async function notifyCanceled(change: Change, sessionId: string): Promise<void> {
  await sql`select pg_notify(${CANCEL_CHANNEL}, ${sessionId})`.execute(change);
}

/** Publishes the steps of a session that may start. */
async function publishNext(
  { broker }: Dispatcher,
  change: Change,
  { session }: SessionRecord,
  correlationId: string,
): Promise<void> {
  const { sessionId, plan } = session;
  const done = doneSteps(await readCheckpoints(change, sessionId));
  await publishSteps(broker, change, { sessionId, correlationId }, next(plan, done));
}

/** Gives free slots to the user's sessions that have waited longest. */
async function promote(dispatcher: Dispatcher, change: Change, account: string): Promise<void> {
  await lockSlots(change, account);
  for (;;) {
    const sessionId = await oldestPending(change, account);
    const record = sessionId === undefined ? undefined : await findSession(change, sessionId);
    if (record === undefined) return;
    if ((await countOpen(change, account)) >= slotsOf(dispatcher, record.session.plan.planType)) return;
    if (!(await moveSession(change, record.session.sessionId, 'slot_free', 'processing'))) return;
    await publishNext(dispatcher, change, record, record.session.sessionId);
  }
}

async function accept(
  dispatcher: Dispatcher,
  change: Change,
  created: Omit<NewSession, 'status' | 'lease'>,
  correlationId: string,
): Promise<boolean> {
  const { sessionId, plan, submission } = created;
  const { account, planType } = submission;
  await lockSlots(change, account);
  const waits = (await countOpen(change, account)) >= slotsOf(dispatcher, planType);
  const status = waits ? 'pending' : 'processing';
  if (!(await insertSession(change, { ...created, status, lease: null }))) return false;
  if (!waits) {
    await publishSteps(dispatcher.broker, change, { sessionId, correlationId }, next(plan, new Set()));
  }
  return true;
}

async function cancel(dispatcher: Dispatcher, change: Change, record: SessionRecord): Promise<Date> {
  const { sessionId, account, status } = record.session;
  const at = new Date();
  const patch = { cancel_requested_at: at, completed_at: at, lease_until: null, owner: null };
  if (await moveSession(change, sessionId, 'cancel', moveTo(status, 'cancel'), patch)) {
    await notifyCanceled(change, sessionId);
    await promote(dispatcher, change, account);
    return at;
  }
  // Somebody was quicker: the same wish is granted already, anything else has ended the session.
  const now = await findSession(change, sessionId);
  const earlier = now?.session.cancelRequestedAt ?? null;
  if (now?.session.status !== 'canceled' || earlier === null) throw errors.invalid_transition();
  return earlier;
}

async function resume(
  dispatcher: Dispatcher,
  change: Change,
  record: SessionRecord,
  { choice, correlationId }: { choice: ResumeChoice; correlationId: string },
): Promise<void> {
  const { sessionId, status } = record.session;
  const patch = { cancel_requested_at: null, completed_at: null, error_code: null };
  const moved = await moveSession(change, sessionId, 'resume', moveTo(status, 'resume'), patch);
  if (!moved) throw errors.invalid_transition();
  const checkpoints = await readCheckpoints(change, sessionId);
  const lost = Object.entries(checkpoints).filter(
    ([, checkpoint]) =>
      checkpoint !== undefined && 'outcome' in checkpoint && checkpoint.outcome.state === 'lost',
  );
  const names = lost.map(([node]) => node as StepName);
  const stored = await listCheckpoints(change, sessionId);
  await dropCheckpoints(change, sessionId, stepsToDrop(record, names, stored, choice));
  await publishNext(dispatcher, change, record, correlationId);
}

async function remove(dispatcher: Dispatcher, change: Change, record: SessionRecord): Promise<Date> {
  const { sessionId, account } = record.session;
  const at = new Date();
  const patch = { cancel_requested_at: at, completed_at: at, lease_until: null, owner: null };
  await moveSession(change, sessionId, 'cancel', 'canceled', patch);
  await eraseSession(change, sessionId, at);
  await notifyCanceled(change, sessionId);
  await promote(dispatcher, change, account);
  return at;
}

/** Puts sessions whose lease is lost back into the queues; their number. */
async function takeUp(dispatcher: Dispatcher, change: Change, all: boolean): Promise<number> {
  // What this process itself leases ends later than a lease that was taken when it began.
  const by = all ? new Date(performance.timeOrigin + LEASE_MS) : null;
  const ids = await takeLostLeases(change, by);
  for (const id of ids) {
    const record = await findSession(change, id);
    if (record !== undefined) await publishNext(dispatcher, change, record, id);
  }
  return ids.length;
}

/** Controls sessions in the database, telling the queues in the same transaction. */
export function createSessionLifecycle(
  queries: Kysely<AnalysisTables>,
  broker: Broker,
  slots: Slots,
): SessionLifecycle {
  const dispatcher = { broker, slots };
  const inOne = <Result>(work: (change: Change) => Promise<Result>) => queries.transaction().execute(work);
  const slotFree = (account: string) => inOne((change) => promote(dispatcher, change, account));

  return {
    accept: (created, correlationId) => inOne((change) => accept(dispatcher, change, created, correlationId)),
    cancel: async (record) => {
      const { status, cancelRequestedAt } = record.session;
      if (status === 'canceled' && cancelRequestedAt !== null) return cancelRequestedAt;
      return inOne((change) => cancel(dispatcher, change, record));
    },
    resume: (record, choice, correlationId) =>
      inOne((change) => resume(dispatcher, change, record, { choice, correlationId })),
    remove: (record) => inOne((change) => remove(dispatcher, change, record)),
    slotFree,
    recover: async (all) => {
      const taken = await inOne((change) => takeUp(dispatcher, change, all));
      // A process may have died between the end of a session and telling those that waited for it.
      const most = Math.max(slots.free, slots.premium);
      for (const account of await usersWaitingInVain(queries, most, SWEEP_USERS)) await slotFree(account);
      return taken;
    },
  };
}
