import { z } from 'zod';
import type { VendorLossReason, VendorResult } from '../../../foundation/vendor-client.ts';
import type { IndexHit } from '../evidence-index/search.ts';

/** One query for one provider. */
export interface ProviderQuery {
  readonly query: string;
  readonly count: number;
  /** ISO 639-1; undefined when it does not matter. */
  readonly language: string | undefined;
  /** ISO 3166-1. */
  readonly country: string;
  readonly freshness: 'day' | 'week' | 'month' | 'year' | null;
  readonly safeSearch: 'off' | 'moderate' | 'strict';
  readonly allow: readonly string[];
  readonly block: readonly string[];
  /** The user on whose behalf, for our own services, which share their queues fairly between users. */
  readonly share?: string | undefined;
}

/**
 * How a query looks at a claim: its whole sentence, that sentence in English words, its key words, the two or three of them
 * that matter most, the name in it, or its key words with what fact-checkers write. `caller`: the caller's own query.
 */
export type QueryAngle = 'caller' | 'sentence' | 'translation' | 'key_words' | 'core' | 'name' | 'fact_check';

/** A query, the language of its words (ISO 639-1, or auto), and how it looks at a claim. */
export interface SearchQuery {
  readonly query: string;
  readonly language: string;
  readonly angle: QueryAngle;
}

/** A page that a provider found. */
export interface PageHit {
  readonly url: string;
  readonly title: string;
  readonly snippet: string;
  /** As the provider says: an ISO date, with or without time. */
  readonly published_at: string | null;
  /** A document of the local index: its text is there already. */
  readonly document?: IndexHit;
}

/** A picture that a provider found. */
export interface ImageHit {
  readonly image_url: string;
  readonly thumbnail_url: string | null;
  readonly source_url: string | null;
  readonly title: string;
  readonly description: string | null;
  readonly width: number | null;
  readonly height: number | null;
  readonly publisher: string | null;
}

/** A query for pictures. */
export interface ImageQuery {
  readonly query: string;
  readonly count: number;
  readonly language: string | undefined;
  readonly country: string;
  readonly safeSearch: 'off' | 'strict';
  readonly spellcheck: boolean;
}

/** The hits of a query, or why there are none. */
export type ProviderAnswer<Found> =
  | { readonly ok: true; readonly items: readonly Found[] }
  | {
      readonly ok: false;
      readonly reason: VendorLossReason | 'suspended';
      readonly retryAfterMs?: number | undefined;
      readonly status?: number | undefined;
    };

/** A search provider. Errors of the network and the vendor are returned, not thrown. */
export interface SearchProvider {
  readonly name: string;
  readonly tier: 'local' | 'free' | 'premium';
  /** Most queries that are sent to it for one request; unlimited when absent. */
  readonly mostQueries?: number;
  /** The angles that it answers well, the best first. Queries of callers are always sent. */
  readonly angles: readonly QueryAngle[];
  /** Whether it filters by `freshness` itself, so that its hits without a date count as fresh. */
  readonly heedsFreshness: boolean;
  search(query: ProviderQuery, signal: AbortSignal): Promise<ProviderAnswer<PageHit>>;
  images?(query: ImageQuery, signal: AbortSignal): Promise<ProviderAnswer<ImageHit>>;
  /** Asks whether it works, where that costs nothing; rejects with a short reason. */
  probe?(signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

/** Maps the result of a vendor client to a provider answer. */
export function answerOf<Value, Found>(
  result: VendorResult<Value>,
  read: (value: Value) => readonly Found[],
): ProviderAnswer<Found> {
  if (result.ok) return { ok: true, items: read(result.value) };
  return { ok: false, reason: result.reason, retryAfterMs: result.retryAfterMs, status: result.status };
}

/**
 * A list of a vendor's answer: items that do not have the form are left out, since one odd result says nothing of the others.
 * Where none has it, the answer has another form than the documented one.
 */
export const listOf = <Item extends z.ZodType>(item: Item) =>
  z.array(z.unknown()).transform((written, context): z.output<Item>[] => {
    const read = written.flatMap((one) => {
      const { success, data } = item.safeParse(one);
      return success ? [data] : [];
    });
    if (written.length > 0 && read.length === 0) context.addIssue('no item has the form');
    return read;
  });

/** The text of a fragment of HTML, as vendors mark found words in their snippets. */
export function plainSnippet(html: string): string {
  return html
    .replace(/<[^>]*>/g, '')
    .replace(/&lt;/g, '<')
    .replace(/&gt;/g, '>')
    .replace(/&quot;/g, '"')
    .replace(/&#0?39;|&apos;/g, "'")
    .replace(/&nbsp;/g, ' ')
    .replace(/&amp;/g, '&')
    .replace(/\s+/g, ' ')
    .trim();
}

/** An ISO date of whatever a vendor writes; null for words that are no date. */
export function isoDate(text: string | null | undefined): string | null {
  const written = text?.trim() ?? '';
  const day = /^\d{4}-\d\d-\d\d/.exec(written)?.[0];
  if (day !== undefined)
    return /T\d\d:\d\d/.test(written) && !Number.isNaN(Date.parse(written)) ? written : day;
  const compact = /^(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)(\d\d)Z)?$/.exec(written);
  if (compact !== null) {
    const [, year, month, date, hours, minutes, seconds] = compact;
    return hours === undefined
      ? `${year}-${month}-${date}`
      : `${year}-${month}-${date}T${hours}:${minutes}:${seconds}Z`;
  }
  // A date in words has a year; ages ("3 days ago") would need the clock of the vendor.
  const time = /\b\d{4}\b/.test(written) ? Date.parse(`${written} UTC`) : Number.NaN;
  return Number.isNaN(time) ? null : new Date(time).toISOString().slice(0, 10);
}

/** Only the addresses that can be fetched. */
export const isWebAddress = (url: string): boolean =>
  URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);
