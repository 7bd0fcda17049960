import type { Deadline } from '../../../foundation/deadline.ts';
import { QueueFullError } from '../../../foundation/fair-queue.ts';
import type { FetchAttempt, FetchErrorCode, FetchMethod, FetchRequest } from '../contract.ts';
import type { ExtractedPage } from '../extract/extract.ts';
import type { Extractor } from '../extract/extractor.ts';
import type { Fetcher, FetchProblem, PageResponse } from './fetcher.ts';
import type { Robots } from './robots.ts';

/** A fetched page with its extracted content, which may be insufficient. */
export interface LoadedPage {
  method: FetchMethod;
  response: PageResponse;
  extracted: ExtractedPage;
  extractionMs: number;
}

/** One address to fetch, with its request, its user and its deadline. */
export interface PageTask {
  readonly url: string;
  readonly request: FetchRequest;
  /** The user on whose behalf; extraction threads are shared fairly between users. */
  readonly share: string;
  readonly deadline: Deadline;
}

/** One attempt, and the page when it returned one. */
export interface AttemptResult {
  attempt: FetchAttempt;
  page: LoadedPage | undefined;
}

interface Problem {
  error: FetchErrorCode;
  message: string;
  status: number | null;
}

const OBSTACLE_MESSAGES = {
  bot_wall: 'The host asks for proof of a human reader.',
  consent_wall: 'The host shows a consent notice in place of the page.',
  soft_not_found: 'The host says that the page does not exist.',
  needs_javascript: 'The page shows its text only to browsers that run its scripts.',
} as const;

/** Why the content of a page is insufficient; undefined when it is sufficient. */
function problemOf({ response, extracted }: LoadedPage, request: FetchRequest): Problem | undefined {
  const { status } = response;
  const { obstacle, text } = extracted;
  if (obstacle !== null) return { error: obstacle, message: OBSTACLE_MESSAGES[obstacle], status };
  if (!request.extract_text || text.length >= request.min_text_length) return undefined;
  const message = `The text is shorter than ${request.min_text_length} characters.`;
  return { error: 'text_too_short', message, status };
}

/** The problem when the deadline fired; errors after that are consequences of it. */
function deadlineProblem(deadline: Deadline, status: number | null): Problem | undefined {
  if (deadline.reason === 'timeout')
    return { error: 'timeout', message: 'The time for this page is up.', status };
  if (deadline.reason === 'aborted')
    return { error: 'aborted', message: 'The request was withdrawn.', status };
  return undefined;
}

async function extract(
  extractor: Pick<Extractor, 'extract'>,
  response: PageResponse,
  { request, share, deadline }: PageTask,
): Promise<ExtractedPage | Problem> {
  const page = {
    bytes: response.bytes,
    contentType: response.contentTypeHeader,
    mediaType: response.mediaType,
    url: response.finalUrl,
    withHtml: request.include_html,
    longestText: request.max_text_length,
  };
  const { status } = response;
  try {
    return await extractor.extract(page, share, deadline.signal);
  } catch (error) {
    if (error instanceof QueueFullError)
      return { error: 'busy', message: 'Too many pages are waiting to be read.', status };
    const message = 'The page is too complex to be read, or damaged.';
    return deadlineProblem(deadline, status) ?? { error: 'extraction_failed', message, status };
  }
}

/** What pages are fetched and extracted with. */
export interface PageReaderDependencies {
  /** Methods that are not set up are absent. */
  readonly fetchers: Readonly<Partial<Record<FetchMethod, Fetcher | undefined>>>;
  readonly extractor: Pick<Extractor, 'extract'>;
  readonly robots: Robots;
}

const METHOD_UNAVAILABLE: Problem = {
  error: 'unavailable',
  message: 'This way to get a page is not set up here.',
  status: null,
};

/** Fetches an address if robots.txt allows it, both for this address and for the target of a redirect. */
async function fetchAllowed(
  fetcher: Fetcher,
  robots: Robots,
  { url, share, deadline }: PageTask,
): Promise<PageResponse | FetchProblem> {
  const { signal } = deadline;
  const refusal = await robots.refusal(url, signal);
  if (refusal !== undefined) return refusal;
  const timeoutMs = Math.max(1, deadline.remainingMs());
  const response = await fetcher.fetch(url, { signal, timeoutMs, share });
  if (!response.ok || response.finalUrl === url) return response;
  return (await robots.refusal(response.finalUrl, signal)) ?? response;
}

/** Fetches and extracts one address by one method. */
export async function tryMethod(
  method: FetchMethod,
  { fetchers, extractor, robots }: PageReaderDependencies,
  task: PageTask,
): Promise<AttemptResult> {
  const startedAt = performance.now();
  const { request, deadline } = task;
  const report = (problem: Problem | undefined, page: LoadedPage | undefined): AttemptResult => ({
    attempt: {
      method,
      success: problem === undefined,
      error: problem?.error ?? null,
      message: problem?.message ?? null,
      status_code: problem === undefined ? (page?.response.status ?? null) : problem.status,
      duration_ms: Math.round(performance.now() - startedAt),
    },
    page,
  });
  const { [method]: fetcher } = fetchers;
  if (fetcher === undefined) return report(METHOD_UNAVAILABLE, undefined);
  const response = await fetchAllowed(fetcher, robots, task).catch(() => UNEXPECTED_FAILURE);
  if (!response.ok) return report(deadlineProblem(deadline, null) ?? response, undefined);
  const extractionAt = performance.now();
  const extracted = await extract(extractor, response, task);
  if ('error' in extracted) return report(extracted, undefined);
  const page = { method, response, extracted, extractionMs: performance.now() - extractionAt };
  return report(problemOf(page, request), page);
}

/** Fetchers throw only when the deadline ends them; the deadline then gives the error. */
const UNEXPECTED_FAILURE: FetchProblem = {
  ok: false,
  error: 'connection_failed',
  message: 'The page could not be fetched.',
  status: null,
};
