import type { Deadline } from '../../../foundation/deadline.ts';
import type { Attempt, FetchError, FetchMethod, FetchRequest } from '../contract.ts';
import type { ExtractedPage } from '../extract/extract.ts';
import type { Extractor } from '../extract/extractor.ts';
import type { Fetched, Fetcher } from './fetcher.ts';

/** A page that was got and read, good enough or not. */
export interface ReadPage {
  method: FetchMethod;
  fetched: Fetched;
  extracted: ExtractedPage;
  extractionMs: number;
}

/** One attempt, and the page if it brought one. */
export interface Trial {
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

/** What is the matter with a page that was read; undefined when nothing is. */
function problemOf({ fetched, extracted }: ReadPage, request: FetchRequest): Problem | undefined {
  const { status } = fetched;
  const { obstacle, text } = extracted;
  if (obstacle !== null) return { error: obstacle, message: OBSTACLE_MESSAGES[obstacle], status };
  if (!request.extract_text || text.length >= request.min_text_length) return undefined;
  const message = `The text is shorter than ${request.min_text_length} characters.`;
  return { error: 'text_too_short', message, status };
}

/** Why the time for a page ended; it outranks whatever broke because of that. */
function ended(deadline: Deadline, status: number | null): Problem | undefined {
  if (deadline.reason === 'timeout')
    return { error: 'timeout', message: 'The time for this page is up.', status };
  if (deadline.reason === 'aborted')
    return { error: 'aborted', message: 'The request was withdrawn.', status };
  return undefined;
}

async function extract(
  extractor: Pick<Extractor, 'extract'>,
  fetched: Fetched,
  request: FetchRequest,
  deadline: Deadline,
): Promise<ExtractedPage | Problem> {
  const page = {
    bytes: fetched.bytes,
    contentType: fetched.contentTypeHeader,
    mediaType: fetched.mediaType,
    url: fetched.finalUrl,
    withHtml: request.include_html,
  };
  try {
    return await extractor.extract(page, deadline.signal);
  } catch {
    const message = 'The page is too complex to be read, or damaged.';
    return ended(deadline, fetched.status) ?? { error: 'extraction_failed', message, status: fetched.status };
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
): Promise<Trial> {
  const startedAt = performance.now();
  const report = (problem: Problem | undefined, read: ReadPage | undefined): Trial => ({
    attempt: {
      method,
      success: problem === undefined,
      error: problem?.error ?? null,
      message: problem?.message ?? null,
      status_code: problem === undefined ? (read?.fetched.status ?? null) : problem.status,
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
  const fetched = await fetcher.fetch(url, { signal: deadline.signal, timeoutMs });
  if (!fetched.ok) return report(ended(deadline, null) ?? fetched, undefined);
  const extractionAt = performance.now();
  const extracted = await extract(extractor, fetched, request, deadline);
  if ('error' in extracted) return report(extracted, undefined);
  const read = { method, fetched, extracted, extractionMs: performance.now() - extractionAt };
  return report(problemOf(read, request), read);
}
