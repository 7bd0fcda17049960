import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import type { Caller } from '../../foundation/auth.ts';
import { createTokenCheck } from '../../foundation/bearer-tokens.ts';
import { CircuitBreaker } from '../../foundation/breaker.ts';
import type { Configuration } from '../../foundation/configuration/configuration.ts';
import { packageFile } from '../../foundation/files.ts';
import { requestMetrics } from '../../foundation/metrics.ts';
import type { Platform } from '../../foundation/platform.ts';
import { defineService } from '../../foundation/service.ts';
import type { Backend } from './backends/backend.ts';
import { createCloudBackend } from './backends/cloud.ts';
import { createCpuBackend } from './backends/cpu.ts';
import { createEmbeddedBackend } from './backends/embedded/embedded.ts';
import { createGpuBackend } from './backends/gpu.ts';
import { ModelRegistry } from './backends/model-registry.ts';
import { CompletionEndpoint } from './completion-endpoint.ts';
import { CompletionRouter } from './completion-router.ts';
import { AnswerCache } from './completions/answer-cache.ts';
import type { CompletionRules } from './completions/completion-clock.ts';
import type {
  BackendEntry,
  CompletionDependencies,
  RunningCompletion,
} from './completions/completion-dependencies.ts';
import { ConcurrencyLimiter } from './completions/concurrency-limiter.ts';
import { GatewayMetrics } from './completions/metrics.ts';
import { Watchdog } from './completions/watchdog.ts';
import { BACKENDS, type BackendName, llm } from './contract.ts';
import { PolicySource } from './policy.ts';
import { createHandlers } from './routes.ts';
import { type LlmSettings, llmSettings } from './settings.ts';
import { llmLiveSettings, llmTunables, staffPolicyOf } from './tunables.ts';
import { DatabaseLedger } from './usage/ledger.ts';
import { costOf } from './usage/prices.ts';
import { errorBody } from './wire/error-body.ts';

/** Longest time in which a request may arrive, in milliseconds. */
const LONGEST_UPLOAD_MS = 300_000;

/** llama.cpp on this machine, with the models below the home folder. */
function createEmbedded(settings: LlmSettings, home: string): Backend {
  return createEmbeddedBackend({
    models: resolve(home, 'models'),
    binding: packageFile('optional', 'llama'),
    program: packageFile('dist', 'llama-worker.js'),
    context: settings.LLM_EMBEDDED_CONTEXT,
    parallel: settings.LLM_EMBEDDED_PARALLEL,
    // The engine keeps its cores busy while it waits for its threads: one core stays for everybody else.
    threads: settings.LLM_EMBEDDED_THREADS || Math.max(1, availableParallelism() - 1),
    maxModels: settings.LLM_EMBEDDED_MODELS,
    idleMs: settings.LLM_EMBEDDED_IDLE_MS,
  });
}

/** The backends that the settings name, and the embedded one where it can work. Without any, it says what is missing. */
function createBackends(settings: LlmSettings, home: string): Map<BackendName, Backend> {
  const connectTimeoutMs = settings.LLM_CONNECT_TIMEOUT_MS;
  const { LLM_CLOUD_URL, LLM_GPU_URL, LLM_CPU_URL } = settings;
  const backends = new Map<BackendName, Backend>();
  if (LLM_CLOUD_URL !== undefined)
    backends.set(
      'cloud',
      createCloudBackend({ url: LLM_CLOUD_URL, key: settings.LLM_CLOUD_API_KEY, connectTimeoutMs }),
    );
  if (LLM_GPU_URL !== undefined)
    backends.set(
      'gpu',
      createGpuBackend({ url: LLM_GPU_URL, key: settings.LLM_GPU_API_KEY, connectTimeoutMs }),
    );
  if (LLM_CPU_URL !== undefined)
    backends.set(
      'cpu',
      createCpuBackend({ url: LLM_CPU_URL, key: settings.LLM_CPU_API_KEY, connectTimeoutMs }),
    );
  else {
    const embedded = createEmbedded(settings, home);
    if (backends.size === 0 || embedded.unavailable === undefined) backends.set('cpu', embedded);
  }
  return backends;
}

/** The backend of models that no backend lists: the named one, else the first configured. */
function defaultBackend(settings: LlmSettings, backends: ReadonlyMap<BackendName, Backend>): BackendName {
  return settings.LLM_DEFAULT_BACKEND ?? BACKENDS.find((name) => backends.has(name)) ?? 'cpu';
}

/** The configured backends, each with its circuit breaker and its metrics, and the metrics of the gateway. */
function createEntries(
  settings: LlmSettings,
  platform: Platform,
  backends: ReadonlyMap<BackendName, Backend>,
  limiter: ConcurrencyLimiter,
) {
  const entries = new Map<BackendName, BackendEntry>();
  const metrics = new GatewayMetrics(platform.metrics, {
    running: () => limiter.running,
    waiting: () => limiter.waiting,
    breaker: (name) => entries.get(name)?.breaker.state(),
  });
  const rules = {
    get requests() {
      return settings.LLM_BREAKER_REQUESTS;
    },
    get failureShare() {
      return settings.LLM_BREAKER_FAILURE_SHARE;
    },
    get openMs() {
      return settings.LLM_BREAKER_OPEN_MS;
    },
  };
  for (const [name, backend] of backends)
    entries.set(name, { backend, breaker: new CircuitBreaker(rules), metrics: metrics.backends[name] });
  return { entries, metrics };
}

