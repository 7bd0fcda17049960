import type { Kysely } from 'kysely';
import type { Logger } from '../../../foundation/log.ts';
import { type Checkpoints, doneNodes, type MaterialCheckpoint } from '../pipeline/checkpoint.ts';
import { type NodeName, next, type PlanNode } from '../pipeline/plan.ts';
import { type Checkpoint, type Engines, type RunningSession, runStep, Stopped } from '../pipeline/run.ts';
import { findingsOf } from '../pipeline/session.ts';
import { completeSession, insertCheckpoints, type NewCheckpoint, storeMaterial } from '../store/sessions.ts';
import type { AnalysisTables } from '../store/tables.ts';
import { createSaver } from './write-buffer.ts';

/** What a run in this process is told beside its session. */
export interface DirectRun {
  readonly signal: AbortSignal;
  readonly correlationId: string;
  readonly log: Logger;
  /** The name under which this process holds the session. */
  readonly owner: string;
}

/**
 * How long the outcome of a component waits for others before it is stored, in milliseconds. Most analyses end before,
 * and store all at once; doing so much again after the loss of a process is cheaper than a write for each.
 */
const GATHER_MS = 250;

const rowOf = (session: RunningSession, node: NodeName, content: Checkpoint): NewCheckpoint => ({
  node,
  inputHash: session.submission.inputHash,
  content,
});

/**
 * Runs a session to its end in this process, step by step as the plan allows, and stores what each step left. Resolves to
 * the checkpoints; when the session was stopped they are those that it had come to.
 */
export async function runDirect(
  queries: Kysely<AnalysisTables>,
  session: RunningSession,
  engines: Engines,
  run: DirectRun,
): Promise<Checkpoints> {
  const { sessionId, plan } = session;
  const checkpoints: Checkpoints = {};
  const saver = createSaver<NewCheckpoint>(async (made) => {
    await insertCheckpoints(queries, sessionId, made);
  }, GATHER_MS);

  const finish = async (step: PlanNode) => {
    const checkpoint = await runStep(step, session, checkpoints, engines, {
      ...run,
      planType: plan.planType,
      forgive: true,
    });
    Object.assign(checkpoints, { [step.node]: checkpoint });
    if (step.node === 'verdict') {
      return storeEnd(queries, session, checkpoints, { owner: run.owner, unsaved: await saver.take() });
    }
    saver.add(rowOf(session, step.node, checkpoint));
    if (step.node !== 'material') return;
    // A page took long to fetch: it is stored before anything works on it.
    await storeMaterial(queries, sessionId, (checkpoint as MaterialCheckpoint).material);
    await saver.flush();
  };

  try {
    for (;;) {
      const steps = next(plan, doneNodes(checkpoints));
      if (steps.length === 0) return checkpoints;
      await Promise.all(steps.map(finish));
    }
  } catch (error) {
    if (!(error instanceof Stopped)) throw error;
    await saver.flush();
    return checkpoints;
  }
}

/** Stores the verdict and the end of the session together, with what else is not stored yet. */
export async function storeEnd(
  queries: Kysely<AnalysisTables>,
  session: RunningSession,
  checkpoints: Checkpoints,
  { owner, unsaved }: { owner: string | null; unsaved: readonly NewCheckpoint[] },
): Promise<void> {
  const { sessionId, plan } = session;
  const { verdict } = checkpoints;
  if (verdict === undefined) throw new Error('a session ends with its verdict');
  const rows = [...unsaved, rowOf(session, 'verdict', verdict)];
  if (await completeSession(queries, sessionId, findingsOf(plan, checkpoints), rows, owner)) return;
  // It was stopped, or another process took it up: what was found stays, the verdict comes when it is resumed.
  if (unsaved.length > 0) await insertCheckpoints(queries, sessionId, unsaved);
}
