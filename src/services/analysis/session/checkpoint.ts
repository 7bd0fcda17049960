import type { Degradation } from '../reasons.ts';
import type { ComponentName } from '../resources/component-name.ts';
import type { VerdictResult } from '../resources/verdict-result.ts';
import type { Material } from './material.ts';
import type { Blocks, Outcome } from './outcome.ts';
import type { StepName } from './plan.ts';

/** What the material step left: the text that offsets count in, and what was lost on the way to it. */
export interface MaterialCheckpoint {
  readonly material: Material;
  readonly degraded: readonly Degradation[];
}

/** What a component left. */
export interface ComponentCheckpoint<Name extends ComponentName = ComponentName> {
  readonly outcome: Outcome<Blocks[Name]>;
  readonly degraded: readonly Degradation[];
}

/** What the verdict step left. */
export interface VerdictCheckpoint {
  readonly verdict: VerdictResult;
  readonly topic: string | null;
  readonly degraded: readonly Degradation[];
}

/** The checkpoints of one session, by step; a step that has not ended is absent. */
export interface Checkpoints {
  material?: MaterialCheckpoint;
  techniques?: ComponentCheckpoint<'techniques'>;
  ai_tampered?: ComponentCheckpoint<'ai_tampered'>;
  claims?: ComponentCheckpoint<'claims'>;
  domain?: ComponentCheckpoint<'domain'>;
  verdict?: VerdictCheckpoint;
}

/** The steps that have ended. */
export function doneSteps(checkpoints: Checkpoints): Set<StepName> {
  return new Set(Object.keys(checkpoints) as StepName[]);
}
