import type { Logger } from '../../../foundation/log.ts';
import type { Component, Components, Run } from '../components/component.ts';
import type { FetchPage } from '../dependencies/pages.ts';
import type { Reason } from '../reasons.ts';
import type { ComponentName } from '../resources/component-name.ts';
import type {
  Checkpoints,
  ComponentCheckpoint,
  MaterialCheckpoint,
  VerdictCheckpoint,
} from '../session/checkpoint.ts';
import type { Material } from '../session/material.ts';
import type { Plan, PlanStep } from '../session/plan.ts';
import type { Submission } from '../session/submission.ts';

import { gather, type IdentifyLanguage, textMaterial } from './material.ts';

/** The session as the pipeline sees it. */
export interface RunningSession {
  readonly sessionId: string;
  readonly submission: Submission;
  readonly plan: Plan;
}

/** Judges the outcomes of a session. */
export type Conclude = (
  session: RunningSession,
  material: MaterialCheckpoint,
  checkpoints: Checkpoints,
  run: Run,
) => Promise<VerdictCheckpoint>;

/** Everything that does the work of the steps. */
export interface StepRunners {
  readonly components: Components;
  readonly fetchPage: FetchPage;
  readonly identify: IdentifyLanguage;
  readonly conclude: Conclude;
}

/** Any checkpoint. */
export type Checkpoint = MaterialCheckpoint | ComponentCheckpoint | VerdictCheckpoint;

/** A step ended early because its session was canceled. */
export class Canceled extends Error {
  constructor() {
    super('the session was canceled');
    this.name = 'Canceled';
  }
}

const OVERRUN = Symbol('overrun');
/** Longer than any verdict takes, a text model's explanation included: what answers nothing by then never will. */
const VERDICT_LIMIT_MS = 60_000;

/** Runs work within a time limit; the work's signal aborts at the limit or with the session. */
async function within<Result>(
  limitMs: number,
  stop: AbortSignal,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result | typeof OVERRUN> {
  if (stop.aborted) throw new Canceled();
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(), limitMs);
  const signal = AbortSignal.any([stop, limit.signal]);
  let tell = (): void => undefined;
  const ended = new Promise<typeof OVERRUN>((resolve) => {
    tell = () => resolve(OVERRUN);
  });
  signal.addEventListener('abort', tell, { once: true });
  try {
    const result = await Promise.race([work(signal), ended]);
    if (stop.aborted) throw new Canceled();
    return result;
  } catch (error) {
    if (stop.aborted) throw new Canceled();
    if (limit.signal.aborted) return OVERRUN;
    throw error;
  } finally {
    clearTimeout(timer);
    // A joined signal with a listener is never collected.
    signal.removeEventListener('abort', tell);
  }
}

/** The checkpoint of a component that gave nothing. */
export function lostComponent(
  component: ComponentName,
  loss: 'timeout' | 'unavailable',
  reason: Reason,
): ComponentCheckpoint {
  return {
    outcome: { state: 'lost', reason },
    degraded: [{ dependency: component, reason: loss, effect: 'component_lost' }],
  };
}

async function runComponent(
  step: PlanStep & { node: ComponentName },
  material: Material,
  runners: StepRunners,
  run: Run,
): Promise<ComponentCheckpoint> {
  // Which block belongs to which name is checked where the components are listed.
  const component = runners.components[step.node] as Component;
  const reason = component.inapplicable(material);
  if (reason !== null) return { outcome: { state: 'skipped', reason }, degraded: [] };
  const answer = await within(step.timeoutMs, run.signal, (signal) =>
    component.run(material, { ...run, signal }),
  );
  if (answer === OVERRUN) {
    const values = { seconds: step.timeoutMs / 1000 };
    return lostComponent(step.node, 'timeout', { code: 'no_answer_in_time', values });
  }
  if ('lost' in answer) return { outcome: { state: 'lost', reason: answer.lost }, degraded: answer.degraded };
  const { degraded, ...outcome } = answer;
  return { outcome: { state: 'ran', ...outcome }, degraded } as ComponentCheckpoint;
}

async function runMaterial(
  step: PlanStep,
  session: RunningSession,
  runners: StepRunners,
  run: Run,
): Promise<MaterialCheckpoint> {
  const { submission } = session;
  const made = await within(step.timeoutMs, run.signal, (signal) =>
    gather(submission, runners.fetchPage, runners.identify, { ...run, signal }),
  );
  if (made !== OVERRUN) return made;
  const late = async () => ({
    lost: { dependency: 'web', reason: 'timeout', effect: 'part_missing' } as const,
  });
  return gather(submission, late, runners.identify, run);
}

async function runVerdict(
  session: RunningSession,
  made: MaterialCheckpoint,
  checkpoints: Checkpoints,
  runners: StepRunners,
  run: Run,
): Promise<VerdictCheckpoint> {
  const verdict = await within(VERDICT_LIMIT_MS, run.signal, (signal) =>
    runners.conclude(session, made, checkpoints, { ...run, signal }),
  );
  if (verdict === OVERRUN) throw new Error(`no verdict within ${VERDICT_LIMIT_MS / 1000} s`);
  return verdict;
}

/** The material that the steps after the first work on. */
export function materialOf(
  session: RunningSession,
  checkpoints: Checkpoints,
  identify: IdentifyLanguage,
): MaterialCheckpoint {
  return checkpoints.material ?? { material: textMaterial(session.submission, identify), degraded: [] };
}

/**
 * Runs one step to its checkpoint. A component that overruns its time becomes a lost outcome; one that throws does too
 * when `forgive` is set, else the error goes up so that the step is tried again. Throws Canceled when the session was.
 */
export async function runStep(
  step: PlanStep,
  session: RunningSession,
  checkpoints: Checkpoints,
  runners: StepRunners,
  run: Run & { forgive: boolean; log: Logger },
): Promise<Checkpoint> {
  if (step.node === 'material') return runMaterial(step, session, runners, run);
  const made = materialOf(session, checkpoints, runners.identify);
  if (step.node === 'verdict') return runVerdict(session, made, checkpoints, runners, run);
  const { node } = step;
  try {
    return await runComponent({ ...step, node }, made.material, runners, run);
  } catch (error) {
    if (error instanceof Canceled || !run.forgive) throw error;
    run.log.error({ err: error, component: node }, 'a component failed');
    return lostComponent(node, 'unavailable', { code: 'component_failed', values: {} });
  }
}
