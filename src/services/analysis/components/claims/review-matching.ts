import { dotProduct } from '../../../../text/dot-product.ts';
import { claimHash } from '../../../../text/statement/claim-hash.ts';
import type { Match } from '../../../../text/statement/match.ts';
import type { GatheredEvidence } from '../../dependencies/evidence.ts';
import type { EncodeTexts } from '../../dependencies/vectors.ts';
import type { ClaimComparer } from '../../engines/stance/claim-comparer.ts';
import { SPEAKS_OF } from '../../engines/stance/claim-likeness.ts';
import type { RunContext } from '../component.ts';

type GatheredItem = GatheredEvidence['items'][number];
type Review = NonNullable<GatheredItem['fact_check']>;

/** From here on a reviewed claim is shown beside the claim, though it is not the same. */
const SUGGEST = 0.5;
/**
 * Similarity from which a reviewed claim is taken for ours where their words say the same. The words decide; below 0.65 were short
 * claims, capitals and the other language, and none that says something else (models/claim-match.md).
 */
const CONFIRM = 0.5;

/** Reviewed claims that are read by their meaning where no wording of any says the same, the nearest first. */
const MOST_BY_MEANING = 2;

/** What reviews are matched with. */
export interface MatchingDependencies {
  readonly reading: Pick<ClaimComparer, 'match' | 'likeness' | 'inLanguageOf'>;
  readonly encode: EncodeTexts;
}

/** How a reviewed claim of the evidence stands to ours. */
export interface ReviewMatch {
  readonly match: 'confirmed' | 'suggested';
  readonly similarity: number;
  /** The wording of the reviewed claim that is meant. */
  readonly claim: string;
}

function cosine(one: Float32Array | undefined, other: Float32Array | undefined): number {
  return one === undefined || other === undefined ? 0 : dotProduct(one, other);
}

const byGrade = (one: ReviewMatch, other: ReviewMatch) =>
  Number(other.match === 'confirmed') - Number(one.match === 'confirmed') ||
  other.similarity - one.similarity;

/** Which of the reviewed claims are the same as ours in any of their wordings, or near. */
export async function matchReviews(
  claim: string,
  items: readonly GatheredItem[],
  { encode, reading }: MatchingDependencies,
  run: RunContext,
): Promise<(ReviewMatch | undefined)[]> {
  // Reviews of one claim bring the same wordings: each is compared once. What its words say needs no vectors.
  const matches = new Map<string, Match>();
  const matchOfWords = (wording: string): Match => {
    const match = matches.get(wording) ?? reading.match(claim, wording, 0);
    matches.set(wording, match);
    return match;
  };
  /** Whether refuting a wording refutes the claim: a narrower claim is refuted with the general one. */
  const isCovering = (wording: string, { rating }: Review) => {
    const { isSame, isNarrower } = matchOfWords(wording);
    return isSame || (isNarrower && rating === 'false');
  };
  const reviewed = items.flatMap(({ fact_check: review }) =>
    review === null
      ? []
      : [review.claim, ...review.wordings.filter((wording) => isCovering(wording, review))],
  );
  const texts = [...new Set([claim, ...reviewed])];
  const vectors = texts.length > 1 ? await encode(texts, run) : undefined;
  const vectorOf = (text: string) => vectors?.[texts.indexOf(text)];
  const matchOf = (wording: string, review: Review): ReviewMatch | undefined => {
    // Equal words need no vectors.
    if (claimHash(wording) === claimHash(claim)) return { match: 'confirmed', similarity: 1, claim: wording };
    const { similarity } = reading.match(claim, wording, cosine(vectorOf(claim), vectorOf(wording)));
    const match = similarity >= CONFIRM && isCovering(wording, review) ? 'confirmed' : 'suggested';
    return similarity >= SUGGEST ? { match, similarity, claim: wording } : undefined;
  };
  const byWords = items.map(({ fact_check: review }) => {
    if (review === null) return undefined;
    const wordings = [...new Set([review.claim, ...review.wordings])].filter((text) => texts.includes(text));
    return wordings.flatMap((wording) => matchOf(wording, review) ?? []).toSorted(byGrade)[0];
  });
  if (byWords.some((one) => one?.match === 'confirmed')) return byWords;
  const cosineTo = (review: Review) => cosine(vectorOf(claim), vectorOf(review.claim));
  const nearest = items
    .flatMap(({ fact_check: review }) => review ?? [])
    .toSorted((one, two) => cosineTo(two) - cosineTo(one));
  const suggested = await suggestionsByMeaning(claim, nearest, { encode, reading }, run);
  return items.map(({ fact_check: review }, at) => {
    const both = [byWords[at], suggested.get(review?.claim ?? '')].flatMap((one) => one ?? []);
    return both.toSorted(byGrade)[0];
  });
}

/**
 * The claims of reviews, the nearest first, that a sentence speaks of in words that none of their wordings has. Whether it says or denies
 * them is not known well enough (models/claim-likeness.md), so they are shown and decide nothing.
 */
async function suggestionsByMeaning(
  sentence: string,
  reviews: readonly Review[],
  { encode, reading }: MatchingDependencies,
  run: RunContext,
): Promise<Map<string, ReviewMatch>> {
  const claims = new Map(reviews.map((review) => [review.claim, review]));
  const nearest = [...claims.values()].slice(0, MOST_BY_MEANING).map(({ claim, wordings }) => {
    const all = [...new Set([claim, ...wordings])];
    return [claim, reading.inLanguageOf(sentence, all)] as const;
  });
  const texts = [...new Set([sentence, ...nearest.flatMap(([, wordings]) => wordings)])];
  const vectors = texts.length > 1 ? await encode(texts, run) : undefined;
  const vectorOf = new Map(texts.map((text, at) => [text, vectors?.[at]]));
  return new Map(
    nearest.flatMap(([claim, wordings]) => {
      const similarity = reading.likeness(sentence, wordings, (text) => vectorOf.get(text)) ?? 0;
      return similarity < SPEAKS_OF ? [] : [[claim, { match: 'suggested', similarity, claim }] as const];
    }),
  );
}
