import { z } from 'zod';
import { type Degradation, LOSS_EFFECTS, LOSS_REASONS, type Reason, storedReason } from '../reasons.ts';
import { type SessionStatus, sessionStatus } from '../resources/analysis-session.ts';
import { COMPONENTS, type ComponentName, componentName } from '../resources/component-name.ts';
import { type WorkStage, workStage } from '../resources/work-stage.ts';
import type { Checkpoint } from './checkpoint.ts';
import type { StepName } from './plan.ts';
import type { VerdictSummary } from './record.ts';

const number = z.number().nullable();
const word = z.string().nullable();

const event = <Name extends string, Data extends z.ZodRawShape>(name: Name, data: Data) =>
  z.object({ event: z.literal(name), data: z.object(data) });

/** One step of the progress of a session, as it is stored. */
export const progressEvent = z.discriminatedUnion('event', [
  event('session.status', { status: sessionStatus, error_code: word }),
  event('component.started', { component: componentName }),
  // Null for the making of the material.
  event('stage.started', { component: componentName.nullable(), stage: workStage }),
  event('component.completed', {
    component: componentName,
    state: z.enum(['ran', 'skipped', 'lost']),
    reason: storedReason.nullable(),
  }),
  event('component.degraded', {
    // Null when it was lost before the components, or after them.
    component: componentName.nullable(),
    dependency: z.string(),
    reason: z.enum(LOSS_REASONS),
    effect: z.enum(LOSS_EFFECTS),
  }),
  event('verdict.final', {
    revision: z.int(),
    risk_score: number,
    risk_category: word,
    risk_level: word,
    confidence: number,
    confidence_level: word,
  }),
]);
/** One step of the progress of a session. */
export type ProgressEvent = z.infer<typeof progressEvent>;

/** The session has another status. */
export function statusChanged(status: SessionStatus, errorCode: string | null = null): ProgressEvent {
  return { event: 'session.status', data: { status, error_code: errorCode } };
}

/** A component begins to work. */
export function componentStarted(component: ComponentName): ProgressEvent {
  return { event: 'component.started', data: { component } };
}

/** A part of a long step begins. */
export function stageStarted(step: StepName, stage: WorkStage): ProgressEvent {
  return { event: 'stage.started', data: { component: isComponent(step) ? step : null, stage } };
}

/** The session has a verdict, the first or a corrected one. */
export function verdictReached(verdict: VerdictSummary, revision: number): ProgressEvent {
  const { risk_score, risk_category, risk_level, confidence, confidence_level } = verdict;
  return {
    event: 'verdict.final',
    data: { revision, risk_score, risk_category, risk_level, confidence, confidence_level },
  };
}

/** Whether a step is the work of a component. */
export function isComponent(step: StepName): step is ComponentName {
  return (COMPONENTS as readonly StepName[]).includes(step);
}

function degradations(component: ComponentName | null, degraded: readonly Degradation[]): ProgressEvent[] {
  return degraded.map((degradation) => ({
    event: 'component.degraded',
    data: { component, ...degradation },
  }));
}

/** The events of an ended step: its losses and, for a component, its outcome. */
export function stepEnded(checkpoint: Checkpoint): ProgressEvent[] {
  const { step, degraded } = checkpoint;
  if (!('outcome' in checkpoint)) return degradations(null, degraded);
  const { outcome } = checkpoint;
  const reason: Reason | null = outcome.state === 'ran' ? null : outcome.reason;
  const completed: ProgressEvent = {
    event: 'component.completed',
    data: { component: checkpoint.step, state: outcome.state, reason },
  };
  return [...degradations(isComponent(step) ? step : null, degraded), completed];
}
