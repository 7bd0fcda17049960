import type { Kysely } from 'kysely';
import type { Logger } from '../../../foundation/log.ts';
import { next } from '../pipeline/plan.ts';
import {
  Canceled,
  type Checkpoint,
  type RunningSession,
  runStep,
  type StepRunners,
} from '../pipeline/run.ts';
import { findingsOf } from '../pipeline/session.ts';
import { type Checkpoints, doneSteps, type MaterialCheckpoint } from '../session/checkpoint.ts';
import type { PlanStep, StepName } from '../session/plan.ts';
import { completeSession, insertCheckpoints, type NewCheckpoint, storeMaterial } from '../store/sessions.ts';
import type { AnalysisTables } from '../store/tables.ts';
import { createWriteBuffer } from './write-buffer.ts';

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

const rowOf = (session: RunningSession, node: StepName, content: Checkpoint): NewCheckpoint => ({
  node,
  inputHash: session.submission.inputHash,
  content,
});

/**
 * Runs a session to its end in this process, step by step as the plan allows, and stores what each step left. Resolves to
 * the checkpoints; when the session was canceled they are those that it had come to.
 */
export async function runDirect(
  queries: Kysely<AnalysisTables>,
  session: RunningSession,
  runners: StepRunners,
  run: DirectRun,
): Promise<Checkpoints> {
  const { sessionId, plan } = session;
  const checkpoints: Checkpoints = {};
  const buffer = createWriteBuffer<NewCheckpoint>(async (made) => {
    await insertCheckpoints(queries, sessionId, made);
  }, GATHER_MS);

  const finish = async (step: PlanStep) => {
    const checkpoint = await runStep(step, session, checkpoints, runners, {
      ...run,
      planType: plan.planType,
      assignments: plan.assignments,
      forgive: true,
    });
    Object.assign(checkpoints, { [step.node]: checkpoint });
    if (step.node === 'verdict') {
      return storeEnd(queries, session, checkpoints, { owner: run.owner, unsaved: await buffer.take() });
    }
    buffer.add(rowOf(session, step.node, checkpoint));
    if (step.node !== 'material') return;
    // A page took long to fetch: it is stored before anything works on it.
    await storeMaterial(queries, sessionId, (checkpoint as MaterialCheckpoint).material);
    await buffer.flush();
  };

  try {
    for (;;) {
      const steps = next(plan, doneSteps(checkpoints));
      if (steps.length === 0) return checkpoints;
      await Promise.all(steps.map(finish));
    }
  } catch (error) {
    if (!(error instanceof Canceled)) throw error;
    await buffer.flush();
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
  // It was canceled, or another process took it up: what was found stays, the verdict comes when it is resumed.
  if (unsaved.length > 0) await insertCheckpoints(queries, sessionId, unsaved);
}
