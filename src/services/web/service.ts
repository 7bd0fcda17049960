import { createGuardedHttp } from '../../foundation/http.ts';
import type { Platform } from '../../foundation/platform.ts';
import { openRateLimiter } from '../../foundation/redis/rate-limiter.ts';
import { defineService } from '../../foundation/service.ts';
import { createAuthenticate } from './authenticate.ts';
import { web } from './contract.ts';
import { errorBody } from './error-body.ts';
import { createExtractor } from './extract/extractor.ts';
import { createHttpFetcher } from './fetch/http.ts';
import { createPageReader } from './fetch/pages.ts';
import { createRoutes } from './routes.ts';
import { createSearxng } from './search/searxng.ts';
import { type WebSettings, webSettings } from './settings.ts';

/** Unpacked bytes per byte that a page may have on the wire. */
const UNPACKED_SHARE = 3;
/** The longest time a request may ask for, in milliseconds. */
const LONGEST_FETCH_MS = 120_000;

function userAgent(settings: WebSettings, version: string): string {
  const contact = settings.WEB_CONTACT === undefined ? '' : `; +${settings.WEB_CONTACT}`;
  return settings.WEB_USER_AGENT ?? `Limpede/${version} (disinformation analysis${contact})`;
}

function createHttp(settings: WebSettings, version: string) {
  return createGuardedHttp({
    allowedPrivateHosts: settings.WEB_ALLOWED_PRIVATE_HOSTS,
    userAgent: userAgent(settings, version),
    limits: {
      dnsMs: settings.WEB_DNS_TIMEOUT_MS,
      connectMs: settings.WEB_CONNECT_TIMEOUT_MS,
      headersMs: settings.WEB_HEADERS_TIMEOUT_MS,
      bodyIdleMs: settings.WEB_BODY_IDLE_TIMEOUT_MS,
      totalMs: LONGEST_FETCH_MS,
      wireBytes: settings.WEB_MAX_PAGE_BYTES,
      decodedBytes: UNPACKED_SHARE * settings.WEB_MAX_PAGE_BYTES,
      perHostPerSecond: settings.WEB_HOST_RATE_RPS,
      perHostBurst: settings.WEB_HOST_RATE_BURST,
    },
  });
}

async function createNeeds(settings: WebSettings, platform: Pick<Platform, 'version' | 'redis'>) {
  const http = createHttp(settings, platform.version);
  const extractor = createExtractor({
    threads: settings.WEB_EXTRACT_WORKERS,
    timeoutMs: settings.WEB_EXTRACT_TIMEOUT_MS,
  });
  return {
    http,
    extractor,
    searxng: settings.WEB_SEARXNG_URL === undefined ? undefined : createSearxng(settings.WEB_SEARXNG_URL),
    reader: createPageReader({ http: createHttpFetcher(http) }, extractor),
    limiter: openRateLimiter(platform.redis, {
      name: 'web',
      perSecond: settings.WEB_RATE_LIMIT_RPS,
      burst: settings.WEB_RATE_LIMIT_BURST,
    }),
  };
}

/** The web service. */
export const webService = defineService({
  contract: web,
  settings: webSettings,
  needs: createNeeds,
  routes: (needs, settings) => createRoutes(needs, settings.WEB_MAX_CONCURRENT_REQUESTS),
  // By the search server; without one, by the threads that extract pages.
  health: ({ searxng, extractor }) => ({
    parts: searxng === undefined ? { extraction: extractor } : { searxng },
    ready: { extraction: extractor },
  }),
  authenticate: (_needs, settings) => createAuthenticate(settings.WEB_API_TOKENS),
  errorBody,
});
