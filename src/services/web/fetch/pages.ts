import { startDeadline } from '../../../foundation/deadline.ts';
import { roundTo } from '../../../foundation/numbers.ts';
import {
  type FailedPage,
  FETCH_METHODS,
  type FetchAttempt,
  type FetchErrorCode,
  type FetchedPage,
  type FetchMethod,
  type FetchRequest,
} from '../contract.ts';
import { type LoadedPage, type PageReaderDependencies, tryMethod } from './fetch-attempt.ts';

/** Outcome of one address. */
export type PageOutcome = { page: FetchedPage } | { failed: FailedPage };

/** Reads one address by the methods that the request allows. */
export interface PageReader {
  /** `share` says on whose behalf: users share the threads that read pages. */
  read(url: string, request: FetchRequest, signal: AbortSignal, share: string): Promise<PageOutcome>;
}

/** The methods that a request may use, in order. */
export function plannedMethods({
  method,
  auto_fallback,
}: Pick<FetchRequest, 'method' | 'auto_fallback'>): FetchMethod[] {
  const from = method === 'auto' ? 0 : FETCH_METHODS.indexOf(method);
  return FETCH_METHODS.slice(from, auto_fallback ? undefined : from + 1);
}

/**
 * Errors after which another method may succeed: a script, notice or check hid the text, or the method was not available. Other errors,
 * such as a status, a paywall or robots.txt, would be the same for all methods.
 */
const WORTH_ANOTHER_METHOD: ReadonlySet<FetchErrorCode> = new Set<FetchErrorCode>([
  'needs_javascript',
  'consent_wall',
  'bot_wall',
  'text_too_short',
  'decoding_failed',
  'invalid_answer',
  'busy',
  'unavailable',
]);

/** Other methods do not help for paywalled articles and for documents other than web pages. */
function mayEscalate({ error }: FetchAttempt, read: LoadedPage | undefined): boolean {
  if (error === null || !WORTH_ANOTHER_METHOD.has(error)) return false;
  const isPage = read === undefined || /html/.test(read.response.mediaType) || read.method === 'vision';
  return isPage && read?.extracted.metadata.flags.paywalled !== true;
}

/** Creates the page reader; a method without a fetcher is a failed attempt in the chain. */
export function createPageReader(dependencies: PageReaderDependencies): PageReader {
  return {
    async read(url, request, signal, share) {
      const deadline = startDeadline(request.timeout_seconds * 1000, signal);
      const chain: FetchAttempt[] = [];
      let longestShort: LoadedPage | undefined;
      try {
        for (const method of plannedMethods(request)) {
          const { attempt, page } = await tryMethod(method, dependencies, { url, request, share, deadline });
          chain.push(attempt);
          if (attempt.success && page !== undefined) return { page: pageOf(url, page, request, chain) };
          if (attempt.error === 'text_too_short' && page !== undefined)
            longestShort = longer(longestShort, page);
          if (deadline.reason !== undefined || !mayEscalate(attempt, page)) break;
        }
      } finally {
        deadline.stop();
      }
      // A page with little text is returned all the same; the chain shows that no other method gave more.
      return longestShort === undefined
        ? { failed: failedOf(url, chain) }
        : { page: pageOf(url, longestShort, request, chain) };
    },
  };
}

const longer = (one: LoadedPage | undefined, other: LoadedPage) =>
  one !== undefined && one.extracted.text.length >= other.extracted.text.length ? one : other;

/** A failed page has the error of the first method that was set up. */
function failedOf(url: string, chain: FetchAttempt[]): FailedPage {
  const failure = chain.find((attempt) => attempt.error !== 'unavailable') ?? chain[0];
  return {
    url,
    error: failure?.error ?? 'aborted',
    message: failure?.message ?? 'The page was not tried.',
    status_code: failure?.status_code ?? null,
    fallback_chain: chain,
  };
}

function pageOf(url: string, read: LoadedPage, request: FetchRequest, chain: FetchAttempt[]): FetchedPage {
  const { response, extracted, method, extractionMs } = read;
  return {
    url,
    final_url: response.finalUrl,
    title: extracted.metadata.title,
    text: request.extract_text ? extracted.text : null,
    text_length: request.extract_text ? extracted.textLength : null,
    text_hash: request.extract_text ? extracted.textHash : null,
    html: extracted.html,
    extraction_method: method,
    fallback_chain: chain,
    retrieved_at: new Date().toISOString(),
    extraction_time_ms: roundTo(extractionMs, 1),
    status_code: response.status,
    content_type: response.mediaType,
    metadata: request.extract_metadata ? extracted.metadata : null,
  };
}

/** Works through the addresses, some at once; outcomes keep the order of the addresses. */
export async function readAll(
  reader: PageReader,
  request: FetchRequest,
  signal: AbortSignal,
  share: string,
): Promise<PageOutcome[]> {
  const outcomes: PageOutcome[] = [];
  const queue = request.urls.entries();
  const work = async () => {
    for (const [index, url] of queue) outcomes[index] = await reader.read(url, request, signal, share);
  };
  const width = Math.min(request.parallel_fetches, request.urls.length);
  await Promise.all(Array.from({ length: width }, work));
  return outcomes;
}
