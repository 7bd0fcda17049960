import { z } from 'zod';
import { PLAN_TYPE } from './analyze-request.ts';
import type { ComponentName } from './component-name.ts';

/** One stage of the analysis: the part it belongs to, its engine of ours, and whether a text model may serve it. */
interface Stage {
  readonly part: ComponentName | 'verdict';
  readonly engine: string;
  readonly textModel: boolean;
}

/** The stages that can be assigned to engines and models, in the order of the work. */
export const STAGES = {
  'techniques.screening': { part: 'techniques', engine: 'limpede-techniques-1', textModel: false },
  'techniques.deep': { part: 'techniques', engine: 'limpede-techniques-1', textModel: true },
  'ai_tampered.screening': { part: 'ai_tampered', engine: 'limpede-ai-text-1', textModel: false },
  'claims.extraction': { part: 'claims', engine: 'limpede-claims-1', textModel: true },
  'claims.stance': { part: 'claims', engine: 'limpede-stance-1', textModel: true },
  'domain.assessment': { part: 'domain', engine: 'limpede-domain-1', textModel: false },
  'verdict.explanation': { part: 'verdict', engine: 'limpede-explain-1', textModel: true },
} as const satisfies Record<string, Stage>;
export type StageName = keyof typeof STAGES;

/** The names of all stages. */
export const STAGE_NAMES = Object.keys(STAGES) as StageName[];

/** Plans below PLAN_TYPE.premiumFrom are the free tier. */
export const TIERS = ['free', 'premium'] as const;
export const tier = z.enum(TIERS);
export type Tier = z.infer<typeof tier>;

/** The tier of a plan. */
export function tierOfPlan(planType: number): Tier {
  return planType >= PLAN_TYPE.premiumFrom ? 'premium' : 'free';
}

/** The name of an engine or model, as the gateway lists it. */
export const modelName = z.string().trim().min(1).max(200);
/** Models that stand behind the first one: each costs part of the time of its stage. */
const MOST_FALLBACKS = 4;

/** The models of a stage in their order: each is asked when those before it gave no answer. */
export const stageModels = z.object({
  primary: modelName,
  fallbacks: z.array(modelName).max(MOST_FALLBACKS),
});
export type StageModels = z.infer<typeof stageModels>;

/** The stages of one part, by their names within it: `deep` for `techniques.deep`. */
export function stagesOfPart(part: Stage['part']): Map<string, StageName> {
  const names = STAGE_NAMES.filter((name) => STAGES[name].part === part);
  return new Map(names.map((name) => [name.slice(part.length + 1), name]));
}
