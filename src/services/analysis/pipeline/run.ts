import type { Logger } from '../../../foundation/log.ts';
import { withSpan } from '../../../foundation/tracing/tracing.ts';
import {
  type Components,
  inapplicable,
  type RunComponent,
  type RunContext,
} from '../components/component.ts';
import { componentList } from '../components/index.ts';
import { EngineTimeoutError, type TaskContext, untimedTask } from '../engines/text-engines.ts';
import type { Degradation, Reason } from '../reasons.ts';
import type { ComponentName } from '../resources/component-name.ts';
import {
  type Checkpoint,
  type Checkpoints,
  type ComponentCheckpoint,
  checkpoint,
  checkpointOf,
  type MaterialCheckpoint,
  type VerdictCheckpoint,
} from '../session/checkpoint.ts';
import type { Material } from '../session/material.ts';
import type { VerdictFacts } from '../session/outcome.ts';
import type { Plan, PlanStep } from '../session/plan.ts';
import type { Submission } from '../session/submission.ts';
import { addTimes } from '../session/timed-text.ts';
import type { ConfigVersion } from './config-version.ts';
import { makeMaterial } from './material.ts';
import type { PreparationTools } from './preparation/preparation.ts';
import { CanceledError, OVERRUN, withTimeLimit } from './time-limit.ts';

/** The session as the pipeline sees it. */
export interface RunningSession {
  readonly sessionId: string;
  readonly submission: Submission;
  readonly plan: Plan;
}

/** Judges the outcomes of a session. */
export type MakeVerdict = (
  session: RunningSession,
  material: MaterialCheckpoint,
  checkpoints: Checkpoints,
  run: RunContext,
  /** What a person decided, when the session is judged again. */
  decision?: Pick<VerdictFacts, 'human_risk_score' | 'previous_category'>,
) => Promise<VerdictCheckpoint>;

/** The functions that run the steps. */
export interface StepRunners {
  readonly components: Components;
  readonly preparation: PreparationTools;
  readonly makeVerdict: MakeVerdict;
  /** The version of the configuration; checkpoints of another version are not reused. */
  readonly configVersion: ConfigVersion;
}

/** Time limit of the verdict step, longer than any text model's explanation takes. */
const VERDICT_LIMIT_MS = 60_000;

/** The checkpoint of a component that was lost. */
export function lostComponent(
  component: ComponentName,
  loss: 'timeout' | 'unavailable',
  reason: Reason,
): ComponentCheckpoint {
  return withoutResult(component, 'lost', reason, [
    { dependency: component, reason: loss, effect: 'component_lost' },
  ]);
}

const lateComponent = (component: ComponentName, limitMs: number) =>
  lostComponent(component, 'timeout', { code: 'no_answer_in_time', values: { seconds: limitMs / 1000 } });

function withoutResult(
  step: ComponentName,
  state: 'lost' | 'skipped',
  reason: Reason,
  degraded: readonly Degradation[],
): ComponentCheckpoint {
  return { step, outcome: { state, reason }, degraded };
}

async function runComponent(
  name: ComponentName,
  timeoutMs: number,
  material: Material,
  runners: StepRunners,
  run: RunContext,
): Promise<Checkpoint> {
  const runIt: RunComponent = runners.components[name];
  const reason = inapplicable(componentList[name], new Set(Object.keys(material.parts)), material.missing);
  if (reason !== null) return withoutResult(name, 'skipped', reason, []);
  const answer = await withTimeLimit(timeoutMs, run.signal, (signal, pause) =>
    runIt(material, { ...run, signal, pause }),
  );
  if (answer === OVERRUN) return lateComponent(name, timeoutMs);
  if ('skipped' in answer) return withoutResult(name, 'skipped', answer.skipped, []);
  if ('lost' in answer) return withoutResult(name, 'lost', answer.lost, answer.degraded);
  const passages = material.parts.recording?.passages ?? [];
  const { degraded, ...outcome } = addTimes(answer, passages);
  // A block that is not of its schema could never be read again: it counts as a failure of the component.
  return checkpoint.parse({ step: name, outcome: { state: 'ran', ...outcome }, degraded });
}

async function runVerdict(
  session: RunningSession,
  prepared: MaterialCheckpoint,
  checkpoints: Checkpoints,
  runners: StepRunners,
  run: RunContext,
): Promise<Checkpoint> {
  const verdict = await withTimeLimit(VERDICT_LIMIT_MS, run.signal, (signal, pause) =>
    runners.makeVerdict(session, prepared, checkpoints, { ...run, signal, pause }),
  );
  if (verdict === OVERRUN) throw new Error(`no verdict within ${VERDICT_LIMIT_MS / 1000} s`);
  return checkpoint.parse(verdict);
}

/** The context of one step beside its session. */
export interface StepRun extends Omit<RunContext, keyof TaskContext | 'tuning' | 'quick'> {
  readonly signal: AbortSignal;
  /** A component that throws becomes a lost outcome. */
  readonly forgive: boolean;
  readonly log: Logger;
}

/**
 * Runs one step to its checkpoint. A component that overruns its time becomes a lost outcome; one that throws does too
 * when `forgive` is set, else the error goes up so that the step is tried again. Throws CanceledError when the session was.
 */
export function runStep(
  step: PlanStep,
  session: RunningSession,
  checkpoints: Checkpoints,
  runners: StepRunners,
  stepRun: StepRun,
): Promise<Checkpoint> {
  const attributes = { 'limpede.session_id': session.sessionId, 'limpede.step': step.name };
  return withSpan(
    () => ({ name: `step ${step.name}`, attributes }),
    () => runOne(step, session, checkpoints, runners, stepRun),
  );
}

async function runOne(
  step: PlanStep,
  session: RunningSession,
  checkpoints: Checkpoints,
  runners: StepRunners,
  stepRun: StepRun,
): Promise<Checkpoint> {
  const { name } = step;
  const run = {
    ...stepRun,
    sessionId: session.sessionId,
    tuning: session.plan.tuning,
    quick: session.submission.quick,
    ...untimedTask(session.submission.account, stepRun.signal),
  };
  if (name === 'material') return makeMaterial(session.submission, runners.preparation, run);
  const prepared = checkpointOf(checkpoints, 'material');
  if (prepared === undefined) throw new Error('a step runs after the material is made');
  if (name === 'verdict') return runVerdict(session, prepared, checkpoints, runners, run);
  try {
    return await runComponent(name, step.timeoutMs, prepared.material, runners, run);
  } catch (error) {
    if (error instanceof CanceledError || !run.forgive) throw error;
    if (error instanceof EngineTimeoutError) return lateComponent(name, error.limitMs);
    run.log.error({ err: error, component: name }, 'a component failed');
    return lostComponent(name, 'unavailable', { code: 'component_failed', values: {} });
  }
}
