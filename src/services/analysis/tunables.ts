import { defineTunable, type Tunable } from '../../foundation/configuration/tunable.ts';
import { modelName, STAGE_NAMES, type StageName, stageModels, TIERS, type Tier } from './resources/stage.ts';

/** What is assigned to a stage; a primary of null leaves the choice to the service. */
const stageAssignment = stageModels.extend({ primary: modelName.nullable() });
type StageAssignment = Tunable<typeof stageAssignment>;

const TIER_WORDS: Record<Tier, { en: string; ro: string }> = {
  free: { en: 'free', ro: 'gratuit' },
  premium: { en: 'premium', ro: 'premium' },
};

function stageTunable(stage: StageName, tier: Tier): StageAssignment {
  return defineTunable({
    key: `analysis.stage.${stage}.${tier}`,
    schema: stageAssignment,
    fallback: { primary: null, fallbacks: [] },
    description_en: `The engine or model of the stage ${stage} in the ${TIER_WORDS[tier].en} tier, and its fallbacks.`,
    description_ro: `Motorul sau modelul etapei ${stage} la nivelul ${TIER_WORDS[tier].ro} și rezervele lui.`,
  });
}

/** The assignment of each stage, by tier. */
export const stageTunables = Object.fromEntries(
  STAGE_NAMES.map((stage) => [
    stage,
    Object.fromEntries(TIERS.map((tier) => [tier, stageTunable(stage, tier)])),
  ]),
) as Readonly<Record<StageName, Readonly<Record<Tier, StageAssignment>>>>;

/** All values of the analysis service that staff may change while it runs. */
export const analysisTunables: readonly Tunable[] = [
  ...STAGE_NAMES.flatMap((stage) => TIERS.map((tier) => stageTunables[stage][tier])),
];
