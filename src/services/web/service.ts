import { createGuardedHttp } from '../../foundation/http.ts';
import { createMemoryRateLimiter } from '../../foundation/limits.ts';
import type { Platform } from '../../foundation/platform.ts';
import { defineService } from '../../foundation/service.ts';
import { web } from './contract.ts';
import { errorBody } from './error-body.ts';
import { createExtractor } from './extract/extractor.ts';
import { createHttpFetcher } from './fetch/http.ts';
import { createPageReader } from './fetch/pages.ts';
import { createRoutes } from './routes.ts';
import { createSearxng } from './search/searxng.ts';
import { type Settings, webSettings } from './settings.ts';
import { createAuthenticate } from './tokens.ts';

/** Unpacked bytes per byte that a page may have on the wire. */
const UNPACKED_SHARE = 3;
/** The longest time a request may ask for, in milliseconds. */
const LONGEST_FETCH_MS = 120_000;

function userAgent(given: Settings, version: string): string {
  const contact = given.WEB_CONTACT === undefined ? '' : `; +${given.WEB_CONTACT}`;
  return given.WEB_USER_AGENT ?? `Limpede/${version} (disinformation analysis${contact})`;
}

function createHttp(given: Settings, version: string) {
  return createGuardedHttp({
    allowedPrivateHosts: given.WEB_ALLOWED_PRIVATE_HOSTS,
    userAgent: userAgent(given, version),
    limits: {
      dnsMs: given.WEB_DNS_TIMEOUT_MS,
      connectMs: given.WEB_CONNECT_TIMEOUT_MS,
      headersMs: given.WEB_HEADERS_TIMEOUT_MS,
      bodyIdleMs: given.WEB_BODY_IDLE_TIMEOUT_MS,
      totalMs: LONGEST_FETCH_MS,
      wireBytes: given.WEB_MAX_PAGE_BYTES,
      decodedBytes: UNPACKED_SHARE * given.WEB_MAX_PAGE_BYTES,
      perHostPerSecond: given.WEB_HOST_RATE_RPS,
      perHostBurst: given.WEB_HOST_RATE_BURST,
    },
  });
}

async function createNeeds(given: Settings, platform: Pick<Platform, 'version'>) {
  const http = createHttp(given, platform.version);
  const extractor = createExtractor({
    threads: given.WEB_EXTRACT_WORKERS,
    timeoutMs: given.WEB_EXTRACT_TIMEOUT_MS,
  });
  return {
    http,
    extractor,
    searxng: given.WEB_SEARXNG_URL === undefined ? undefined : createSearxng(given.WEB_SEARXNG_URL),
    reader: createPageReader({ http: createHttpFetcher(http) }, extractor),
    limiter: createMemoryRateLimiter(given.WEB_RATE_LIMIT_RPS, given.WEB_RATE_LIMIT_BURST),
  };
}

/** The web service. */
export const webService = defineService({
  contract: web,
  settings: webSettings,
  needs: createNeeds,
  routes: (needs, given) => createRoutes(needs, given.WEB_MAX_CONCURRENT_REQUESTS),
  authenticate: (_needs, given) => createAuthenticate(given.WEB_API_TOKENS),
  errorBody,
});
