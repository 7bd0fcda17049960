import type { Reason } from '../reasons.ts';
import type { MediaType } from '../resources/analyze-request.ts';

/** What the page said about itself, when the material came from one. */
export interface PageFacts {
  /** The address after redirects. */
  readonly url: string;
  readonly title: string | null;
  readonly publisher: string | null;
  readonly author: string | null;
  readonly published_at: string | null;
  readonly images: readonly string[];
  /** Notes of the extraction such as paywalled or satire. */
  readonly flags: readonly string[];
}

/** What the components analyse. Text is what offsets count in; null when there is none, with the reason. */
export interface Material {
  readonly mediaType: MediaType;
  readonly text: string | null;
  readonly reason: Reason | null;
  readonly title: string | null;
  /** ISO 639-1, or und. */
  readonly language: string;
  readonly url: string | null;
  readonly page: PageFacts | null;
}
