import type { Submission } from './intake.ts';
import { codePointLength } from './intake.ts';
import { componentsOf, type Estimate, type Plan, type Stages } from './plan.ts';

/** The engines of our own behind each stage. */
const OWN_ENGINES = {
  techniques: 'limpede-techniques-1',
  ai_tampered: 'limpede-ai-text-1',
  claims: 'limpede-claims-1',
  domain: 'limpede-domain-1',
} as const;

/**
 * Time of the steps in milliseconds, from `npm run bench`: a fixed part, a part for each 1000 characters, and what a
 * page may take to fetch. The 95th percentile leaves room for a busy machine.
 */
const COST_MS = { fixed: 15, thousandCharacters: 8, page: { p50: 1_500, p95: 10_000 }, busy: 4 } as const;
/** Characters of a page that is not fetched yet: the middle of news articles. */
const USUAL_PAGE = 4_000;

/** The engines that would serve each stage of a plan, by tier. */
export function stagesOf(plan: Plan): Stages {
  return Object.fromEntries(
    componentsOf(plan).map((component) => {
      const models = { primary: OWN_ENGINES[component], fallbacks: [] };
      return [component, { free: models, premium: models }];
    }),
  );
}

/** What an analysis would cost; without a text model it is time alone. */
export function estimateOf(submission: Submission): Estimate {
  const characters = submission.text === null ? USUAL_PAGE : codePointLength(submission.text);
  const compute = COST_MS.fixed + (characters / 1000) * COST_MS.thousandCharacters;
  const page = submission.url === null ? { p50: 0, p95: 0 } : COST_MS.page;
  return {
    calls: 0,
    tokens: 0,
    search_queries: 0,
    cost_units: 0,
    duration_ms_p50: Math.round(compute + page.p50),
    duration_ms_p95: Math.round(compute * COST_MS.busy + page.p95),
  };
}
