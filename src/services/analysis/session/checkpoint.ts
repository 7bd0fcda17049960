import { z } from 'zod';
import type { Degradation } from '../reasons.ts';
import { type Blocks, componentBlocks } from '../resources/component-blocks.ts';
import { COMPONENTS, type ComponentName } from '../resources/component-name.ts';
import { verdictResult } from '../resources/verdict-result.ts';
import { material } from './material.ts';
import { moderationRequest } from './moderation-request.ts';
import { type Outcome, type Outcomes, type RanOutcome, storedDegradation, storedOutcome } from './outcome.ts';
import type { StepName } from './plan.ts';

/**
 * The version of the schemas below. It is raised when they change so that what was stored before no longer fits; then
 * sessions under way run such steps again.
 */
export const CHECKPOINT_VERSION = 2;

const degraded = z.array(storedDegradation);

const materialCheckpoint = z.object({ step: z.literal('material'), material, degraded });
const verdictCheckpoint = z.object({
  step: z.literal('verdict'),
  verdict: verdictResult,
  topic: z.string().nullable(),
  enqueue: moderationRequest.nullable().default(null),
  degraded,
});
const componentCheckpoint = (name: ComponentName) =>
  z.object({
    step: z.literal(name),
    outcome: storedOutcome<unknown>(componentBlocks[name].unwrap()),
    degraded,
  });

/** The checkpoint of the material step: the material, and the losses while it was prepared. */
export type MaterialCheckpoint = z.infer<typeof materialCheckpoint>;

/** The checkpoint of the verdict step. */
export type VerdictCheckpoint = z.infer<typeof verdictCheckpoint>;

/** The checkpoint of a component. */
export type ComponentCheckpoint = {
  [Name in ComponentName]: {
    readonly step: Name;
    readonly outcome: Outcome<Blocks[Name]>;
    readonly degraded: readonly Degradation[];
  };
}[ComponentName];

/** The checkpoint of a step. */
export type Checkpoint = MaterialCheckpoint | ComponentCheckpoint | VerdictCheckpoint;

/** The checkpoint of the step of this name. */
export type CheckpointOf<Name extends StepName> = Extract<Checkpoint, { readonly step: Name }>;

/** The checkpoints of one session; a step that has not ended has none. */
export type Checkpoints = readonly Checkpoint[];

/** A checkpoint in the form of its step. */
export const checkpoint = z.discriminatedUnion('step', [
  materialCheckpoint,
  ...COMPONENTS.map(componentCheckpoint),
  verdictCheckpoint,
  // The schemas tie each block to its name; the inferred type of a mapped list does not, hence the cast.
]) as unknown as z.ZodType<Checkpoint>;

/** The checkpoint of a step; undefined while it has not ended. */
export function checkpointOf<Name extends StepName>(
  checkpoints: Checkpoints,
  name: Name,
): CheckpointOf<Name> | undefined {
  return checkpoints.find((one): one is CheckpointOf<Name> => one.step === name);
}

/** The steps that have ended. */
export function completedStepNames(checkpoints: Checkpoints): Set<StepName> {
  return new Set(checkpoints.map(({ step }) => step));
}

/** The outcome of a component; undefined while its step has not ended. */
export function outcomeOf<Name extends ComponentName>(
  checkpoints: Checkpoints,
  name: Name,
): Outcomes[Name] | undefined {
  type Own = ComponentCheckpoint & { readonly step: Name; readonly outcome: Outcomes[Name] };
  return checkpoints.find((one): one is Own => one.step === name)?.outcome;
}

/** The block of a component that ran, else null. */
export function blockOf<Name extends ComponentName>(
  checkpoints: Checkpoints,
  name: Name,
): Blocks[Name] | null {
  type Own = ComponentCheckpoint & { readonly step: Name; readonly outcome: RanOutcome<Blocks[Name]> };
  const own = checkpoints.find(
    (one): one is Own => one.step === name && 'outcome' in one && one.outcome.state === 'ran',
  );
  return own?.outcome.block ?? null;
}