function createCache({ LLM_CACHE_MAX_BYTES, LLM_CACHE_TTL_MS }: LlmSettings): AnswerCache | undefined {
  return LLM_CACHE_MAX_BYTES > 0 ? new AnswerCache(LLM_CACHE_MAX_BYTES, LLM_CACHE_TTL_MS) : undefined;
}

/** Builds what the gateway works with. */
async function createNeeds(settings: LlmSettings, platform: Platform, configuration: Configuration) {
  const backends = createBackends(settings, platform.home);
  const policy = new PolicySource(settings, platform.log, () =>
    staffPolicyOf(configuration.current(), settings),
  );
  let rules = completionRules(settings);
  configuration.onChange(() => {
    // Once for each change: a completion keeps the rules and the policy that it began with.
    rules = completionRules(settings);
    policy.renew();
  });
  const limiter = new ConcurrencyLimiter(() => policy.current.concurrency);
  policy.onChange(() => limiter.startWaiters());
  const { entries, metrics } = createEntries(settings, platform, backends, limiter);
  const registry = new ModelRegistry([...backends.values()], settings.LLM_MODELS_REFRESH_MS);
  const ledger = settings.LLM_USAGE
    ? new DatabaseLedger(
        platform.database,
        platform.log,
        settings.LLM_USAGE_FLUSH_MS,
        () => settings.LLM_USAGE_DAYS,
      )
    : undefined;
  const completion: CompletionDependencies = {
    get rules() {
      return rules;
    },
    running: new Watchdog<RunningCompletion>(),
    limiter,
    ledger,
    costOf: (backend, model, usage) => costOf(policy.current.prices, backend, model, usage),
  };
  const router = new CompletionRouter({
    backends: entries,
    registry,
    policy,
    metrics,
    completion,
    defaultBackend: defaultBackend(settings, backends),
    defaultModel: settings.LLM_DEFAULT_MODEL,
    cache: createCache(settings),
  });
  const endpoint = new CompletionEndpoint({
    router,
    policy,
    metrics,
    callerOf: createTokenCheck(settings.LLM_API_TOKENS, settings.LLM_INTERNAL_TOKEN),
    largestBodyBytes: settings.LLM_MAX_BODY_BYTES,
    record: requestMetrics(platform.metrics, llm.name),
    log: platform.log,
  });
  const servers = {
    close: async () => void (await Promise.all([...backends.values()].map((one) => one.close()))),
  };
  return { endpoint, router, registry, policy, backends, servers, ledger };
}

function completionRules(settings: LlmSettings): CompletionRules {
  return {
    firstEventMs: settings.LLM_FIRST_EVENT_TIMEOUT_MS,
    eventMs: settings.LLM_EVENT_TIMEOUT_MS,
    answerMs: settings.LLM_ANSWER_TIMEOUT_MS,
    totalMs: settings.LLM_TOTAL_TIMEOUT_MS,
    keepAliveMs: settings.LLM_KEEP_ALIVE_MS,
    retries: settings.LLM_RETRIES,
    retryDelayMs: settings.LLM_RETRY_DELAY_MS,
    retryDeadlineMs: settings.LLM_RETRY_DEADLINE_MS,
    largestAnswerBytes: settings.LLM_MAX_ANSWER_BYTES,
    disableThinking: settings.LLM_GPU_DISABLE_THINKING,
    askUsage: settings.LLM_STREAM_USAGE,
  };
}

function asCaller(subject: string): Caller {
  return { subject, email: null, realm: 'llm', roles: [], planCap: null, application: null };
}

/** The text-model gateway. */
export const llmService = defineService({
  contract: llm,
  settings: llmSettings,
  live: llmLiveSettings,
  tunables: llmTunables,
  needs: createNeeds,
  routes: createHandlers,
  health: ({ registry, backends }, settings) => ({
    parts: Object.fromEntries([...backends.keys()].map((name) => [name, registry.part(name)])),
    ready: { default: registry.part(defaultBackend(settings, backends)) },
  }),
  models: ({ registry }) => registry.list(undefined),
  errorBody,
  authenticate:
    ({ endpoint }) =>
    async (headers) =>
      asCaller(endpoint.authenticate(headers.authorization)),
  rawHandler:
    ({ endpoint }) =>
    (request, response) =>
      endpoint.handle(request, response),
  correlationHeader: 'x-request-id',
  correlation: 'any',
  // For completions that come through the framework; the setting bounds those that come before it.
  bodyLimit: 64 * 1024 * 1024,
  attach: async (app, { router }, settings) => {
    // Node's own limit, which the framework switches off: a body that trickles in must not be waited for for ever.
    app.server.requestTimeout = LONGEST_UPLOAD_MS;
    app.addHook('preClose', () => router.drain(settings.LLM_DRAIN_MS));
  },
});
