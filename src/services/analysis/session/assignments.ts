import type { ConfigurationSnapshot } from '../../../foundation/configuration/configuration.ts';
import { STAGE_NAMES, STAGES, type StageModels, type StageName, type Tier } from '../resources/stage.ts';
import { stageTunables } from '../tunables.ts';

/** The models assigned to each stage when the session was accepted; an absent stage uses the default choice. */
export type Assignments = { readonly [Stage in StageName]?: StageModels };

/** The assignments of a tier. */
export function assignmentsOf(configuration: ConfigurationSnapshot, tier: Tier): Assignments {
  const entries = STAGE_NAMES.flatMap((stage): [StageName, StageModels][] => {
    const { primary, fallbacks } = configuration.get(stageTunables[stage][tier]).value;
    return primary === null ? [] : [[stage, { primary, fallbacks }]];
  });
  return Object.fromEntries(entries);
}

/** Every stage left to our own engine. */
export const NO_TEXT_MODELS: Assignments = Object.fromEntries(
  STAGE_NAMES.map((stage) => [stage, { primary: STAGES[stage].engine, fallbacks: [] }]),
);

/** The text models assigned to a stage, in their order; undefined when none was assigned. Our own engine is none. */
export function textModelsOf(assignments: Assignments, stage: StageName): readonly string[] | undefined {
  const assigned = assignments[stage];
  if (assigned === undefined) return undefined;
  return [assigned.primary, ...assigned.fallbacks].filter((name) => name !== STAGES[stage].engine);
}

/** Who would serve a stage: those who are assigned, else the model that serves; our own engine stands behind all. */
export function stageModelsOf(
  assignments: Assignments,
  stage: StageName,
  serving: string | null,
): StageModels {
  const { engine, textModel } = STAGES[stage];
  const models = textModelsOf(assignments, stage) ?? (textModel && serving !== null ? [serving] : []);
  const [primary = engine, ...fallbacks] = [...models, engine];
  return { primary, fallbacks };
}

/** Whether a stage is assigned to our own engine alone. */
export function isOwn(assignments: Assignments, stage: StageName): boolean {
  return textModelsOf(assignments, stage)?.length === 0;
}
