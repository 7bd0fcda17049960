import { randomUUID } from 'node:crypto';
import { type Kysely, sql, type Transaction } from 'kysely';
import { createBatcher } from '../../../foundation/batcher.ts';
import { isStatementError } from '../../../foundation/database/engine.ts';
import { Failure } from '../../../foundation/errors.ts';
import type { Logger } from '../../../foundation/log.ts';
import { type Broker, withPublishing } from '../broker/broker.ts';
import { errors } from '../errors.ts';
import type { AnalysisMetrics } from '../metrics.ts';
import type { ConfigVersion } from '../pipeline/config-version.ts';
import { nextSteps, withDependents } from '../pipeline/plan.ts';
import { PLAN_TYPE } from '../resources/analyze-request.ts';
import type { ComponentName } from '../resources/component-name.ts';
import { completedStepNames } from '../session/checkpoint.ts';
import type { Plan, StepName } from '../session/plan.ts';
import { statusAfter } from '../session/states.ts';
import { createAcceptance, type QueuedSessionInput } from '../store/accepted-sessions.ts';
import {
  type CheckpointEntry,
  dropCheckpoints,
  listCheckpoints,
  readCheckpoints,
  type StoredCheckpoints,
} from '../store/checkpoints.ts';
import {
  countSessionsOf,
  lockSlots,
  oldestPending,
  takeOverExpiredLeases,
  usersWaiting,
  usersWithFreeSlots,
  waitForSlots,
} from '../store/leases.ts';
import { closeEntryOf, enqueue, reopenEntryOf } from '../store/moderation.ts';
import {
  eraseSession,
  findByKey,
  findSession,
  moveSession,
  type NewSession,
  type SessionRecord,
} from '../store/sessions.ts';
import { deleteStepLocks } from '../store/step-locks.ts';
import type { AnalysisTables } from '../store/tables.ts';
import { CANCEL_CHANNEL, LEASE_MS } from './active-sessions.ts';
import { publishSteps, stepMessages } from './step-messages.ts';

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
  recover(which: { readonly all: boolean }): Promise<number>;
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
  readonly pendingMax: () => number;
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
  await publishSteps(
    broker,
    change,
    { sessionId, correlationId },
    nextSteps(plan, completedStepNames(checkpoints)),
  );
}

/** Gives free slots to the user's sessions that have waited longest. */
async function promote(dependencies: LifecycleDependencies, change: Change, account: string): Promise<void> {
  await lockSlots(change, [account]);
  for (;;) {
    const sessionId = await oldestPending(change, account);
    const record = sessionId === undefined ? undefined : await findSession(change, sessionId);
    if (record === undefined) return;
    const { open } = await countSessionsOf(change, account);
    if (open >= slotsOf(dependencies, record.session.plan.planType)) return;
    if (!(await moveSession(change, record.session.sessionId, 'slot_free', 'processing'))) return;
    await publishNext(dependencies, change, record, record.session.sessionId);
  }
}

/** Seconds after which a user whose waiting sessions are too many may try again: some of them have started by then. */
const PENDING_RETRY_AFTER = '30';

/** A session that is to be accepted. */
interface Acceptance {
  readonly created: Omit<NewSession, 'status' | 'lease'>;
  /** The messages of its first steps, if it need not wait. */
  readonly messages: QueuedSessionInput['messages'];
}

function tooManyWait(pendingMax: number): Failure {
  return errors.rate_limited({
    message: `${pendingMax} of your analyses wait already; try again when some have ended.`,
    headers: { 'Retry-After': PENDING_RETRY_AFTER },
  });
}

/** Whether a session was stored: false when its idempotency key is taken, a failure when too many wait. */
type Accepted = boolean | Failure;

/** Sessions of different users, and again, until all are there: those of one user come one after the other. */
function roundsOf(all: readonly Acceptance[]): Acceptance[][] {
  const rounds: Acceptance[][] = [];
  const counts = new Map<string, number>();
  for (const one of all) {
    const { account } = one.created.submission;
    const round = counts.get(account) ?? 0;
    counts.set(account, round + 1);
    const others = rounds[round] ?? [];
    rounds[round] = others;
    others.push(one);
  }
  return rounds;
}

