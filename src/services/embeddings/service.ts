import type { Authenticate } from '../../foundation/auth.ts';
import { createTokenCheck } from '../../foundation/bearer-tokens.ts';
import { type Failure, validationRows } from '../../foundation/errors.ts';
import { defineService } from '../../foundation/service.ts';
import type { EmbeddingsBackend } from './backends/backend.ts';
import { createPackagedBackend } from './backends/packaged/packaged.ts';
import { createUpstreamBackend } from './backends/upstream.ts';
import { embeddings } from './contract.ts';
import { errors } from './errors.ts';
import { embeddingsRoutes } from './routes.ts';
import { type EmbeddingsSettings, embeddingsSettings } from './settings.ts';

/** Largest body: 2048 texts of some pages each. */
const BODY_LIMIT = 16 * 1024 * 1024;

function createBackends(settings: EmbeddingsSettings): EmbeddingsBackend[] {
  const packaged = createPackagedBackend({
    threads: settings.EMBEDDINGS_THREADS,
    waiting: settings.EMBEDDINGS_QUEUE_SIZE,
    callerShare: settings.EMBEDDINGS_CALLER_SHARE,
    cacheEntries: settings.EMBEDDINGS_CACHE_ENTRIES,
  });
  const { EMBEDDINGS_UPSTREAM_URL: url } = settings;
  if (url === undefined) return [packaged];
  const upstream = createUpstreamBackend({
    url,
    key: settings.EMBEDDINGS_UPSTREAM_API_KEY,
    timeoutMs: settings.EMBEDDINGS_UPSTREAM_TIMEOUT_MS,
  });
  return [packaged, upstream];
}

function authenticate({ EMBEDDINGS_API_TOKENS: tokens }: EmbeddingsSettings): Authenticate {
  const callerOf = createTokenCheck(tokens);
  return async ({ authorization }) => {
    const subject = callerOf(authorization);
    if (subject === undefined) throw errors.authentication_required();
    return { subject, email: null, realm: 'embeddings', roles: [], planCap: null, application: null };
  };
}

/** The error body: `detail` as in the text-model gateway, and the `error` object that standard clients read. */
function errorBody(failure: Failure): Record<string, unknown> {
  const { status, code } = failure;
  const rows = failure.details.length > 0 ? validationRows(failure) : undefined;
  const [first] = failure.details;
  const message =
    first === undefined ? failure.message : `${first.path.slice(1).join('.')}: ${first.message}`;
  const malformed = [{ type: 'json_invalid', loc: ['body'], msg: failure.message, input: null }];
  const detail = status === 422 ? (rows ?? malformed) : status === 401 ? { error: code, message } : message;
  const type = status < 500 ? 'invalid_request_error' : 'api_error';
  return { detail, error: { message, type, code, param: first?.path.slice(1).join('.') ?? null } };
}

/** The embeddings service. */
export const embeddingsService = defineService({
  contract: embeddings,
  settings: embeddingsSettings,
  needs: async (settings) => {
    const backends = createBackends(settings);
    return {
      backends,
      closing: { close: async () => void (await Promise.all(backends.map((one) => one.close()))) },
    };
  },
  routes: embeddingsRoutes,
  health: ({ backends }) => ({ parts: Object.fromEntries(backends.map((one) => [one.name, one])) }),
  models: async ({ backends }) => (await Promise.all(backends.map((one) => one.models()))).flat(),
  authenticate: (_needs, settings) => authenticate(settings),
  errorBody,
  bodyLimit: BODY_LIMIT,
});
