import type { GuardedHttp } from '../../../foundation/http.ts';
import type { Fetcher, FetchProblem } from './fetcher.ts';

/** Types that text is extracted from. */
const READABLE_TYPES = ['text/html', 'application/xhtml+xml', 'text/plain', 'application/pdf'];

/** Romanian first: sites with several languages then answer in the one that most readers asked for. */
export const LANGUAGE = 'ro,en;q=0.8,*;q=0.5';

/** Plain HTTP through the guard. */
export function createHttpFetcher(http: Pick<GuardedHttp, 'get'>): Fetcher {
  return {
    method: 'http',
    async fetch(url, { signal, timeoutMs }) {
      const outcome = await http.get(url, { signal, timeoutMs, accept: READABLE_TYPES, language: LANGUAGE });
      if (!outcome.ok) return { ok: false, error: outcome.reason, message: outcome.message, status: null };
      const { status, finalUrl, contentType, body, headers } = outcome;
      if (status < 200 || status > 299) return failedStatus(status, headers);
      return {
        ok: true,
        finalUrl,
        status,
        contentTypeHeader: headers['content-type'],
        mediaType: contentType ?? 'text/html',
        bytes: body,
      };
    },
  };
}

function failedStatus(status: number, headers: Readonly<Record<string, string>>): FetchProblem {
  if (PAYWALL_STATUSES.has(status))
    return { ok: false, error: 'paywalled', message: 'The page is for subscribers.', status };
  const error = isBotWall(status, headers) ? 'bot_wall' : 'http_status';
  return { ok: false, error, message: `The host answered with status ${status}.`, status };
}

/** The host asks for an account or for money: neither is gone around. */
const PAYWALL_STATUSES = new Set([401, 402]);

/** Statuses with which bot protections answer; a header of their own distinguishes them from other failures. */
const CHALLENGE_STATUSES = new Set([403, 429, 503]);

function isBotWall(status: number, headers: Readonly<Record<string, string>>): boolean {
  const isSigned = headers['cf-mitigated'] === 'challenge' || headers['x-datadome'] !== undefined;
  return CHALLENGE_STATUSES.has(status) && isSigned;
}
