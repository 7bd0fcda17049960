import type { GuardedHttp } from '../../../foundation/http.ts';
import type { Fetcher } from './fetcher.ts';

/** Types that text is extracted from. */
const READABLE_TYPES = ['text/html', 'application/xhtml+xml', 'text/plain'];

/** Romanian first: sites with several languages then answer in the one that most readers asked for. */
const LANGUAGE = 'ro,en;q=0.8,*;q=0.5';

/** Plain HTTP through the guard. */
export function createHttpFetcher(http: Pick<GuardedHttp, 'get'>): Fetcher {
  return {
    method: 'http',
    async fetch(url, { signal, timeoutMs }) {
      const outcome = await http.get(url, { signal, timeoutMs, accept: READABLE_TYPES, language: LANGUAGE });
      if (!outcome.ok) return { ok: false, error: outcome.reason, message: outcome.message, status: null };
      const { status, finalUrl, contentType, body, headers } = outcome;
      const isSuccess = status >= 200 && status < 300;
      const message = `The host answered with status ${status}.`;
      if (!isSuccess)
        return { ok: false, error: isBotWall(status, headers) ? 'bot_wall' : 'http_status', message, status };
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

/** Statuses with which bot protections answer; a header of their own tells them from other failures. */
const CHALLENGE_STATUSES = new Set([403, 429, 503]);

function isBotWall(status: number, headers: Readonly<Record<string, string>>): boolean {
  const isSigned = headers['cf-mitigated'] === 'challenge' || headers['x-datadome'] !== undefined;
  return CHALLENGE_STATUSES.has(status) && isSigned;
}
