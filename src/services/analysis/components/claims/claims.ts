import prompt from '../../../../../data/prompts/claims.json' with { type: 'json' };
import type { TaskReply } from '../../dependencies/text-model/text-model.ts';
import { summariseClaims } from '../../engines/claims/summary.ts';
import { encodingLoss } from '../../engines/encoding/encodings.ts';
import { loadClaimComparer } from '../../engines/stance/claim-comparer.ts';
import type { ClaimItem, ClaimsResult } from '../../resources/claims-result.ts';
import { SHIPPED_TUNING } from '../../resources/tuning.ts';
import type { Material } from '../../session/material.ts';
import type { ComponentDefinition, ComponentTools, RunContext } from '../component.ts';
import { judgeReply, modelOutcome } from '../model-outcome.ts';
import { materialText, TEXT_COMPONENT_NEEDS } from '../text-component.ts';
import { acceptedClaims, claimsTask, type ModelClaim, mergedClaims } from './model-claims.ts';
import { createStances } from './stance.ts';
import { type VerificationDependencies, type VerificationResult, verifyClaims } from './verification.ts';

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
function claimsOf(own: ClaimItem[], reply: TaskReply<ModelClaim[]>, text: string): ClaimItem[] {
  if (reply.state !== 'answered') return own;
  const engine = { model: reply.model, version: `prompt ${prompt.version}`, duration_ms: reply.durationMs };
  return mergedClaims(own, reply.value, engine, text);
}

/** At most so many claims, the most check-worthy ones, in the order of the text. */
export function mostCheckworthyClaims(claims: ClaimItem[], most: number): ClaimItem[] {
  if (claims.length <= most) return claims;
  const worthiest = new Set(
    claims.toSorted((one, two) => two.checkworthiness - one.checkworthiness).slice(0, most),
  );
  return claims.filter((claim) => worthiest.has(claim));
}

/** Time reserved for the work after verification, in milliseconds. */
const CLOSING_MS = 1_500;

/** Checks claims where there is something to check them with; loaded when the first claim is checked. */
function createVerification({ verification, model }: Pick<ComponentTools, 'verification' | 'model'>) {
  let dependencies: VerificationDependencies | undefined;
  return async (
    claims: readonly ClaimItem[],
    material: Material,
    run: RunContext,
    started: number,
  ): Promise<VerificationResult> => {
    if (verification === undefined)
      return { claims: [...claims], searches: 0, model: null, degraded: [], lostModels: [] };
    if (dependencies === undefined) {
      const reading = loadClaimComparer();
      dependencies = {
        ...verification,
        reading,
        judge: createStances({ model, reading, encode: verification.encode }),
      };
    }
    const { timeoutMs, mostSearched } = run.tuning ?? SHIPPED_TUNING;
    const limits = {
      mostSearched,
      until: started + timeoutMs.claims - CLOSING_MS,
      source: material.parts.source_address?.url,
      text: materialText(material).text,
      now: new Date(),
    };
    return verifyClaims(claims, dependencies, limits, run);
  };
}

/** Reliability and degradations from both stages of the text model, and from the verification. */
function shareOf(reply: TaskReply<unknown>, { degraded, lostModels: [reason] }: VerificationResult) {
  const extraction = modelOutcome(reply);
  const share =
    reason === undefined || extraction.reliability === 'fallback'
      ? extraction
      : { ...extraction, ...modelOutcome({ state: 'lost', reason }), fallbacks: extraction.fallbacks };
  return {
    ...share,
    // There is no fallback for the evidence.
    ...(degraded.length > 0 && { reliability: 'degraded' as const }),
    degraded: [...share.degraded, ...degraded],
  };
}

/** The component that extracts claims, with a text model beside our engine, and checks them against evidence. */
export const claims: ComponentDefinition<'claims'> = {
  name: 'claims',
  ...TEXT_COMPONENT_NEEDS,
  timeoutMs: SHIPPED_TUNING.timeoutMs.claims,
  checks: ['framework', 'llm', 'brain'],
  scoreOf: ({ credibility_score: credibility }) => (credibility === null ? null : 100 - credibility),
  isUndecided: ({ interpretation }) => interpretation === 'undecided',
  create: ({ engines, model, verification }) => {
    const verify = createVerification({ verification, model });
    return async (material, run) => {
      const started = performance.now();
      const read = materialText(material);
      const pendingReply = model.ask(claimsTask(read.text), run);
      const encoded = await engines.encode(read, run);
      const encoding = 'encoding' in encoded ? encoded.encoding : undefined;
      const own = await engines.claims({ ...read, encoding }, run);
      const reply = judgeReply(await pendingReply, (answer) => acceptedClaims(answer, read.text));
      const { mostClaims } = run.tuning ?? SHIPPED_TUNING;
      const selected = mostCheckworthyClaims(claimsOf(own, reply, read.text), mostClaims);
      const verified = await verify(selected, material, run, started);
      const items = verified.claims;
      const block: ClaimsResult = {
        ...summariseClaims(items),
        claims_verified: items,
        llm_extraction: reply.state === 'answered' ? reply.model : null,
        llm_verification: verified.model,
        web_searches_made: verified.searches,
        total_duration_ms: Math.round(performance.now() - started),
      };
      const share = shareOf(reply, verified);
      const lost = encodingLoss(encoded);
      return {
        block,
        quality: claimsQuality(items),
        out_of_scope: false,
        ...share,
        degraded: [...share.degraded, ...lost],
      };
    };
  },
};
