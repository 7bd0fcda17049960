import type { TextEngines } from '../../engines/text-engines.ts';
import type { ClaimItem, ClaimsResult } from '../../resources.ts';
import type { Component } from '../component.ts';
import { textOf, withoutText } from '../text-component.ts';
import { summariseClaims } from './summary.ts';

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

function blockOf(claims: ClaimItem[], durationMs: number): ClaimsResult {
  return {
    ...summariseClaims(claims),
    claims_verified: claims,
    llm_extraction: null,
    llm_verification: null,
    web_searches_made: 0,
    total_duration_ms: durationMs,
  };
}

/** The component that extracts claims; they stay unverified until evidence decides one. */
export function createClaims(engines: Pick<TextEngines, 'claims'>): Component<'claims'> {
  return {
    name: 'claims',
    inapplicable: withoutText,
    run: async (material) => {
      const started = performance.now();
      const claims = await engines.claims(textOf(material));
      const block = blockOf(claims, Math.round(performance.now() - started));
      const quality = claimsQuality(claims);
      return { block, reliability: 'planned', quality, fallbacks: 0, out_of_scope: false, degraded: [] };
    },
  };
}
