import type { Kysely } from 'kysely';
import type { Logger } from '../../../foundation/log.ts';
import { createWriteBuffer } from '../../../foundation/write-buffer.ts';
import type { AnalysisMetrics } from '../metrics.ts';
import type { ConfigVersion } from '../pipeline/config-version.ts';
import { nextSteps } from '../pipeline/plan.ts';
import { IntakeImpossibleError } from '../pipeline/preparation/preparation.ts';
import { type RunningSession, runStep, type StepRunners } from '../pipeline/run.ts';
import { CanceledError } from '../pipeline/time-limit.ts';
import { type Checkpoint, type Checkpoints, completedStepNames } from '../session/checkpoint.ts';
import type { PlanStep } from '../session/plan.ts';
import { componentStarted, isComponent, stageStarted } from '../session/progress-event.ts';
import { checkpointsIn, insertCheckpoints, type NewCheckpoint, type Progress } from '../store/checkpoints.ts';
import { moveSession, storeMaterial } from '../store/sessions.ts';
import type { AnalysisTables, Queries } from '../store/tables.ts';
import { endSessions, sessionEndOf } from './session-end.ts';

/** Options of a run in this process. */
export interface DirectRun {
  readonly signal: AbortSignal;
  readonly correlationId: string;
  readonly log: Logger;
  /** The name under which this process holds the session. */
  readonly owner: string;
  readonly metrics: Pick<AnalysisMetrics, 'ended'>;
}

/**
 * How long the outcome of a component waits for others before it is stored, in milliseconds. Most analyses end before,
 * and store all at once; doing so much again after the loss of a process is cheaper than a write for each.
 */
const GATHER_MS = 250;

/** A checkpoint as it is stored, with what it can be reused for. */
export function storedForm(
  { submission, plan }: Pick<RunningSession, 'submission' | 'plan'>,
  checkpoint: Checkpoint,
  configVersion: ConfigVersion,
): NewCheckpoint {
  return { checkpoint, inputHash: submission.inputHash, configVersion: configVersion(plan) };
}

/** A session that begins to run in this process. */
export interface DirectSession extends RunningSession {
  /** The checkpoints that were stored with it. */
  readonly checkpoints: readonly Pick<NewCheckpoint, 'checkpoint'>[];
}

/**
 * Runs a session to its end in this process, step by step as the plan allows, and stores what each step left. Resolves to
 * the checkpoints; when the session was canceled they are those that it had come to.
 */
export async function runDirect(
  queries: Kysely<AnalysisTables>,
  session: DirectSession,
  runners: StepRunners,
  run: DirectRun,
): Promise<Checkpoints> {
  const { sessionId, plan } = session;
  let checkpoints: Checkpoints = session.checkpoints.map(({ checkpoint }) => checkpoint);
  const buffer = createWriteBuffer<Progress>(async (progress) => {
    await insertCheckpoints(queries, sessionId, progress);
  }, GATHER_MS);

  const finish = async (step: PlanStep) => {
    if (isComponent(step.name)) buffer.add(componentStarted(step.name));
    const checkpoint = await runStep(step, session, checkpoints, runners, {
      ...run,
      planType: plan.planType,
      assignments: plan.assignments,
      forgive: true,
      onStageStarted: async (stage) => buffer.add(stageStarted(step.name, stage)),
    });
    checkpoints = [...checkpoints, checkpoint];
    const row = storedForm(session, checkpoint, runners.configVersion);
    if (checkpoint.step === 'verdict') {
      const progress = [...(await buffer.take()), row];
      return storeEnd(queries, session, checkpoints, { ...run, progress });
    }
    buffer.add(row);
    if (checkpoint.step !== 'material') return;
    // A page took long to fetch: it is stored before anything works on it.
    await storeMaterial(queries, sessionId, checkpoint.material);
    await buffer.flush();
  };

  try {
    for (;;) {
      const steps = nextSteps(plan, completedStepNames(checkpoints));
      if (steps.length === 0) return checkpoints;
      await Promise.all(steps.map(finish));
    }
  } catch (error) {
    if (error instanceof IntakeImpossibleError)
      await storeFailure(queries, sessionId, error.code, run.metrics);
    else if (!(error instanceof CanceledError)) throw error;
    await buffer.flush();
    return checkpoints;
  }
}

/** Ends a session that cannot be analysed, unless it ended before. */
export async function storeFailure(
  queries: Queries,
  sessionId: string,
  code: string,
  metrics: DirectRun['metrics'],
): Promise<void> {
  const patch = { error_code: code, completed_at: new Date(), lease_until: null, owner: null };
  if (await moveSession(queries, sessionId, 'impossible', 'failed', patch)) metrics.ended('failed', null);
}

/** Stores the end of a session; when it was canceled, or another process took it up, the results without the verdict. */
async function storeEnd(
  queries: Kysely<AnalysisTables>,
  session: RunningSession,
  checkpoints: Checkpoints,
  { owner, metrics, progress }: Pick<DirectRun, 'owner' | 'metrics'> & { progress: readonly Progress[] },
): Promise<void> {
  const end = sessionEndOf(session, checkpoints, { owner, account: null }, progress);
  const { ended } = await endSessions(queries, [end]);
  if (ended.has(session.sessionId))
    return metrics.ended('completed', end.findings.verdict?.risk_level ?? null);
  // The verdict comes when it is resumed.
  const others = checkpointsIn(progress).filter(({ checkpoint }) => checkpoint.step !== 'verdict');
  if (others.length > 0) await insertCheckpoints(queries, session.sessionId, others);
}
