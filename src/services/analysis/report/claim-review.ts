import claimTaxonomy from '../../../../data/taxonomy/claims.json' with { type: 'json' };
import type { ReasonLanguage } from '../reasons.ts';
import type { AnalysisSession } from '../resources/analysis-session.ts';
import type { ClaimItem } from '../resources/claims-result.ts';

/** Who publishes a review, and where. */
export interface ReviewPublisher {
  readonly name: string;
  readonly url: string;
  /** Where the report of the session is. */
  readonly reportUrl: string;
}

/** Statuses that judge nothing: an opinion or a forecast has no fact to review. */
const WITHOUT_REVIEW: ReadonlySet<string> = new Set(['opinion', 'pending_prediction']);
const statuses = new Map(claimTaxonomy.statuses.map((status) => [status.code, status]));
/** The ends of the scale on which fact-checkers rate. */
const SCALE = { worstRating: 1, bestRating: 5 };

/** The rating of a status; a status that lies on no scale has its name alone. */
function ratingOf(status: string, language: ReasonLanguage) {
  const row = statuses.get(status);
  const name = (language === 'ro' ? row?.alternate_name_ro : row?.alternate_name_en) ?? status;
  const value = row?.claimreview_rating ?? null;
  return {
    '@type': 'Rating',
    alternateName: name,
    ...(value !== null && { ratingValue: value, ...SCALE }),
  };
}

/** The claim, and where it appeared when that has an address. */
function reviewedItem(session: AnalysisSession) {
  const address = session.input_url ?? session.input_media_url;
  if (address === null) return { '@type': 'Claim' };
  const appearance = {
    '@type': 'CreativeWork',
    url: address,
    ...(session.input_title !== null && { headline: session.input_title }),
  };
  return { '@type': 'Claim', appearance };
}

function reviewOf(
  session: AnalysisSession,
  claim: ClaimItem & { readonly reviewed_at: string },
  language: ReasonLanguage,
  publisher: ReviewPublisher,
) {
  return {
    '@type': 'ClaimReview',
    '@id': `${publisher.reportUrl}#${claim.id}`,
    url: publisher.reportUrl,
    datePublished: claim.reviewed_at.slice(0, 10),
    author: { '@type': 'Organization', name: publisher.name, url: publisher.url },
    inLanguage: language,
    claimReviewed: claim.text,
    reviewBody: claim[`explanation_${language}`],
    itemReviewed: reviewedItem(session),
    reviewRating: ratingOf(claim.status, language),
  };
}

const isReviewed = (claim: ClaimItem): claim is ClaimItem & { reviewed_at: string } =>
  claim.reviewed_at !== null && !WITHOUT_REVIEW.has(claim.status);

/**
 * The claims that a person decided, in the ClaimReview form of schema.org; null when there are none. What engines alone
 * decided is never published as a review.
 */
export function claimReviews(session: AnalysisSession, language: ReasonLanguage, publisher: ReviewPublisher) {
  const reviewed = (session.claims?.claims_verified ?? []).filter(isReviewed);
  if (reviewed.length === 0) return null;
  return {
    '@context': 'https://schema.org',
    '@graph': reviewed.map((claim) => reviewOf(session, claim, language, publisher)),
  };
}
