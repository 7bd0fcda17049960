import { join } from 'node:path';
import { authenticateByToken } from '../../foundation/bearer-tokens.ts';
import { modelServiceBody } from '../../foundation/errors.ts';
import { createOnnxModels } from '../../foundation/onnx/onnx.ts';
import { defineService } from '../../foundation/service.ts';
import type { EmbeddingsBackend } from './backends/backend.ts';
import { createOnnxBackend } from './backends/onnx.ts';
import { createPackagedBackend } from './backends/packaged/packaged.ts';
import { createUpstreamBackend } from './backends/upstream.ts';
import { embeddings } from './contract.ts';
import { errors } from './errors.ts';
import { embeddingsRoutes } from './routes.ts';
import { type EmbeddingsSettings, embeddingsSettings } from './settings.ts';
import { embeddingsLiveSettings } from './tunables.ts';

/** Largest body: 2048 texts of some pages each. */
const BODY_LIMIT = 16 * 1024 * 1024;

function createBackends(settings: EmbeddingsSettings, home: string): EmbeddingsBackend[] {
  const limits = {
    threads: settings.EMBEDDINGS_THREADS,
    get waiting() {
      return settings.EMBEDDINGS_QUEUE_SIZE;
    },
    get callerShare() {
      return settings.EMBEDDINGS_CALLER_SHARE;
    },
    cacheEntries: settings.EMBEDDINGS_CACHE_ENTRIES,
  };
  const models = createOnnxModels({
    models: join(home, 'models'),
    kind: 'encoder',
    threads: settings.EMBEDDINGS_ONNX_THREADS,
  });
  const own = [createPackagedBackend(limits), createOnnxBackend(models, limits)];
  const { EMBEDDINGS_UPSTREAM_URL: url } = settings;
  if (url === undefined) return own;
  const upstream = createUpstreamBackend({
    url,
    key: settings.EMBEDDINGS_UPSTREAM_API_KEY,
    get timeoutMs() {
      return settings.EMBEDDINGS_UPSTREAM_TIMEOUT_MS;
    },
  });
  return [...own, upstream];
}

/** The embeddings service. */
export const embeddingsService = defineService({
  contract: embeddings,
  settings: embeddingsSettings,
  live: embeddingsLiveSettings,
  needs: async (settings, { home }) => {
    const backends = createBackends(settings, home);
    return {
      backends,
      closing: { close: async () => void (await Promise.all(backends.map((one) => one.close()))) },
    };
  },
  routes: embeddingsRoutes,
  health: ({ backends }) => ({ parts: Object.fromEntries(backends.map((one) => [one.name, one])) }),
  models: async ({ backends }) => (await Promise.all(backends.map((one) => one.models()))).flat(),
  authenticate: (_needs, settings) =>
    authenticateByToken(settings.EMBEDDINGS_API_TOKENS, 'embeddings', errors.authentication_required),
  errorBody: modelServiceBody,
  bodyLimit: BODY_LIMIT,
});
