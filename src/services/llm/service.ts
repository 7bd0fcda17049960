import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import type { Caller } from '../../foundation/auth.ts';
import { CircuitBreaker } from '../../foundation/breaker.ts';
import { packageFile } from '../../foundation/files.ts';
import { requestMetrics } from '../../foundation/metrics.ts';
import type { Platform } from '../../foundation/platform.ts';
import { defineService } from '../../foundation/service.ts';
import { DatabaseLedger } from './accounts/ledger.ts';
import { costOf } from './accounts/prices.ts';
import { Admission } from './admission.ts';
import { AnswerCache } from './answer-cache.ts';
import type { Backend } from './backends/backend.ts';
import { createCloudBackend } from './backends/cloud.ts';
import { createCpuBackend } from './backends/cpu.ts';
import { createEmbeddedBackend } from './backends/embedded/embedded.ts';
import { createGpuBackend } from './backends/gpu.ts';
import { createTokenCheck } from './caller-tokens.ts';
import type { BackendPlace, Running } from './completion-world.ts';
import { BACKENDS, type BackendName, llm } from './contract.ts';
import { errorBody } from './error-body.ts';
import { Front } from './front.ts';
import { Gateway } from './gateway.ts';
import { Gauges } from './gauges.ts';
import { ModelDirectory } from './model-directory.ts';
import { PolicySource } from './policy.ts';
import { createHandlers } from './routes.ts';
import { type Settings, settings } from './settings.ts';
import { Watchdog } from './watchdog.ts';

/** Longest time in which a request may arrive, in milliseconds. */
const LONGEST_UPLOAD_MS = 300_000;

/** llama.cpp on this machine, with the models below the home folder. */
function createEmbedded(given: Settings, home: string): Backend {
  return createEmbeddedBackend({
    models: resolve(home, 'models'),
    binding: packageFile('optional', 'llama'),
    program: packageFile('dist', 'llama-worker.js'),
    context: given.LLM_EMBEDDED_CONTEXT,
    parallel: given.LLM_EMBEDDED_PARALLEL,
    // The engine keeps its cores busy while it waits for its threads: one core stays for everybody else.
    threads: given.LLM_EMBEDDED_THREADS || Math.max(1, availableParallelism() - 1),
    most: given.LLM_EMBEDDED_MODELS,
    idleMs: given.LLM_EMBEDDED_IDLE_MS,
  });
}

/** The backends that the settings name, and the embedded one where it can work. Without any, it says what is missing. */
function createBackends(given: Settings, home: string): Map<BackendName, Backend> {
  const connectTimeoutMs = given.LLM_CONNECT_TIMEOUT_MS;
  const { LLM_CLOUD_URL, LLM_GPU_URL, LLM_CPU_URL } = given;
  const backends = new Map<BackendName, Backend>();
  if (LLM_CLOUD_URL !== undefined)
    backends.set(
      'cloud',
      createCloudBackend({ url: LLM_CLOUD_URL, key: given.LLM_CLOUD_API_KEY, connectTimeoutMs }),
    );
  if (LLM_GPU_URL !== undefined)
    backends.set('gpu', createGpuBackend({ url: LLM_GPU_URL, key: given.LLM_GPU_API_KEY, connectTimeoutMs }));
  if (LLM_CPU_URL !== undefined)
    backends.set('cpu', createCpuBackend({ url: LLM_CPU_URL, key: given.LLM_CPU_API_KEY, connectTimeoutMs }));
  else {
    const embedded = createEmbedded(given, home);
    if (backends.size === 0 || embedded.unavailable === undefined) backends.set('cpu', embedded);
  }
  return backends;
}

/** The backend of models that nobody lists: the named one, else the first configured. */
function defaultBackend(given: Settings, backends: ReadonlyMap<BackendName, Backend>): BackendName {
  return given.LLM_DEFAULT_BACKEND ?? BACKENDS.find((name) => backends.has(name)) ?? 'cpu';
}

