import { createHash } from 'node:crypto';
import type { ClaimReview } from './json-ld.ts';
import type { PageFacts, Picture } from './metadata.ts';
import { collapseWhitespace } from './page.ts';
import type { AiDisclosure } from './signs.ts';

/** What a page says of itself and what it shows. */
export interface PageMetadata extends PageFacts {
  images: Picture[];
  flags: { paywalled: boolean; satire: boolean; sponsored: boolean; fact_check: boolean };
  ai_disclosures: AiDisclosure[];
  claim_reviews: ClaimReview[];
  text_source: 'article' | 'page' | 'plain_text' | 'pdf' | 'none';
  encoding: string;
}

/** Longest statements of a page about itself, in UTF-16 units; honest ones are far shorter. */
const LONGEST = { line: 1_000, description: 5_000, address: 8_192 };
const MOST_DISCLOSURES = 20;

/** The first units of a text; a character that takes two is not cut in half. */
export function truncateUnits(text: string, count: number): string {
  if (text.length <= count) return text;
  const last = text.charCodeAt(count - 1);
  return text.slice(0, last >= 0xd800 && last < 0xdc00 ? count - 1 : count);
}

/** SHA-256 of the text with white space squashed and letters composed, in hexadecimal. */
export function textHash(text: string): string {
  return createHash('sha256')
    .update(collapseWhitespace(text.normalize('NFC')))
    .digest('hex');
}

const cut = (text: string | null, longest = LONGEST.line) => text && truncateUnits(text, longest);

/** An address that is cut leads elsewhere: one that is too long is left out. */
const address = (text: string | null) => (text !== null && text.length > LONGEST.address ? null : text);

const boundedReview = (review: ClaimReview): ClaimReview => ({
  claim: truncateUnits(review.claim, LONGEST.description),
  claimant: cut(review.claimant),
  rating: cut(review.rating),
  reviewer: cut(review.reviewer),
  url: address(review.url),
  published_at: cut(review.published_at),
});

/** The metadata with every statement cut to a length that people read, so that no page makes its answer too large. */
export function boundedMetadata(metadata: PageMetadata): PageMetadata {
  return {
    ...metadata,
    title: cut(metadata.title),
    publisher: cut(metadata.publisher),
    author: cut(metadata.author),
    site_name: cut(metadata.site_name),
    description: cut(metadata.description, LONGEST.description),
    canonical_url: address(metadata.canonical_url),
    images: metadata.images.flatMap((image) =>
      address(image.url) === null ? [] : [{ ...image, alt: cut(image.alt) }],
    ),
    ai_disclosures: metadata.ai_disclosures
      .slice(0, MOST_DISCLOSURES)
      .map((each) => ({ ...each, value: truncateUnits(each.value, LONGEST.line) })),
    claim_reviews: metadata.claim_reviews.map(boundedReview),
  };
}
