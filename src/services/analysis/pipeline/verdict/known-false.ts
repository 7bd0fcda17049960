import { type ClaimItem, isWritersOwn } from '../../resources/claims-result.ts';
import type { Outcomes, VerdictFacts } from '../../session/outcome.ts';

/** The least match score of a claim that says the same as a reviewed one: below it the taxonomy only suggests. */
const SAME = 0.95;
/** A claim that begins within so many UTF-16 units of the text leads it: what follows cannot bury it. */
const LEAD = 200;

/** The match score of a claim with the reviews that refute it; undefined when none does. */
function refutedMatch(claim: ClaimItem): number | undefined {
  const { status, evidence, previous_fact_checks: checks } = claim;
  if (status !== 'verified_false' || !isWritersOwn(claim)) return undefined;
  const refuting = new Set(evidence.filter(({ stance }) => stance === 'refutes').map(({ url }) => url));
  const scores = checks
    .filter(({ match, url }) => match === 'confirmed' && refuting.has(url))
    // A confirmed review is one of an equal statement; `similarity` orders those.
    .map(({ similarity }) => SAME + (1 - SAME) * similarity);
  return scores.length === 0 ? undefined : Math.max(...scores);
}

/**
 * What is known of refuted claims that a text makes itself: the best match with a review, and the share of the text that they
 * are, by length; all of it where one of them leads the text. Undefined when there is none.
 */
export function knownFalseMatch(
  claims: Outcomes['claims'],
  text: string | undefined,
): VerdictFacts['known_false_match'] {
  if (claims.state !== 'ran') return undefined;
  const refuted = claims.block.claims_verified.flatMap((claim) => {
    const similarity = refutedMatch(claim);
    return similarity === undefined ? [] : [{ similarity, span: claim.span }];
  });
  if (refuted.length === 0) return undefined;
  const isLed = refuted.some(({ span }) => span.start_utf16 < LEAD);
  const length = refuted.reduce((sum, { span }) => sum + span.end_utf16 - span.start_utf16, 0);
  return {
    similarity: Math.max(...refuted.map(({ similarity }) => similarity)),
    entails: true,
    share: isLed || text === undefined ? 1 : Math.min(1, length / Math.max(1, text.trim().length)),
  };
}
