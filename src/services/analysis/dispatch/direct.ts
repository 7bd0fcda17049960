import type { Kysely } from 'kysely';
import type { Logger } from '../../../foundation/log.ts';
import { type Checkpoints, doneNodes, type MaterialCheckpoint } from '../pipeline/checkpoint.ts';
import { next, type PlanNode } from '../pipeline/plan.ts';
import { type Checkpoint, type Engines, type RunningSession, runStep, Stopped } from '../pipeline/run.ts';
import { findingsOf } from '../pipeline/session.ts';
import { completeSession, insertCheckpoints, storeMaterial } from '../store/sessions.ts';
import type { AnalysisTables } from '../store/tables.ts';
import { createSaver } from './saver.ts';

/** What a run in this process is told beside its session. */
export interface DirectRun {
  readonly signal: AbortSignal;
  readonly correlationId: string;
  readonly log: Logger;
}

type Made = { step: PlanNode; checkpoint: Checkpoint };

/**
 * Runs a session to its end in this process, step by step as the plan allows, each step saved as it ends. Resolves to
 * the checkpoints; when the session was stopped they are those that it had come to.
 */
export async function runDirect(
  queries: Kysely<AnalysisTables>,
  session: RunningSession,
  engines: Engines,
  run: DirectRun,
): Promise<Checkpoints> {
  const { sessionId, submission, plan } = session;
  const checkpoints: Checkpoints = {};
  const save = createSaver<Made>(async (made) => {
    const rows = made.map(({ step, checkpoint }) => ({
      node: step.node,
      inputHash: submission.inputHash,
      content: checkpoint,
    }));
    await insertCheckpoints(queries, sessionId, rows);
  });

  const finish = async (step: PlanNode) => {
    const checkpoint = await runStep(step, session, checkpoints, engines, {
      ...run,
      planType: plan.planType,
      forgive: true,
    });
    Object.assign(checkpoints, { [step.node]: checkpoint });
    if (step.node === 'verdict') return storeEnd(queries, session, checkpoints);
    if (step.node === 'material') {
      await storeMaterial(queries, sessionId, (checkpoint as MaterialCheckpoint).material);
    }
    await save({ step, checkpoint });
  };

  try {
    for (;;) {
      const steps = next(plan, doneNodes(checkpoints));
      if (steps.length === 0) return checkpoints;
      await Promise.all(steps.map(finish));
    }
  } catch (error) {
    if (error instanceof Stopped) return checkpoints;
    throw error;
  }
}

/** Stores the verdict and the end of the session together. */
export async function storeEnd(
  queries: Kysely<AnalysisTables>,
  session: RunningSession,
  checkpoints: Checkpoints,
): Promise<void> {
  const { sessionId, submission, plan } = session;
  await queries.transaction().execute(async (transaction) => {
    const stored = await completeSession(transaction, sessionId, findingsOf(plan, checkpoints));
    if (!stored) return;
    const content = checkpoints.verdict;
    await insertCheckpoints(transaction, sessionId, [
      { node: 'verdict', inputHash: submission.inputHash, content },
    ]);
  });
}
