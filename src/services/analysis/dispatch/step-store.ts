import { randomUUID } from 'node:crypto';
import type { Kysely } from 'kysely';
import { createBatcher } from '../../../foundation/batcher.ts';
import { isStatementError } from '../../../foundation/database/engine.ts';
import type { Broker, Priority } from '../broker/broker.ts';
import type { Plan, StepName } from '../session/plan.ts';
import { type CheckpointOwner, dropCheckpoints, type NewCheckpoint } from '../store/checkpoints.ts';
import { createStepSaving, type SavedSteps } from '../store/saved-steps.ts';
import { storeMaterial } from '../store/sessions.ts';
import {
  deleteStepLocks,
  lockSteps,
  type StepLockRequest,
  type StepLockResult,
} from '../store/step-locks.ts';
import { type ClaimedStep, claimSteps, readSessions, type SessionWithSteps } from '../store/steps.ts';
import type { AnalysisTables } from '../store/tables.ts';
import { endSessions, type SessionEnd } from './session-end.ts';
import type { StepMessage } from './step-messages.ts';

/** A step that has ended, the verdict apart. */
export interface FinishedStep {
  readonly session: CheckpointOwner & { readonly plan: Plan };
  readonly row: NewCheckpoint;
  /** The run that holds the step; null for one that was given up. */
  readonly holder: string | null;
  /** Steps whose checkpoints it takes the place of. */
  readonly drops: readonly StepName[];
  /** Published when the end of the step frees another, or one must run again. */
  readonly result: { readonly queue: string; readonly body: StepMessage; readonly priority: Priority };
}

/**
 * What workers read and write of sessions. What several of them want while a statement is under way is one statement, or one
 * transaction, after it: a worker whose steps are quick is bound by the number of statements.
 */
export interface StepStore {
  /** A session with its checkpoints, its step taken where it may run at once; undefined when there is none. */
  take(request: Omit<StepLockRequest, 'again' | 'replaces'>): Promise<ClaimedStep | undefined>;
  /** A session without what its checkpoints hold. */
  outline(sessionId: string): Promise<SessionWithSteps | undefined>;
  /** Claims a step that was not claimed when its session was read, and records that it begins. */
  lock(request: StepLockRequest): Promise<StepLockResult>;
  /** Saves a finished step, and publishes that it ended where that leads on: both or neither. */
  save(finished: FinishedStep): Promise<void>;
  /** Stores the verdict and the end of a session. `stored`: it had not ended before. `waited`: its user's next one waits for the slot. */
  end(end: SessionEnd): Promise<{ readonly stored: boolean; readonly waited: boolean }>;
}

/** Saves steps, and what else of their sessions changes with them. */
async function saveWith(
  saveSteps: ReturnType<typeof createStepSaving>,
  change: Kysely<AnalysisTables>,
  all: readonly FinishedStep[],
): Promise<SavedSteps> {
  for (const { session, row, drops } of all) {
    await dropCheckpoints(change, session.sessionId, drops);
    const others = drops.filter((step) => step !== row.checkpoint.step);
    await deleteStepLocks(change, session.sessionId, others);
  }
  const saved = await saveSteps(
    change,
    all.map(({ session: { sessionId, plan }, row, holder, result: { queue, body, priority } }) => ({
      sessionId,
      row,
      holder,
      message: { message_id: randomUUID(), queue, priority, body },
      dependents: plan.steps
        .filter(({ dependsOn }) => dependsOn.includes(row.checkpoint.step))
        .map(({ name, dependsOn }) => ({ name, needs: dependsOn })),
    })),
  );
  const stored = new Set(saved.stored.map(({ session_id, step }) => `${session_id} ${step}`));
  for (const { session, row } of all)
    if (row.checkpoint.step === 'material' && stored.has(`${session.sessionId} material`))
      await storeMaterial(change, session.sessionId, row.checkpoint.material);
  return saved;
}

/** Whether more than one statement is needed for a step. */
const isLarge = ({ row, drops }: FinishedStep) => drops.length > 0 || row.checkpoint.step === 'material';

/** The store of the workers of one process. */
export function createStepStore(queries: Kysely<AnalysisTables>, broker: Broker): StepStore {
  const apart = { isItemError: isStatementError };
  const saveSteps = createStepSaving(broker.publication);
  return {
    take: createBatcher(
      (requests: readonly Omit<StepLockRequest, 'again' | 'replaces'>[]) => claimSteps(queries, requests),
      apart,
    ),
    outline: createBatcher((ids: readonly string[]) => readSessions(queries, ids), apart),
    lock: createBatcher((requests: readonly StepLockRequest[]) => lockSteps(queries, requests), apart),
    save: createBatcher(async (all: readonly FinishedStep[]) => {
      const { published } = all.some(isLarge)
        ? await queries.transaction().execute((change) => saveWith(saveSteps, change, all))
        : await saveWith(saveSteps, queries, all);
      if (published.length > 0) broker.publication.committed(published);
      return all.map(() => undefined);
    }, apart),
    end: createBatcher(async (ends: readonly SessionEnd[]) => {
      const { ended, waiting } = await endSessions(queries, ends);
      return ends.map(({ sessionId, account }) => ({
        stored: ended.has(sessionId),
        waited: account !== null && waiting.has(account),
      }));
    }, apart),
  };
}
