import type { Deadline } from '../../../foundation/deadline.ts';
import type { Attempt, FetchError, FetchMethod, FetchRequest } from '../contract.ts';
import type { ExtractedPage } from '../extract/extract.ts';
import type { Extractor } from '../extract/extractor.ts';
import type { Fetcher, PageResponse } from './fetcher.ts';

/** A page that was got and read, good enough or not. */
export interface ReadPage {
  method: FetchMethod;
  response: PageResponse;
  extracted: ExtractedPage;
  extractionMs: number;
}

/** One attempt, and the page when it gave one. */
export interface AttemptResult {
  attempt: Attempt;
  read: ReadPage | undefined;
}

interface Problem {
  error: FetchError;
  message: string;
  status: number | null;
}

const OBSTACLE_MESSAGES = {
  bot_wall: 'The host asks for proof of a human reader.',
  consent_wall: 'The host shows a consent notice in place of the page.',
  soft_not_found: 'The host says that the page does not exist.',
  needs_javascript: 'The page shows its text only to browsers that run its scripts.',
} as const;

/** Why a page that was read is not good enough; undefined when it is. */
function problemOf({ response, extracted }: ReadPage, request: FetchRequest): Problem | undefined {
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
  request: FetchRequest,
  deadline: Deadline,
): Promise<ExtractedPage | Problem> {
  const page = {
    bytes: response.bytes,
    contentType: response.contentTypeHeader,
    mediaType: response.mediaType,
    url: response.finalUrl,
    withHtml: request.include_html,
  };
  try {
    return await extractor.extract(page, deadline.signal);
  } catch {
    const message = 'The page is too complex to be read, or damaged.';
    return (
      deadlineProblem(deadline, response.status) ?? {
        error: 'extraction_failed',
        message,
        status: response.status,
      }
    );
  }
}

/** Gets and reads one address by one method; `fetcher` is undefined for a method that is not set up. */
export async function tryMethod(
  method: FetchMethod,
  fetcher: Fetcher | undefined,
  extractor: Pick<Extractor, 'extract'>,
  url: string,
  request: FetchRequest,
  deadline: Deadline,
): Promise<AttemptResult> {
  const startedAt = performance.now();
  const report = (problem: Problem | undefined, read: ReadPage | undefined): AttemptResult => ({
    attempt: {
      method,
      success: problem === undefined,
      error: problem?.error ?? null,
      message: problem?.message ?? null,
      status_code: problem === undefined ? (read?.response.status ?? null) : problem.status,
      duration_ms: Math.round(performance.now() - startedAt),
    },
    read,
  });
  if (fetcher === undefined) {
    return report(
      { error: 'not_available', message: 'This way to get a page is not set up here.', status: null },
      undefined,
    );
  }
  const timeoutMs = Math.max(1, deadline.remainingMs());
  const response = await fetcher.fetch(url, { signal: deadline.signal, timeoutMs });
  if (!response.ok) return report(deadlineProblem(deadline, null) ?? response, undefined);
  const extractionAt = performance.now();
  const extracted = await extract(extractor, response, request, deadline);
  if ('error' in extracted) return report(extracted, undefined);
  const read = { method, response, extracted, extractionMs: performance.now() - extractionAt };
  return report(problemOf(read, request), read);
}