/** Builds the real world of the gateway. */
async function createNeeds(given: Settings, platform: Platform) {
  const backends = createBackends(given, platform.home);
  const policy = new PolicySource(given, platform.log);
  const admission = new Admission(() => policy.current.admission);
  policy.onChange(() => admission.fill());
  const places = new Map<BackendName, BackendPlace>();
  const gauges = new Gauges(platform.metrics, {
    running: () => admission.running,
    waiting: () => admission.waiting,
    breaker: (name) => places.get(name)?.breaker.state(),
  });
  const rules = {
    requests: given.LLM_BREAKER_REQUESTS,
    failureShare: given.LLM_BREAKER_FAILURE_SHARE,
    openMs: given.LLM_BREAKER_OPEN_MS,
  };
  for (const [name, backend] of backends)
    places.set(name, { backend, breaker: new CircuitBreaker(rules), gauges: gauges.backends[name] });
  const directory = new ModelDirectory([...backends.values()], given.LLM_MODELS_REFRESH_MS);
  const ledger = given.LLM_USAGE
    ? new DatabaseLedger(platform.database, platform.log, given.LLM_USAGE_FLUSH_MS)
    : undefined;
  const gateway = new Gateway({
    places,
    directory,
    admission,
    policy,
    gauges,
    defaultBackend: defaultBackend(given, backends),
    defaultModel: given.LLM_DEFAULT_MODEL,
    cache:
      given.LLM_CACHE_MAX_BYTES > 0
        ? new AnswerCache(given.LLM_CACHE_MAX_BYTES, given.LLM_CACHE_TTL_MS)
        : undefined,
    world: {
      rules: completionRules(given),
      running: new Watchdog<Running>(),
      ledger,
      cost: (backend, model, usage) => costOf(policy.current.prices, backend, model, usage),
    },
  });
  const front = new Front({
    gateway,
    policy,
    gauges,
    callerOf: createTokenCheck(given.LLM_API_TOKENS, given.LLM_INTERNAL_TOKEN),
    largestBodyBytes: given.LLM_MAX_BODY_BYTES,
    record: requestMetrics(platform.metrics, llm.name),
    log: platform.log,
  });
  const servers = {
    close: async () => void (await Promise.all([...backends.values()].map((one) => one.close()))),
  };
  return { front, gateway, directory, policy, backends, servers, ledger, version: platform.version };
}

function completionRules(given: Settings) {
  return {
    firstEventMs: given.LLM_FIRST_EVENT_TIMEOUT_MS,
    eventMs: given.LLM_EVENT_TIMEOUT_MS,
    answerMs: given.LLM_ANSWER_TIMEOUT_MS,
    totalMs: given.LLM_TOTAL_TIMEOUT_MS,
    keepAliveMs: given.LLM_KEEP_ALIVE_MS,
    retries: given.LLM_RETRIES,
    retryDelayMs: given.LLM_RETRY_DELAY_MS,
    retryDeadlineMs: given.LLM_RETRY_DEADLINE_MS,
    largestAnswerBytes: given.LLM_MAX_ANSWER_BYTES,
    disableThinking: given.LLM_GPU_DISABLE_THINKING,
    askUsage: given.LLM_STREAM_USAGE,
  };
}

function asCaller(subject: string): Caller {
  return { subject, email: null, realm: 'llm', roles: [], planCap: null, application: null };
}

/** The text-model gateway. */
export const llmService = defineService({
  contract: llm,
  settings,
  needs: createNeeds,
  routes: ({ front, directory, backends, version }, given) =>
    createHandlers({ front, directory, backends, version, defaultBackend: defaultBackend(given, backends) }),
  errorBody,
  authenticate:
    ({ front }) =>
    async (headers) =>
      asCaller(front.authenticate(headers.authorization)),
  rawHandler:
    ({ front }) =>
    (request, response) =>
      front.accept(request, response),
  correlationHeader: 'x-request-id',
  correlation: 'any',
  // For completions that come through the framework; the setting bounds those that come before it.
  bodyLimit: 64 * 1024 * 1024,
  attach: async (app, { gateway }, given) => {
    // Node's own limit, which the framework switches off: a body that trickles in must not be waited for for ever.
    app.server.requestTimeout = LONGEST_UPLOAD_MS;
    app.addHook('preClose', () => gateway.drain(given.LLM_DRAIN_MS));
  },
});
