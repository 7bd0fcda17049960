import { z } from 'zod';
import { defineTunable, type Tunable } from '../../foundation/configuration/tunable.ts';
import { MEDIA_TYPES, type MediaType } from './resources/media-types.ts';
import { modelName, STAGE_NAMES, type StageName, stageModels, TIERS, type Tier } from './resources/stage.ts';
import { scoreWeights, verdictProfile } from './resources/verdict-config.ts';
import { profileOf, shippedVerdictRules } from './resources/verdict-rules.ts';

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

const WEIGHT_SUM_TOLERANCE = 0.0005;

/** A profile that can be in force: its weights are shares of one. */
export const activeProfile = verdictProfile.extend({
  profile_code: z.string().regex(/^[a-z0-9_]{1,60}$/, 'must be lower-case letters, digits and underscores'),
  profile_name: z.string().trim().min(1).max(200),
  note: z.string().max(2_000),
  is_active: z.literal(true, 'each kind of content needs an active profile'),
  weights: scoreWeights.refine((weights) => {
    const sum = Object.values(weights).reduce((total, weight) => total + weight, 0);
    return Math.abs(sum - 1) <= WEIGHT_SUM_TOLERANCE;
  }, 'must sum to 1'),
});

const MEDIA_WORDS: Record<MediaType, { en: string; ro: string }> = {
  text: { en: 'texts', ro: 'textelor' },
  url: { en: 'web pages', ro: 'paginilor web' },
  image: { en: 'pictures', ro: 'imaginilor' },
  audio: { en: 'sound recordings', ro: 'înregistrărilor audio' },
  video: { en: 'videos', ro: 'înregistrărilor video' },
};

function profileTunable(mediaType: MediaType): Tunable<typeof activeProfile> {
  const { en, ro } = MEDIA_WORDS[mediaType];
  return defineTunable({
    key: `analysis.verdict_profile.${mediaType}`,
    schema: activeProfile,
    fallback: activeProfile.parse(profileOf(shippedVerdictRules, mediaType)),
    description_en: `Weights and limits by which verdicts on ${en} are made.`,
    description_ro: `Ponderile și limitele după care se face verdictul ${ro}.`,
  });
}

/** The verdict profile of each kind of content. */
export const profileTunables = Object.fromEntries(
  MEDIA_TYPES.map((mediaType) => [mediaType, profileTunable(mediaType)]),
) as Readonly<Record<MediaType, Tunable<typeof activeProfile>>>;

/** All values of the analysis service that staff may change while it runs. */
export const analysisTunables: readonly Tunable[] = [
  ...STAGE_NAMES.flatMap((stage) => TIERS.map((tier) => stageTunables[stage][tier])),
  ...Object.values(profileTunables),
];