/** Stores sessions together; those of one user one after the other, since each may take the last slot. */
async function acceptAll(
  dependencies: LifecycleDependencies,
  accept: ReturnType<typeof createAcceptance>,
  all: readonly Acceptance[],
): Promise<Accepted[]> {
  const { queries, broker } = dependencies;
  const pendingMax = dependencies.pendingMax();
  const answers = new Map<string, Accepted>();
  const published: unknown[] = [];
  const rounds = roundsOf(all);
  const work = async (change: Kysely<AnalysisTables>) => {
    for (const round of rounds) {
      const accepted = await accept(
        change,
        round.map(({ created, messages }) => {
          return { ...created, slots: slotsOf(dependencies, created.submission.planType), messages };
        }),
        pendingMax,
      );
      published.push(...accepted.published);
      const stored = new Set(accepted.stored);
      const refused = new Set(accepted.refused);
      for (const { created } of round) {
        const { sessionId, idempotencyKey, enqueue: wish, submission } = created;
        if (wish && stored.has(sessionId)) await enqueue(change, sessionId, wish);
        const isTooMany =
          refused.has(sessionId) &&
          (idempotencyKey === null ||
            (await findByKey(change, submission.account, idempotencyKey)) === undefined);
        answers.set(sessionId, isTooMany ? tooManyWait(pendingMax) : stored.has(sessionId));
      }
    }
  };
  const isOne = rounds.length === 1 && all.every(({ created }) => !created.enqueue);
  if (isOne) await work(queries);
  else await queries.transaction().execute(work);
  if (published.length > 0) broker.publication.committed(published);
  return all.map(({ created }) => answers.get(created.sessionId) ?? false);
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
  await lockSlots(change, [account]);
  if (await moveSession(change, sessionId, 'cancel', statusAfter(status, 'cancel'), patch)) {
    await closeEntryOf(change, sessionId, 'the session was canceled');
    await notifyCanceled(change, sessionId);
    await promote(dependencies, change, account);
    return { at, ended: true };
  }
  // Another request came first: it made the same change already, or it has ended the session.
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
  if ((await countSessionsOf(change, account)).open < slots) return;
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
  await lockSlots(change, [account]);
  await refuseWithoutSlot(dependencies, change, record);
  const patch = { cancel_requested_at: null, completed_at: null, error_code: null };
  const moved = await moveSession(change, sessionId, 'resume', statusAfter(status, 'resume'), patch);
  if (!moved) throw errors.invalid_transition();
  await reopenEntryOf(change, sessionId);
  const stored = await readCheckpoints(change, record.session, log);
  const entries = await listCheckpoints(change, sessionId);
  const again = [...staleSteps(stored, configVersion(plan)), ...chosenSteps(plan, stored, entries, choice)];
  await dropCheckpoints(change, sessionId, [...withDependents(plan, again)]);
  await deleteStepLocks(change, sessionId);
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
  await lockSlots(change, [account]);
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
  const ids = await takeOverExpiredLeases(change, by);
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
    withPublishing(dependencies.broker, queries, work);
  // Counted when it is committed.
  const counted = async (ending: Promise<Ending>) => {
    const { at, ended } = await ending;
    if (ended) metrics.ended('canceled', null);
    return at;
  };
  const slotFree = createBatcher(async (accounts: readonly string[]) => {
    // Mostly no session waits. Decisions about these users' slots that are in progress are waited for: one may leave a session waiting.
    await waitForSlots(queries, accounts);
    for (const account of await usersWaiting(queries, accounts))
      await inOne((change) => promote(dependencies, change, account));
    return accounts.map(() => undefined);
  });
  const accept = createAcceptance(dependencies.broker.publication);
  const acceptOne = createBatcher((all: readonly Acceptance[]) => acceptAll(dependencies, accept, all), {
    isItemError: isStatementError,
  });

  return {
    accept: async (created, correlationId) => {
      const { sessionId, plan, checkpoints } = created;
      const done = completedStepNames(checkpoints.map(({ checkpoint }) => checkpoint));
      const first = stepMessages({ sessionId, correlationId }, nextSteps(plan, done));
      const messages = first.map(({ body, ...message }) => {
        return { ...message, message_id: randomUUID(), text: JSON.stringify(body) };
      });
      const accepted = await acceptOne({ created, messages });
      if (accepted instanceof Failure) throw accepted;
      return accepted;
    },
    cancel: async (record) => {
      const { status, cancelRequestedAt } = record.session;
      if (status === 'canceled' && cancelRequestedAt !== null) return cancelRequestedAt;
      return counted(inOne((change) => cancel(dependencies, change, record)));
    },
    resume: (record, choice, correlationId) =>
      inOne((change) => resume(dependencies, change, record, { choice, correlationId })),
    remove: (record) => counted(inOne((change) => remove(dependencies, change, record))),
    slotFree,
    recover: async ({ all }) => {
      const taken = await inOne((change) => takeUp(dependencies, change, all));
      // A process may have died between the end of a session and the start of those that waited for it.
      const most = Math.max(slots.free, slots.premium);
      for (const account of await usersWithFreeSlots(queries, most, SWEEP_USERS)) await slotFree(account);
      return taken;
    },
  };
}
