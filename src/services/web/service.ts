import { createClient } from '../../foundation/client.ts';
import { createGuardedHttp, type GuardedHttp } from '../../foundation/http.ts';
import type { Platform } from '../../foundation/platform.ts';
import { openRateLimiter } from '../../foundation/redis/rate-limiter.ts';
import { defineService } from '../../foundation/service.ts';
import { isOff } from '../../foundation/settings.ts';
import { domainCheck } from '../domain-check/contract.ts';
import { embeddings } from '../embeddings/contract.ts';
import { reranking } from '../reranking/contract.ts';
import { createAuthenticate, localOperator } from './authenticate.ts';
import { web } from './contract.ts';
import { errorBody } from './error-body.ts';
import { createTextEncoder } from './evidence-index/encode.ts';
import { createIndexAccess, type IndexAccess } from './evidence-index/open-index.ts';
import { createExtractor } from './extract/extractor.ts';
import { openBrowser, type PageBrowser } from './fetch/browser/browser.ts';
import { findChromium } from './fetch/browser/chromium.ts';
import { createBrowseFetcher } from './fetch/browser-fetcher.ts';
import { createHttpFetcher, LANGUAGE } from './fetch/http.ts';
import { createPageReader } from './fetch/pages.ts';
import { createRobots } from './fetch/robots.ts';
import { createVisionFetcher, visionClient } from './fetch/vision.ts';
import { createCredibility } from './gather/credibility.ts';
import { createRerank } from './gather/reranker.ts';
import { createRequestLimiter } from './request-limiter.ts';
import { createRoutes } from './routes.ts';
import { openProviders } from './search/open-providers.ts';
import { createWebSearch } from './search/search.ts';
import { type WebSettings, webSettings } from './settings.ts';
import { webLiveSettings } from './tunables.ts';

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
    limits: () => ({
      dnsMs: settings.WEB_DNS_TIMEOUT_MS,
      connectMs: settings.WEB_CONNECT_TIMEOUT_MS,
      headersMs: settings.WEB_HEADERS_TIMEOUT_MS,
      bodyIdleMs: settings.WEB_BODY_IDLE_TIMEOUT_MS,
      totalMs: LONGEST_FETCH_MS,
      wireBytes: settings.WEB_MAX_PAGE_BYTES,
      decodedBytes: UNPACKED_SHARE * settings.WEB_MAX_PAGE_BYTES,
      perHostPerSecond: settings.WEB_HOST_RATE_RPS,
      perHostBurst: settings.WEB_HOST_RATE_BURST,
    }),
  });
}

/** A named user has half of the rate at most. */
const OWN_RATE = 1 / 2;

function openRequestLimiter(settings: WebSettings, redis: Platform['redis']) {
  const limiterOf = (name: string, part: number) =>
    openRateLimiter(redis, {
      name,
      get perSecond() {
        return settings.WEB_RATE_LIMIT_RPS * part;
      },
      get burst() {
        return Math.ceil(settings.WEB_RATE_LIMIT_BURST * part);
      },
    });
  return createRequestLimiter({
    get running() {
      return settings.WEB_MAX_CONCURRENT_REQUESTS;
    },
    get waiting() {
      return settings.WEB_MAX_WAITING_REQUESTS;
    },
    limiter: limiterOf('web', 1),
    ownLimiter: limiterOf('web-share', OWN_RATE),
  });
}

/** Timeout for vectors, in milliseconds; after it the search uses words alone. */
const EMBEDDINGS_LIMIT_MS = 15_000;

/** Longest wait for what is known of a site, in milliseconds. */
const DOMAIN_CHECK_LIMIT_MS = 3_000;

function openCredibility({ DOMAIN_CHECK_URL: url }: WebSettings) {
  const client = isOff(url)
    ? undefined
    : createClient(domainCheck, { name: 'domain_check', url, timeoutMs: DOMAIN_CHECK_LIMIT_MS });
  return { credibility: createCredibility(client), domainConnection: { close: async () => client?.close() } };
}

/** Longest wait for the order of passages, in milliseconds; after it our own order holds. */
const RERANKING_LIMIT_MS = 5_000;

function openReranking({ RERANKING_URL: url, RERANKING_API_TOKEN: token }: WebSettings) {
  const client = isOff(url)
    ? undefined
    : createClient(reranking, { name: 'reranking', url, token, timeoutMs: RERANKING_LIMIT_MS });
  return { rerank: createRerank(client), rerankingConnection: { close: async () => client?.close() } };
}

