import type { Priority } from '../broker/broker.ts';
import type { ComponentName } from '../resources/component-name.ts';
import type { MediaType } from '../resources/media-types.ts';
import type { Tuning } from '../resources/tuning.ts';
import type { VerdictProfile } from '../resources/verdict-config.ts';
import type { Assignments } from './assignments.ts';
import type { Omission } from './outcome.ts';

/** A step that leaves a checkpoint. */
export type StepName = 'material' | ComponentName | 'verdict';

/** One step of a plan. */
export interface PlanStep {
  readonly name: StepName;
  readonly queue: string;
  /** Higher first. */
  readonly priority: Priority;
  readonly timeoutMs: number;
  readonly dependsOn: readonly StepName[];
}

/** What will run, in which order, and what will not. */
export interface Plan {
  readonly mediaType: MediaType;
  readonly planType: number;
  readonly steps: readonly PlanStep[];
  readonly skipped: readonly Omission[];
  readonly profile: VerdictProfile;
  /** Version of the rules that the profile belongs to. */
  readonly rulesVersion: string;
  /** Who serves which stage, as it was assigned when the session was accepted. */
  readonly assignments: Assignments;
  /** What staff had set of the steps then; undefined on sessions of earlier releases. */
  readonly tuning?: Tuning | undefined;
}
