import { z } from 'zod';
import type { ConfigurationSnapshot } from '../../foundation/configuration/configuration.ts';
import { liveSettings } from '../../foundation/configuration/live-settings.ts';
import { defineTunable, type Tunable } from '../../foundation/configuration/tunable.ts';
import type { LocalizedText } from '../../foundation/localized-text.ts';
import { COMPONENT_WORDS } from './resources/component-blocks.ts';
import { byComponent, COMPONENTS, type ComponentName } from './resources/component-name.ts';
import { MEDIA_TYPE_WORDS, MEDIA_TYPES, type MediaType } from './resources/media-types.ts';
import {
  modelName,
  STAGE_NAMES,
  STAGES,
  type StageName,
  stageModels,
  TIERS,
  type Tier,
} from './resources/stage.ts';
import { SHIPPED_TUNING, type Tuning } from './resources/tuning.ts';
import { scoreWeights, verdictProfile } from './resources/verdict-config.ts';
import { profileOf, shippedVerdictRules, verdictRules } from './resources/verdict-rules.ts';
import { type AnalysisSettings, analysisSettings } from './settings.ts';

/** What is assigned to a stage; a primary of null leaves the choice to the service. */
const stageAssignment = stageModels.extend({ primary: modelName.nullable() });
type StageAssignment = Tunable<typeof stageAssignment>;