/** Used where there is no index. */
const NO_INDEX: IndexAccess = {
  current: () => undefined,
  begin: () => async () => undefined,
  probe: async () => {
    throw new Error('switched off by WEB_EVIDENCE_INDEX');
  },
};

function createIndex(settings: WebSettings, platform: Platform) {
  const { EMBEDDINGS_URL: url, EMBEDDINGS_API_TOKEN: token } = settings;
  const client = isOff(url)
    ? undefined
    : createClient(embeddings, { name: 'embeddings', url, token, timeoutMs: EMBEDDINGS_LIMIT_MS });
  const encoder = createTextEncoder(client);
  const index = settings.WEB_EVIDENCE_INDEX
    ? createIndexAccess({
        database: platform.database,
        encoder,
        starterSet: settings.WEB_STARTER_SET,
        log: platform.log.child({ service: 'web' }),
      })
    : NO_INDEX;
  return { index, encoder, embeddingsConnection: { close: async () => client?.close() } };
}

function openSearch(settings: WebSettings, platform: Platform, index: IndexAccess) {
  const agent = userAgent(settings, platform.version);
  const timeoutMs = settings.WEB_PROVIDER_TIMEOUT_MS;
  return createWebSearch(openProviders({ settings, index, userAgent: agent, timeoutMs }), {
    queriesPerClaim: () => settings.WEB_QUERIES_PER_CLAIM,
  });
}

/** The browser of this machine, unless there is none. */
function openOwnBrowser(settings: WebSettings, http: GuardedHttp, agent: string): PageBrowser | undefined {
  const chromium = findChromium({ path: settings.WEB_CHROMIUM, sandbox: settings.WEB_CHROMIUM_SANDBOX });
  if ('absent' in chromium) return undefined;
  return openBrowser({
    chromium,
    http,
    userAgent: agent,
    language: LANGUAGE,
    pages: settings.WEB_CHROMIUM_PAGES,
    decodedBytes: UNPACKED_SHARE * settings.WEB_MAX_PAGE_BYTES,
  });
}

/** Everything that gets and reads pages. */
function openPageReader(settings: WebSettings, version: string) {
  const { VISION_URL } = settings;
  const http = createHttp(settings, version);
  const agent = userAgent(settings, version);
  const browser = openOwnBrowser(settings, http, agent);
  const vision = isOff(VISION_URL) ? undefined : visionClient(VISION_URL);
  const extractor = createExtractor({
    threads: settings.WEB_EXTRACT_WORKERS,
    timeoutMs: () => settings.WEB_EXTRACT_TIMEOUT_MS,
  });
  const fetchers = {
    http: createHttpFetcher(http),
    browse: browser === undefined ? undefined : createBrowseFetcher(browser),
    vision: createVisionFetcher(browser, vision),
  };
  const reader = createPageReader({ fetchers, extractor, robots: createRobots(http, agent) });
  return { http, browser, vision, extractor, reader };
}

async function createNeeds(settings: WebSettings, platform: Platform) {
  const evidence = createIndex(settings, platform);
  return {
    ...evidence,
    ...openCredibility(settings),
    ...openReranking(settings),
    operators: [
      ...settings.WEB_OPERATOR_TOKENS,
      ...(settings.WEB_EVIDENCE_INDEX ? [localOperator(platform.home)] : []),
    ],
    ...openPageReader(settings, platform.version),
    search: openSearch(settings, platform, evidence.index),
    requestLimiter: openRequestLimiter(settings, platform.redis),
  };
}

/** The web service. */
export const webService = defineService({
  contract: web,
  settings: webSettings,
  live: webLiveSettings,
  needs: createNeeds,
  routes: createRoutes,
  // By the search providers; without one that can tell, by the threads that extract pages. The browser makes up for neither.
  health: ({ search, extractor, browser }) => ({
    parts: {
      ...(Object.keys(search.probes).length === 0 ? { extraction: extractor } : search.probes),
      ...(browser !== undefined && { browser }),
    },
    auxiliary: ['browser'],
    ready: { extraction: extractor },
  }),
  authenticate: ({ operators }, settings) => createAuthenticate(settings.WEB_API_TOKENS, operators),
  background: async ({ index }) => index.begin(),
  errorBody,
});
