import { LRUCache } from 'lru-cache';
import { withDeadline } from '../../../foundation/deadline.ts';
import { parseAddress } from '../../../foundation/http/web-address.ts';
import type { FetchReason, GuardedHttp } from '../../../foundation/http.ts';
import type { FetchProblem } from './fetcher.ts';
import { parseRobots } from './robots-rules.ts';

/** Checks addresses against the robots.txt of their hosts. */
export interface Robots {
  /** Why the address may not be fetched; undefined when it may. Rejects only when the signal aborts. */
  refusal(url: string, signal: AbortSignal): Promise<FetchProblem | undefined>;
}

/** The rules of one host. */
type Rules = (url: string) => FetchProblem | undefined;

/** RFC 9309: at most a day; a host that fails is asked again soon. In milliseconds. */
const CACHE_MS = { read: 12 * 3600 * 1000, failed: 60_000 };
const MOST_CACHED_HOSTS = 5_000;
const TIMEOUT_MS = 10_000;
const MOST_BYTES = 2 * 1024 * 1024;
/** What is read of it (RFC 9309 section 2.5). */
const READ_BYTES = 500 * 1024;

/** Errors of a host that cannot be reached: its pages are not fetched either (RFC 9309), with the same error. */
const UNREACHABLE: ReadonlySet<FetchReason> = new Set<FetchReason>([
  'dns_failed',
  'connection_failed',
  'tls_failed',
  'timeout',
  'rate_limited',
]);

const disallowed = (message: string): FetchProblem => ({
  ok: false,
  error: 'robots_disallowed',
  message,
  status: null,
});
const allowAll: Rules = () => undefined;

/** The product token of a User-Agent. */
const productOf = (userAgent: string) => /^[\w-]+/.exec(userAgent)?.[0] ?? userAgent;

function pathOf(address: string): string {
  const url = parseAddress(address);
  return url === undefined ? '/' : `${url.pathname}${url.search}`;
}

async function readRules(http: Pick<GuardedHttp, 'get'>, origin: string, product: string) {
  const address = `${origin}/robots.txt`;
  const answer = await http.get(address, { timeoutMs: TIMEOUT_MS, maxBytes: MOST_BYTES });
  if (!answer.ok) {
    const { reason: error, message } = answer;
    if (!UNREACHABLE.has(error)) return { rules: allowAll, isRead: false };
    const rules: Rules = () => ({ ok: false, error, message, status: null });
    return { rules, isRead: false };
  }
  const { status, body } = answer;
  if (status >= 500) {
    const rules: Rules = () => disallowed(`The host's robots.txt could not be read: status ${status}.`);
    return { rules, isRead: false };
  }
  if (status < 200 || status > 299) return { rules: allowAll, isRead: true };
  const mayFetch = parseRobots(Buffer.from(body.subarray(0, READ_BYTES)).toString('utf8'), product);
  const rules: Rules = (url) =>
    mayFetch(pathOf(url))
      ? undefined
      : disallowed("The host's robots.txt does not let automatic readers have this page.");
  return { rules, isRead: true };
}

/** Creates the check; robots.txt of each host is cached. */
export function createRobots(http: Pick<GuardedHttp, 'get'>, userAgent: string): Robots {
  const cache = new LRUCache<string, Promise<Rules>>({ max: MOST_CACHED_HOSTS, ttl: CACHE_MS.read });
  const product = productOf(userAgent);
  const rulesOf = (origin: string) => {
    const known = cache.get(origin);
    if (known !== undefined) return known;
    const reading = readRules(http, origin, product).then(({ rules, isRead }) => {
      if (!isRead) cache.set(origin, reading, { ttl: CACHE_MS.failed });
      return rules;
    });
    cache.set(origin, reading);
    return reading;
  };
  return {
    async refusal(url, signal) {
      const { origin } = parseAddress(url) ?? {};
      if (origin === undefined || origin === 'null') return undefined;
      const rules = await withDeadline(2 * TIMEOUT_MS, signal, () => rulesOf(origin));
      return rules(url);
    },
  };
}
