import type { FetchAttempt, FetchedPage } from '../contract.ts';
import type { IndexReview } from '../evidence-index/search.ts';
import type { MergedPage } from '../search/merge.ts';

/** A fetched page or a stored document with its text. */
export interface Source {
  readonly url: string;
  /** The canonical address that the page states; null when it states none. */
  readonly canonicalUrl: string | null;
  readonly title: string;
  readonly publisher: string | null;
  readonly language: string | null;
  readonly published_at: string | null;
  readonly retrieved_at: string;
  readonly text: string;
  /** Passages that the index found in it; they may lie beyond the part of the text that is loaded. */
  readonly indexPassages: readonly string[];
  readonly textHash: string;
  readonly method: string;
  readonly chain: readonly FetchAttempt[];
  readonly providers: readonly string[];
  readonly query: string;
  readonly origin: string | null;
  readonly review: IndexReview | null;
  readonly similarity: number | null;
}

/** A result of the search, and the query that found it. */
export interface SourceCandidate {
  readonly page: MergedPage;
  readonly query: string;
}

/** A stored document as a source; undefined for a page that has to be fetched. */
export function storedSource({ page, query }: SourceCandidate): Source | undefined {
  if (page.document === undefined) return undefined;
  const { document, passages, review, similarity } = page.document;
  return {
    url: page.url,
    canonicalUrl: null,
    title: document.title,
    publisher: document.publisher,
    language: document.language,
    published_at: document.published_at,
    retrieved_at: document.imported_at.toISOString(),
    text: document.text,
    indexPassages: passages.filter((passage) => passage !== document.title),
    textHash: document.text_hash,
    method: 'index',
    chain: [],
    providers: page.providers,
    query,
    origin: document.origin,
    review,
    similarity,
  };
}

/** A fetched page as a source; undefined when it has no text. */
export function fetchedSource({ page, query }: SourceCandidate, fetched: FetchedPage): Source | undefined {
  const { text, text_hash: textHash, metadata } = fetched;
  if (text === null || text.trim() === '' || textHash === null) return undefined;
  return {
    url: fetched.final_url,
    canonicalUrl: metadata?.canonical_url ?? null,
    title: fetched.title ?? page.title,
    publisher: metadata?.publisher ?? null,
    language: metadata?.language ?? null,
    published_at: metadata?.published_at ?? page.published_at,
    retrieved_at: fetched.retrieved_at,
    text,
    indexPassages: [],
    textHash,
    method: fetched.extraction_method,
    chain: fetched.fallback_chain,
    providers: page.providers,
    query,
    origin: null,
    review: null,
    similarity: null,
  };
}