const TIER_WORDS: Record<Tier, LocalizedText> = {
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

function profileTunable(mediaType: MediaType): Tunable<typeof activeProfile> {
  const { en, ro } = MEDIA_TYPE_WORDS[mediaType].several;
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

const PART_WORDS = {
  thresholds: {
    en: 'Thresholds of the rules that may change the number of a verdict.',
    ro: 'Pragurile regulilor care pot schimba numărul unui verdict.',
  },
  confidence_model: {
    en: 'How the confidence of a verdict is made: exponents, penalties and caps.',
    ro: 'Cum se face încrederea unui verdict: exponenți, penalizări și plafoane.',
  },
  enqueue_thresholds: {
    en: 'From which risk, and below which confidence, a person should look at a session.',
    ro: 'De la ce risc și sub ce încredere ar trebui să privească un om o sesiune.',
  },
  band_hysteresis_points: {
    en: 'Points by which a corrected number must leave its band before the category changes.',
    ro: 'Punctele cu care un număr corectat trebuie să iasă din banda lui ca să se schimbe categoria.',
  },
} as const;
/** A part of the verdict rules that staff may change, beside the profiles. */
export type RulePart = keyof typeof PART_WORDS;
/** Those parts. */
export const RULE_PARTS = Object.keys(PART_WORDS) as RulePart[];

/** The parts of the verdict rules that staff may change. */
export const rulePartTunables = Object.fromEntries(
  RULE_PARTS.map((part) => {
    const { en, ro } = PART_WORDS[part];
    const tunable = defineTunable<z.ZodType>({
      key: `analysis.verdict.${part}`,
      schema: verdictRules.shape[part],
      fallback: shippedVerdictRules[part],
      description_en: en,
      description_ro: ro,
    });
    return [part, tunable];
  }),
) as { readonly [Part in RulePart]: Tunable<(typeof verdictRules)['shape'][Part]> };

/** The shortest time limit of a component, in milliseconds. */
const LEAST_COMPONENT_MS = 1_000;

/** The longest run of each component. */
const componentTimeTunables = byComponent<Record<ComponentName, Tunable<z.ZodInt>>>((component) => {
  const { en, ro } = COMPONENT_WORDS[component].title;
  const shipped = SHIPPED_TUNING.timeoutMs[component];
  return defineTunable({
    key: `analysis.${component}.timeout_ms`,
    schema: z.int().min(LEAST_COMPONENT_MS).max(shipped),
    fallback: shipped,
    description_en: `Longest run of the component “${en}”, in milliseconds; later it counts as lost.`,
    description_ro: `Cea mai lungă rulare a componentei „${ro}”, în milisecunde; după ea se socotește pierdută.`,
  });
});

const leastConfidence = defineTunable({
  key: 'analysis.techniques.least_confidence',
  schema: z.number().min(0).max(0.95),
  fallback: SHIPPED_TUNING.leastConfidence,
  description_en:
    'Weight from which a technique is listed and counted: 1 - product over its passages of (1 - weight). 0 lists all; above 0 only what counts in manipulation_score is listed (0.1: the short list). It does not bound the confidence that is shown.',
  description_ro:
    'Ponderea de la care o tehnică apare în listă și se socotește: 1 - produsul (1 - pondere) al pasajelor ei. 0 le arată pe toate; peste 0 apare numai ce contează în manipulation_score (0,1: lista scurtă). Nu limitează încrederea afișată.',
});
const aiVerdictFrom = defineTunable({
  key: 'analysis.ai_tampered.verdict_from',
  schema: z
    .strictObject({ likely: z.number().min(0.5).max(1), strong: z.number().min(0.5).max(1) })
    .refine(({ likely, strong }) => likely <= strong, 'likely must not be above strong'),
  fallback: SHIPPED_TUNING.aiVerdictFrom,
  description_en:
    'Probabilities from which, with evidence of grade A or B, the verdict is likely_ai_or_tampered or strong_evidence.',
  description_ro:
    'Probabilitățile de la care, cu dovezi de gradul A sau B, verdictul este likely_ai_or_tampered sau strong_evidence.',
});
const mostClaims = defineTunable({
  key: 'analysis.claims.most_claims',
  schema: z.int().min(1).max(SHIPPED_TUNING.mostClaims),
  fallback: SHIPPED_TUNING.mostClaims,
  description_en: 'Claims kept of one text, the most check-worthy ones.',
  description_ro: 'Afirmații păstrate dintr-un text, cele care merită cel mai mult verificate.',
});
const mostSearched = defineTunable({
  key: 'analysis.claims.most_searched',
  schema: z.int().min(0).max(SHIPPED_TUNING.mostClaims),
  fallback: SHIPPED_TUNING.mostSearched,
  description_en: 'Claims of one text for which evidence is looked for, the most check-worthy ones; 0: none.',
  description_ro: 'Afirmații dintr-un text pentru care se caută dovezi, cele mai importante; 0: niciuna.',
});

/** The settings of the analysis service that staff may change. */
export const analysisLiveSettings = liveSettings('analysis', analysisSettings, {
  ANALYSIS_SLOTS_FREE:
    'Sesiuni acceptate ale unui utilizator din nivelul gratuit care pot fi în lucru deodată; celelalte așteaptă.',
  ANALYSIS_SLOTS_PREMIUM: 'Același lucru pentru nivelul premium (planurile 4-6).',
  ANALYSIS_PENDING_MAX:
    'Sesiuni ale unui utilizator care își pot aștepta rândul deodată, pe lângă cele în lucru; ce trece de ele primește 429.',
  ANALYSIS_DIRECT_PLACES:
    'Analize directe la care lucrează deodată acest proces, la fiecare nivel; un utilizator are atâtea câte sloturi.',
  ANALYSIS_DIRECT_ANSWER_MS:
    'Milisecunde după care o analiză directă răspunde cu sesiunea așa cum este; analiza continuă.',
  ANALYSIS_RECORDINGS_AT_ONCE:
    'Sunete și înregistrări video ascultate sau examinate deodată de acest proces; celelalte așteaptă, pe rând între utilizatori.',
  ANALYSIS_RECORDINGS_SHED_FROM:
    'Înregistrări în așteptare de la care se lasă deoparte părțile opționale: întâi textul din cadre, apoi spectrograma, apoi descrierea.',
  ANALYSIS_PICTURES_AT_ONCE:
    'Imagini pe care acest proces le dă spre examinare deodată; celelalte așteaptă, utilizatorii pe rând.',
  ANALYSIS_PAGE_PICTURES:
    'Imagini principale ale unei pagini care se examinează împreună cu ea; 0 nu examinează niciuna.',
  ANALYSIS_LARGEST_UPLOAD: 'Octeții celei mai mari imagini, înregistrări audio sau video care se păstrează.',
  ANALYSIS_MEDIA_QUOTA:
    'Octeți de imagini, înregistrări audio și video pe care îi poate avea stocați un utilizator, cu tot cu cei pe drum.',
  ANALYSIS_MEDIA_DAYS:
    'Zile după care se șterge un fișier care nu a mai fost trimis și de care nu ține nicio sesiune mai nouă; 0 îl păstrează mereu.',
  LLM_ANALYSIS_TIMEOUT_MS: {
    key: 'model_timeout_ms',
    ro: 'Cea mai lungă așteptare a unui răspuns de la un model de limbă, cu tot cu corectarea lui, în milisecunde.',
  },
  LLM_ANALYSIS_CALLS: {
    key: 'model_calls',
    ro: 'Întrebări pe care acest proces le pune deodată modelelor de limbă; de patru ori mai multe pot aștepta.',
  },
  LLM_ANALYSIS_TEXT_LENGTH: {
    key: 'model_text_length',
    ro: 'Caracterele unui text pe care le citește un model de limbă, tăiate după o propoziție.',
  },
  ASYNC_STATUS: {
    key: 'async_status',
    ro: 'Statusul cu care răspunde o operațiune -async acceptată; 200 este pentru clienți vechi.',
  },
  ANALYSIS_CONCURRENCY: {
    ro: 'Pași de același fel din cozi la care lucrează deodată acest proces. Mai mulți împart instrucțiunile către baza de date, dar întreabă deodată și modelele de limbă: odată cu el se mărește LLM_ANALYSIS_CALLS.',
    restart: true,
  },
  ANALYSIS_ENGINE_THREADS: {
    ro: 'Fire de execuție ale motoarelor de text pentru un utilizator; în total este unul în plus. Fiecare fir folosit are copia lui a modelelor.',
    restart: true,
  },
});

/** The tuning for sessions that are accepted now. */
export function tuningOf(configuration: ConfigurationSnapshot, settings: AnalysisSettings): Tuning {
  return {
    timeoutMs: byComponent<Record<ComponentName, number>>(
      (component) => configuration.get(componentTimeTunables[component]).value,
    ),
    leastConfidence: configuration.get(leastConfidence).value,
    aiVerdictFrom: configuration.get(aiVerdictFrom).value,
    mostClaims: configuration.get(mostClaims).value,
    mostSearched: configuration.get(mostSearched).value,
    model: {
      timeoutMs: settings.LLM_ANALYSIS_TIMEOUT_MS,
      textLength: settings.LLM_ANALYSIS_TEXT_LENGTH,
    },
  };
}

/** The component whose group shows a tunable; undefined for one that concerns them all. */
export function componentOf({ key }: Pick<Tunable, 'key'>): ComponentName | undefined {
  const [, kind = '', name = ''] = key.split('.');
  if (kind !== 'stage') return COMPONENTS.find((component) => component === kind);
  const stage = STAGE_NAMES.find((each) => key.startsWith(`analysis.stage.${each}.`));
  const part = stage === undefined ? name : STAGES[stage].part;
  return COMPONENTS.find((component) => component === part);
}

/** All values of the analysis service that staff may change while it runs, its settings apart. */
export const analysisTunables: readonly Tunable[] = [
  ...STAGE_NAMES.flatMap((stage) => TIERS.map((tier) => stageTunables[stage][tier])),
  ...Object.values(profileTunables),
  ...Object.values(rulePartTunables),
  ...Object.values(componentTimeTunables),
  leastConfidence,
  aiVerdictFrom,
  mostClaims,
  mostSearched,
];
