import prompt from '../../../../../data/prompts/claims.json' with { type: 'json' };
import type { Reply } from '../../dependencies/text-model/text-model.ts';
import { summariseClaims } from '../../engines/claims/summary.ts';
import type { ClaimItem, ClaimsResult } from '../../resources/claims-result.ts';
import type { ComponentDefinition } from '../component.ts';
import { judged, modelShare } from '../model-share.ts';
import { READS_TEXT, textOf } from '../text-component.ts';
import { acceptedClaims, claimsTask, type ModelClaim, mergedClaims } from './model-claims.ts';

/** 1 - exp(-n / 2) for n independent sources of a claim: none is 0, two are 0.63, five 0.92. */
function evidenceQuality(claim: ClaimItem): number {
  const sources = new Set(claim.evidence.map(({ independent_group, url }) => independent_group ?? url));
  return 1 - Math.exp(-sources.size / 2);
}

/** Mean quality of the evidence over the claims, 0 to 1; 0 when there is no claim. */
export function claimsQuality(claims: readonly ClaimItem[]): number {
  if (claims.length === 0) return 0;
  return claims.reduce((sum, claim) => sum + evidenceQuality(claim), 0) / claims.length;
}

/** Our claims alone, or with those of a model. */
function claimsOf(own: ClaimItem[], reply: Reply<ModelClaim[]>): ClaimItem[] {
  if (reply.state !== 'answered') return own;
  const engine = { model: reply.model, version: `prompt ${prompt.version}`, duration_ms: reply.durationMs };
  return mergedClaims(own, reply.value, engine);
}

/** The component that extracts claims, with a text model beside our engine; they stay unverified until evidence decides one. */
export const claims: ComponentDefinition<'claims'> = {
  name: 'claims',
  ...READS_TEXT,
  timeoutMs: 20_000,
  checks: ['framework', 'llm'],
  scoreOf: ({ credibility_score: credibility }) => (credibility === null ? null : 100 - credibility),
  isUndecided: ({ interpretation }) => interpretation === 'undecided',
  create:
    ({ engines, model }) =>
    async (material, run) => {
      const started = performance.now();
      const read = textOf(material);
      const asked = model.ask(claimsTask(read.text), run);
      const own = await engines.claims(read, run);
      const reply = judged(await asked, (answer) => acceptedClaims(answer, read.text));
      const items = claimsOf(own, reply);
      const block: ClaimsResult = {
        ...summariseClaims(items),
        claims_verified: items,
        llm_extraction: reply.state === 'answered' ? reply.model : null,
        llm_verification: null,
        web_searches_made: 0,
        total_duration_ms: Math.round(performance.now() - started),
      };
      return { block, quality: claimsQuality(items), out_of_scope: false, ...modelShare(reply) };
    },
};
