import { sentencesOf } from '../../../../text/sentences.ts';
import { foldedWords } from '../../engines/context/phrases.ts';
import { stancesOf } from '../../engines/narratives/stance.ts';
import { SPEAKS_OF } from '../../engines/stance/claim-likeness.ts';
import type { Outcomes } from '../../session/outcome.ts';
import { isOpen } from './unchecked-claim.ts';

/** An undecided claim of a text that speaks of one which reviewers found false, and may say the same or something else. */
export interface NearReview {
  readonly quote: string;
  readonly claim: string;
  readonly publisher: string;
}

/** The rating, or a reviewer's own word for it. */
const FALSE = /^fals[eă]?$/iu;

/** Whether any word of a text denies: of a text and a refuted claim of which one denies and the other does not the text may well be true. */
const denies = (text: string) =>
  stancesOf(sentencesOf(text), foldedWords(text)).some((sentence) => sentence.denies);

/** The refuted claim that an undecided one of the text is most like; null where there is none. */
export function nearReviewOf(claims: Outcomes['claims']): NearReview | null {
  if (claims.state !== 'ran') return null;
  const near = claims.block.claims_verified.filter(isOpen).flatMap(({ span, previous_fact_checks: checks }) =>
    checks.flatMap(({ claim, rating, publisher, similarity, match }) => {
      const isFalse = rating !== null && FALSE.test(rating);
      if (claim === null || !isFalse || match !== 'suggested' || similarity < SPEAKS_OF) return [];
      if (denies(span.quote) !== denies(claim)) return [];
      return [{ quote: span.quote, claim, publisher, similarity }];
    }),
  );
  const [nearest] = near.toSorted((one, two) => two.similarity - one.similarity);
  return nearest === undefined
    ? null
    : { quote: nearest.quote, claim: nearest.claim, publisher: nearest.publisher };
}
