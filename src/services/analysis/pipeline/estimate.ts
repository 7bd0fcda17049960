import claimsPrompt from '../../../../data/prompts/claims.json' with { type: 'json' };
import explanationPrompt from '../../../../data/prompts/explanation.json' with { type: 'json' };
import techniquesPrompt from '../../../../data/prompts/techniques.json' with { type: 'json' };
import type { TextModel } from '../dependencies/text-model/text-model.ts';
import { STAGE_NAMES, STAGES, type StageName, TIERS, type Tier } from '../resources/stage.ts';
import { type Assignments, isOwn, stageModelsOf } from '../session/assignments.ts';
import type { Plan } from '../session/plan.ts';
import type { Submission } from '../session/submission.ts';
import { codePointLength } from './intake.ts';
import { componentsOf, type Estimate, type Stages } from './plan.ts';

/** The properties of the text model that an estimate uses; no request is made. */
export type KnownModel = Pick<TextModel, 'serving' | 'usualTimes' | 'textLength' | 'timeoutMs'>;

/** The stages that a text model may serve, with their prompts. */
export const PROMPTS = {
  'techniques.deep': techniquesPrompt,
  'claims.extraction': claimsPrompt,
  'verdict.explanation': explanationPrompt,
} as const satisfies { readonly [Stage in StageName]?: unknown };
type ModelStage = keyof typeof PROMPTS;

/**
 * Times in milliseconds. The fixed part, that of each 1000 characters and the ratio of the 95th percentile to the median
 * (`busy`) are those of docs/benchmarks.md, four callers at once. What a page takes is an assumption: no page of the open
 * web was fetched for it.
 */
const COST_MS = { fixed: 22, thousandCharacters: 4, page: { p50: 1_500, p95: 10_000 }, busy: 1.7 } as const;
/** Characters of a page that is not fetched yet: the middle of news articles. */
const USUAL_PAGE = 4_000;
/** Characters of one token, between English (4) and Romanian (under 3). */
const CHARACTERS_PER_TOKEN = 3;
/** Tokens of the code lists and of the record of a session, which the prompts hold beside their own lines. */
const FRAME_TOKENS = 1_200;
/** Share of the longest answer that is used, for an estimate on the high side. */
const ANSWER_SHARE = 0.5;
/** A unit of cost is this many tokens. */
const TOKENS_PER_UNIT = 1_000;

/** The stages of the parts that a plan runs. */
function stageNamesOf(plan: Plan): StageName[] {
  const parts = new Set<string>([...componentsOf(plan), 'verdict']);
  return STAGE_NAMES.filter((stage) => parts.has(STAGES[stage].part));
}

/** The stages for which a text model would be asked. */
function modelStages(plan: Plan, model: Pick<TextModel, 'serving'>): ModelStage[] {
  if (model.serving() === null) return [];
  const asks = (stage: StageName): stage is ModelStage => stage in PROMPTS && !isOwn(plan.assignments, stage);
  return stageNamesOf(plan).filter(asks);
}

/** Who would serve each stage of a plan, by tier; our own engine stands behind every text model. */
export function stagesOf(
  plan: Plan,
  assigned: Readonly<Record<Tier, Assignments>>,
  model: Pick<TextModel, 'serving'>,
): Stages {
  const serving = model.serving();
  const entries = stageNamesOf(plan).map((stage) => {
    const tiers = TIERS.map((tier) => [tier, stageModelsOf(assigned[tier], stage, serving)]);
    return [stage, Object.fromEntries(tiers)];
  });
  return Object.fromEntries(entries);
}

/** The prompts that a plan would use. */
export function promptKeysOf(plan: Plan, model: Pick<TextModel, 'serving'>): string[] {
  return modelStages(plan, model).map((stage) => `${PROMPTS[stage].key}@${PROMPTS[stage].version}`);
}

/** Tokens of one question and its answer. */
function tokensOf(stage: ModelStage, characters: number): number {
  const { system, max_tokens } = PROMPTS[stage];
  const read = stage === 'verdict.explanation' ? 0 : characters;
  const promptTokens = (system.join('\n').length + read) / CHARACTERS_PER_TOKEN + FRAME_TOKENS;
  return Math.round(promptTokens + max_tokens * ANSWER_SHARE);
}

/** The model's part of the time: the components ask side by side, the verdict after them. Unmeasured, it is the limit. */
function modelTime(stages: readonly ModelStage[], model: KnownModel, rank: 'p50' | 'p95'): number {
  const limit = { p50: model.timeoutMs, p95: model.timeoutMs };
  const timeOf = (stage: ModelStage) => (model.usualTimes(PROMPTS[stage].key) ?? limit)[rank];
  const components = stages.filter((stage) => stage !== 'verdict.explanation').map(timeOf);
  const explaining = stages.includes('verdict.explanation') ? timeOf('verdict.explanation') : 0;
  return Math.max(0, ...components) + explaining;
}

/** What an analysis would cost: time, and calls and tokens of a text model when one would serve it. */
export function estimateOf(submission: Submission, plan: Plan, model: KnownModel): Estimate {
  const characters = submission.text === null ? USUAL_PAGE : codePointLength(submission.text);
  const compute = COST_MS.fixed + (characters / 1000) * COST_MS.thousandCharacters;
  const page = submission.url === null || submission.quick === true ? { p50: 0, p95: 0 } : COST_MS.page;
  const stages = modelStages(plan, model);
  const shown = Math.min(characters, model.textLength);
  const tokens = stages.reduce((sum, stage) => sum + tokensOf(stage, shown), 0);
  const asking = (rank: 'p50' | 'p95') => (stages.length === 0 ? 0 : modelTime(stages, model, rank));
  return {
    calls: stages.length,
    tokens,
    search_queries: 0,
    cost_units: Math.round((tokens / TOKENS_PER_UNIT) * 10) / 10,
    duration_ms_p50: Math.round(compute + page.p50 + asking('p50')),
    duration_ms_p95: Math.round(compute * COST_MS.busy + page.p95 + asking('p95')),
  };
}
