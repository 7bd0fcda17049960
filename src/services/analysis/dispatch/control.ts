import { type Kysely, sql, type Transaction } from 'kysely';
import type { Broker } from '../broker/broker.ts';
import { errors } from '../errors.ts';
import { doneNodes } from '../pipeline/checkpoint.ts';
import { type NodeName, next } from '../pipeline/plan.ts';
import { moveTo } from '../pipeline/states.ts';
import { type ComponentName, PLAN_TYPE } from '../resources.ts';
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
import { LEASE_MS, STOP_CHANNEL } from './running.ts';
import { publishSteps } from './worker.ts';

/** Users whose waiting sessions one sweep looks at; the next one sees the others. */
const SWEEP_USERS = 100;

/** How many accepted sessions of one user may be under way at once, by tier. */
export interface Slots {
  readonly free: number;
  readonly premium: number;
}

/** What may be done to sessions from outside. */
export interface Control {
  /** Stores a session for the queues; false when the idempotency key is taken. */
  accept(created: Omit<NewSession, 'status' | 'lease'>, correlationId: string): Promise<boolean>;
  cancel(record: SessionRecord): Promise<Date>;
  resume(record: SessionRecord, choice: ResumeChoice, correlationId: string): Promise<void>;
  remove(record: SessionRecord): Promise<Date>;
  /** Gives the user's free slots to the sessions that have waited longest. */
  slotFree(userId: string): Promise<void>;
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
  lost: readonly NodeName[],
  stored: readonly CheckpointRow[],
  { components, forceRerun, checkpointId }: ResumeChoice,
): NodeName[] {
  const again = components ?? (forceRerun === true ? record.session.plan.nodes.map(({ node }) => node) : []);
  return [...new Set<NodeName>(['verdict', ...lost, ...again, ...storedAfter(stored, checkpointId)])];
}

/** The steps that ended after a checkpoint; throws checkpoint_not_found when it is none of them. */
function storedAfter(stored: readonly CheckpointRow[], checkpointId: string | undefined): NodeName[] {
  if (checkpointId === undefined) return [];
  const at = stored.findIndex(({ id }) => String(id) === checkpointId);
  if (at < 0) throw errors.checkpoint_not_found();
  return stored.slice(at + 1).map(({ node }) => node);
}

/** Controls sessions in the database, telling the queues in the same transaction. */
export function createControl(queries: Kysely<AnalysisTables>, broker: Broker, slots: Slots): Control {
  const slotsOf = (planType: number) => (planType >= PLAN_TYPE.premiumFrom ? slots.premium : slots.free);

  const tellStop = (transaction: Transaction<AnalysisTables>, sessionId: string) =>
    sql`select pg_notify(${STOP_CHANNEL}, ${sessionId})`.execute(transaction);

  const publishNext = async (
    transaction: Transaction<AnalysisTables>,
    record: SessionRecord,
    correlationId: string,
  ) => {
    const { sessionId, plan } = record.session;
    const done = doneNodes(await readCheckpoints(transaction, sessionId));
    await publishSteps(broker, transaction, { sessionId, correlationId }, next(plan, done));
  };

  return {
    accept: (created, correlationId) =>
      queries.transaction().execute(async (transaction) => {
        const { userId, planType } = created.submission;
        await lockSlots(transaction, userId);
        const waits = (await countOpen(transaction, userId)) >= slotsOf(planType);
        const status = waits ? 'pending' : 'processing';
        if (!(await insertSession(transaction, { ...created, status, lease: null }))) return false;
        const { sessionId, plan } = created;
        if (!waits)
          await publishSteps(broker, transaction, { sessionId, correlationId }, next(plan, new Set()));
        return true;
      }),

    cancel: async (record) => {
      const { sessionId, userId, status, cancelRequestedAt } = record.session;
      if (status === 'canceled' && cancelRequestedAt !== null) return cancelRequestedAt;
      const canceled = moveTo(status, 'cancel');
      return queries.transaction().execute(async (transaction) => {
        const at = new Date();
        const patch = { cancel_requested_at: at, completed_at: at, lease_until: null, owner: null };
        if (await moveSession(transaction, sessionId, 'cancel', canceled, patch)) {
          await tellStop(transaction, sessionId);
          await promote(transaction, userId);
          return at;
        }
        // Somebody was quicker: the same wish is granted already, anything else has ended the session.
        const now = await findSession(transaction, sessionId);
        const earlier = now?.session.cancelRequestedAt ?? null;
        if (now?.session.status !== 'canceled' || earlier === null) throw errors.invalid_transition();
        return earlier;
      });
    },

    resume: (record, choice, correlationId) =>
      queries.transaction().execute(async (transaction) => {
        const { sessionId, status } = record.session;
        const patch = { cancel_requested_at: null, completed_at: null, error_code: null };
        const moved = await moveSession(transaction, sessionId, 'resume', moveTo(status, 'resume'), patch);
        if (!moved) throw errors.invalid_transition();
        const checkpoints = await readCheckpoints(transaction, sessionId);
        const lost = Object.entries(checkpoints).filter(
          ([, checkpoint]) =>
            checkpoint !== undefined && 'outcome' in checkpoint && checkpoint.outcome.state === 'lost',
        );
        const names = lost.map(([node]) => node as NodeName);
        const stored = await listCheckpoints(transaction, sessionId);
        await dropCheckpoints(transaction, sessionId, stepsToDrop(record, names, stored, choice));
        await publishNext(transaction, record, correlationId);
      }),

    remove: async (record) => {
      const { sessionId, userId } = record.session;
      const at = new Date();
      await queries.transaction().execute(async (transaction) => {
        const patch = { cancel_requested_at: at, completed_at: at, lease_until: null, owner: null };
        await moveSession(transaction, sessionId, 'cancel', 'canceled', patch);
        await eraseSession(transaction, sessionId, at);
        await tellStop(transaction, sessionId);
        await promote(transaction, userId);
      });
      return at;
    },

    slotFree: async (userId) => {
      await queries.transaction().execute((transaction) => promote(transaction, userId));
    },

    recover: async (all) => {
      const taken = await queries.transaction().execute(async (transaction) => {
        // What this process itself leases ends later than a lease that was taken when it began.
        const by = all ? new Date(performance.timeOrigin + LEASE_MS) : null;
        const ids = await takeLostLeases(transaction, by);
        for (const id of ids) {
          const record = await findSession(transaction, id);
          if (record !== undefined) await publishNext(transaction, record, id);
        }
        return ids.length;
      });
      await promoteForgotten();
      return taken;
    },
  };

  /** Gives free slots to the user's sessions that have waited longest. */
  async function promote(transaction: Transaction<AnalysisTables>, userId: string): Promise<void> {
    await lockSlots(transaction, userId);
    for (;;) {
      const sessionId = await oldestPending(transaction, userId);
      const record = sessionId === undefined ? undefined : await findSession(transaction, sessionId);
      if (record === undefined) return;
      if ((await countOpen(transaction, userId)) >= slotsOf(record.session.plan.planType)) return;
      if (!(await moveSession(transaction, record.session.sessionId, 'slot_free', 'processing'))) return;
      await publishNext(transaction, record, record.session.sessionId);
    }
  }

  /** Sees to sessions that wait because a process died between the end of another one and telling them. */
  async function promoteForgotten(): Promise<void> {
    const most = Math.max(slots.free, slots.premium);
    for (const userId of await usersWaitingInVain(queries, most, SWEEP_USERS)) {
      await queries.transaction().execute((transaction) => promote(transaction, userId));
    }
  }
}
