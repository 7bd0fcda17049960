import type { ClaimItem } from '../../resources/claims-result.ts';
import type { Outcomes } from '../../session/outcome.ts';
import { isDecidedStatus } from '../verdict/claim-statuses.ts';
import { type Advice, adviceByClaim, adviceByText, textSubjectOf } from './where-to-check.ts';

/** A claim on a sensitive topic that was not decided: its topic, its words, and how readers can check it. */
export interface UncheckedClaim extends Advice {
  quote: string;
  lookup: Lookup;
}

/** What looking a claim up brought: evidence that did not suffice, nothing at all, or it was not looked up. */
export type Lookup = 'evidence' | 'nothing' | 'never';

/** What looking an undecided claim up brought; older records do not say of each claim whether it was searched for. */
export function lookupOf(
  claim: ClaimItem,
  { web_searches_made: searches }: { web_searches_made: number },
): Lookup {
  if (claim.evidence.length > 0 || claim.previous_fact_checks.length > 0) return 'evidence';
  return (claim.searched ?? searches > 0) ? 'nothing' : 'never';
}

/** Whether a claim is undecided and not only denied or asked about. */
export const isOpen = ({ status, voice }: ClaimItem) =>
  !isDecidedStatus(status) && status !== 'opinion' && voice !== 'asked' && voice !== 'denied';

/** The most check-worthy undecided claim of which an advice can be given; by what the whole text is about only where no claim names it. */
export function uncheckedClaimOf(
  summary: Record<string, unknown>,
  claims: Outcomes['claims'],
): UncheckedClaim | null {
  if (claims.state !== 'ran') return null;
  const open = claims.block.claims_verified
    .filter(isOpen)
    .toSorted((one, two) => two.checkworthiness - one.checkworthiness);
  const subject = textSubjectOf(summary);
  const named = open.map((claim) => ({ claim, advice: adviceByClaim(claim, subject) }));
  const meant = open.map((claim) => ({ claim, advice: adviceByText(claim, subject) }));
  const best = [...named, ...meant].find(({ advice }) => advice !== undefined);
  if (best?.advice === undefined) return null;
  return { ...best.advice, quote: best.claim.span.quote, lookup: lookupOf(best.claim, claims.block) };
}
