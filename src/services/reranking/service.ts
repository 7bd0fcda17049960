import { join } from 'node:path';
import { authenticateByToken } from '../../foundation/bearer-tokens.ts';
import { modelServiceBody } from '../../foundation/errors.ts';
import { createOnnxModels } from '../../foundation/onnx/onnx.ts';
import { defineService } from '../../foundation/service.ts';
import type { RerankBackend } from './backends/backend.ts';
import { createOnnxBackend } from './backends/onnx.ts';
import { createPackagedBackend } from './backends/packaged/packaged.ts';
import { createUpstreamBackend } from './backends/upstream.ts';
import { reranking } from './contract.ts';
import { errors } from './errors.ts';
import { rerankingRoutes } from './routes.ts';
import { type RerankingSettings, rerankingSettings } from './settings.ts';
import { rerankingLiveSettings } from './tunables.ts';

/** Largest body: a thousand documents of some pages each. */
const BODY_LIMIT = 16 * 1024 * 1024;

function createBackends(settings: RerankingSettings, home: string): RerankBackend[] {
  const limits = {
    threads: settings.RERANKING_THREADS,
    get waiting() {
      return settings.RERANKING_QUEUE_SIZE;
    },
    get callerShare() {
      return settings.RERANKING_CALLER_SHARE;
    },
  };
  const models = createOnnxModels({
    models: join(home, 'models'),
    kind: 'cross-encoder',
    threads: settings.RERANKING_ONNX_THREADS,
  });
  const own = [createPackagedBackend(limits), createOnnxBackend(models, limits)];
  const { RERANKING_UPSTREAM_URL: url } = settings;
  if (url === undefined) return own;
  const upstream = createUpstreamBackend({
    url,
    key: settings.RERANKING_UPSTREAM_API_KEY,
    get timeoutMs() {
      return settings.RERANKING_UPSTREAM_TIMEOUT_MS;
    },
    scale: settings.RERANKING_UPSTREAM_SCORES,
  });
  return [...own, upstream];
}

/** The reranking service. */
export const rerankingService = defineService({
  contract: reranking,
  settings: rerankingSettings,
  live: rerankingLiveSettings,
  needs: async (settings, { home }) => {
    const backends = createBackends(settings, home);
    return {
      backends,
      closing: { close: async () => void (await Promise.all(backends.map((one) => one.close()))) },
    };
  },
  routes: rerankingRoutes,
  health: ({ backends }) => ({ parts: Object.fromEntries(backends.map((one) => [one.name, one])) }),
  models: async ({ backends }) => (await Promise.all(backends.map((one) => one.models()))).flat(),
  authenticate: (_needs, settings) =>
    authenticateByToken(settings.RERANKING_API_TOKENS, 'reranking', errors.authentication_required),
  errorBody: modelServiceBody,
  bodyLimit: BODY_LIMIT,
});
