import type { Kysely, Transaction } from 'kysely';
import { batched } from '../../../foundation/batches.ts';
import { isStatementError } from '../../../foundation/database/engine.ts';
import { type Broker, type OutgoingMessage, publishing } from '../broker/broker.ts';
import { next } from '../pipeline/plan.ts';
import type { Plan, StepName } from '../session/plan.ts';
import {
  type CheckpointOwner,
  dropCheckpoints,
  type EndedSteps,
  insertProgress,
  type NewCheckpoint,
  readEndedSteps,
} from '../store/checkpoints.ts';
import { storeMaterial } from '../store/sessions.ts';
import { forgetHolds, type Hold, type HoldRequest, holdSteps } from '../store/step-holds.ts';
import { readSessions, type SessionWithSteps } from '../store/steps.ts';
import type { AnalysisTables } from '../store/tables.ts';
import { endSessions, type SessionEnd } from './session-end.ts';

/** A step that has ended, the verdict apart. */
export interface FinishedStep {
  readonly session: CheckpointOwner & { readonly plan: Plan };
  readonly row: NewCheckpoint;
  /** The run that holds the step; null for one that was given up. */
  readonly holder: string | null;
  /** Steps whose checkpoints it takes the place of. */
  readonly drops: readonly StepName[];
  /** Published when the end of the step frees another, or one must run again. */
  readonly result: OutgoingMessage;
}

/**
 * What workers read and write of sessions. What several of them want while a statement is under way is one statement, or one
 * transaction, after it: a worker whose steps are quick is bound by the number of statements.
 */
export interface StepStore {
  /** A session with its checkpoints; undefined when there is none. */
  read(sessionId: string): Promise<SessionWithSteps | undefined>;
  /** The same without what the checkpoints hold. */
  outline(sessionId: string): Promise<SessionWithSteps | undefined>;
  /** Takes a step for one delivery, and tells that it begins. */
  hold(request: HoldRequest): Promise<Hold>;
  /** Saves a finished step, and publishes that it ended where that leads on: both or neither. */
  save(finished: FinishedStep): Promise<void>;
  /** Stores the verdict and the end of a session; false when it ended before. */
  end(end: SessionEnd): Promise<boolean>;
}

/**
 * The messages of steps that ended, each where it frees a step that none before it has freed. The sessions are locked by what was
 * stored, so that of steps that end together the last one, and no other, sees all of them.
 */
function leadingOn(finished: readonly FinishedStep[], ended: readonly EndedSteps[]): OutgoingMessage[] {
  const told = new Set<string>();
  return finished.flatMap(({ session: { sessionId, plan }, row, result }, index) => {
    const { done = new Set<StepName>(), unusable = false } = ended[index] ?? {};
    const { step } = row.checkpoint;
    const freed = next(plan, done).filter(({ dependsOn }) => dependsOn.includes(step));
    const news = [...freed.map(({ name }) => name), ...(unusable ? ['unusable'] : [])]
      .map((name) => `${sessionId} ${name}`)
      .filter((name) => !told.has(name));
    for (const name of news) told.add(name);
    return news.length > 0 ? [result] : [];
  });
}

async function saveAll(
  broker: Broker,
  change: Transaction<AnalysisTables>,
  all: readonly FinishedStep[],
): Promise<void> {
  for (const { session, row, drops } of all) {
    await dropCheckpoints(change, session.sessionId, drops);
    const others = drops.filter((step) => step !== row.checkpoint.step);
    await forgetHolds(change, session.sessionId, others);
  }
  const progress = all.map(({ session, row, holder }) => {
    return { sessionId: session.sessionId, progress: [row], holder };
  });
  const stored = new Set(
    (await insertProgress(change, progress)).map(({ session_id, step }) => `${session_id} ${step}`),
  );
  const fresh = all.filter(({ session, row }) => stored.has(`${session.sessionId} ${row.checkpoint.step}`));
  if (fresh.length === 0) return;
  for (const { session, row } of fresh)
    if (row.checkpoint.step === 'material')
      await storeMaterial(change, session.sessionId, row.checkpoint.material);
  const ended = await readEndedSteps(
    change,
    fresh.map(({ session }) => session),
  );
  await broker.publish(leadingOn(fresh, ended), { transaction: change });
}

/** The store of the workers of one process. */
export function createStepStore(queries: Kysely<AnalysisTables>, broker: Broker): StepStore {
  const apart = { isOfOne: isStatementError };
  const nothing = (all: readonly unknown[]) => all.map(() => undefined);
  return {
    read: batched((ids: readonly string[]) => readSessions(queries, ids, { contents: true }), apart),
    outline: batched((ids: readonly string[]) => readSessions(queries, ids, { contents: false }), apart),
    hold: batched((requests: readonly HoldRequest[]) => holdSteps(queries, requests), apart),
    save: batched(async (all: readonly FinishedStep[]) => {
      await publishing(broker, queries, (change) => saveAll(broker, change, all));
      return nothing(all);
    }, apart),
    end: batched(async (ends: readonly SessionEnd[]) => {
      const stored = await endSessions(queries, ends);
      return ends.map(({ sessionId }) => stored.has(sessionId));
    }, apart),
  };
}
