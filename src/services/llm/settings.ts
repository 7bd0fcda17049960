import { z } from 'zod';
import { address, flag, integer, list, number, optionalText } from '../../foundation/settings.ts';

/** Settings of the text-model gateway, named as in the environment. */
export const llmSettings = z.object({
  LLM_CLOUD_URL: address().describe('Root of an OpenAI-compatible provider router; unset: no cloud backend.'),
  LLM_CLOUD_API_KEY: optionalText().describe('Key that is sent to the cloud backend.'),
  LLM_GPU_URL: address().describe('Root of a local GPU server such as vLLM; unset: no gpu backend.'),
  LLM_GPU_API_KEY: optionalText().describe('Key that is sent to the GPU server, when it wants one.'),
  LLM_CPU_URL: address().describe(
    'Root of a llama.cpp server or Ollama; unset: the embedded llama.cpp, once `limpede setup llama` installed it and LIMPEDE_HOME/models holds a GGUF file.',
  ),
  LLM_CPU_API_KEY: optionalText().describe('Key that is sent to the CPU server, when it wants one.'),
  LLM_EMBEDDED_CONTEXT: integer(8192, 256, 16_777_216).describe(
    'Longest context of an embedded model in tokens; the model and the memory may allow less.',
  ),
  LLM_EMBEDDED_PARALLEL: integer(1, 1, 64).describe(
    'Completions that one embedded model runs side by side, each with a context of its own; others wait.',
  ),
  LLM_EMBEDDED_MODELS: integer(1, 1, 64).describe(
    'Embedded models in memory at once; a further one takes the place of the one that was idle longest.',
  ),
  LLM_EMBEDDED_IDLE_MS: integer(600_000, 0, 86_400_000).describe(
    'Idle time after which an embedded model that was loaded by use is unloaded; 0: never.',
  ),
  LLM_EMBEDDED_THREADS: integer(0, 0, 1024).describe(
    'Threads of an embedded model; 0: one fewer than the machine has cores.',
  ),
  LLM_DEFAULT_BACKEND: z
    .enum(['cloud', 'gpu', 'cpu'])
    .optional()
    .describe('Backend of models that no backend lists; unset: the first configured of gpu, cloud, cpu.'),
  LLM_DEFAULT_MODEL: optionalText().describe(
    'Model of text completions that name none; unset: the first listed of the default backend.',
  ),
  LLM_GPU_DISABLE_THINKING: flag(true).describe(
    'Asks models of the gpu backend to answer without reasoning, unless the caller sends chat_template_kwargs.',
  ),
  LLM_API_TOKENS: list().describe('Comma-separated bearer tokens; unset: no token is asked for.'),
  LLM_INTERNAL_TOKEN: optionalText().describe(
    'Bearer token of our own services: their rate is not limited, their concurrency is; unset: in one process, a token made at each start.',
  ),
  LLM_RATE_LIMIT_RPS: number(10, 0.001, 10_000_000).describe('Requests per second of one caller.'),
  LLM_RATE_LIMIT_BURST: integer(20, 1, 10_000_000).describe('Requests that one caller may send at once.'),
  LLM_MAX_CONCURRENT_COMPLETIONS: integer(10, 1, 1_000_000).describe('Completions that may run at once.'),
  LLM_QUEUE_SIZE: integer(0, 0, 100_000).describe('Completions that may wait for their turn; 0: none waits.'),
  LLM_QUEUE_TIMEOUT_MS: integer(2000, 1, 600_000).describe('Longest wait of a completion for its turn.'),
  LLM_MAX_BODY_BYTES: integer(64 * 1024 * 1024, 1024, 1024 * 1024 * 1024).describe(
    'Largest request body; pictures travel inside it.',
  ),
  LLM_MAX_ANSWER_BYTES: integer(64 * 1024 * 1024, 1024, 1024 * 1024 * 1024).describe(
    'Largest plain answer, and largest single event, that is taken from a backend.',
  ),
  LLM_CONNECT_TIMEOUT_MS: integer(5000, 1, 600_000).describe('Longest time to connect to a backend.'),
  LLM_FIRST_EVENT_TIMEOUT_MS: integer(120_000, 1, 3_600_000).describe(
    'Longest silence of a backend before the first event of a stream.',
  ),
  LLM_EVENT_TIMEOUT_MS: integer(60_000, 1, 3_600_000).describe(
    'Longest silence of a backend between two events of a stream.',
  ),
  LLM_ANSWER_TIMEOUT_MS: integer(300_000, 1, 86_400_000).describe(
    'Longest wait for a plain answer of one backend; then the next of the fallback chain is asked.',
  ),
  LLM_TOTAL_TIMEOUT_MS: integer(600_000, 1, 86_400_000).describe('Longest duration of one completion.'),
  LLM_KEEP_ALIVE_MS: integer(15_000, 0, 3_600_000).describe(
    'A comment is sent into a stream after so much silence, so that proxies keep it open; 0: never.',
  ),
  LLM_RETRIES: integer(2, 0, 10).describe('Further tries on one backend before the first event was sent.'),
  LLM_RETRY_DELAY_MS: integer(250, 0, 60_000).describe(
    'Upper end of the random delay before the first retry; doubles with each.',
  ),
  LLM_RETRY_DEADLINE_MS: integer(30_000, 0, 3_600_000).describe(
    'No retry starts later than this after the request; a Retry-After beyond it is passed to the caller.',
  ),
  LLM_BREAKER_REQUESTS: integer(10, 1, 100_000).describe(
    'A circuit opens only after so many requests within 30 seconds.',
  ),
  LLM_BREAKER_FAILURE_SHARE: number(0.5, 0.01, 1).describe('Share of failed requests that opens a circuit.'),
  LLM_BREAKER_OPEN_MS: integer(10_000, 10, 3_600_000).describe(
    'Time until an open circuit lets one request try the backend again.',
  ),
  LLM_MODELS_REFRESH_MS: integer(30_000, 100, 86_400_000).describe('Age at which model lists are read anew.'),
  LLM_STREAM_USAGE: flag(true).describe(
    'Asks backends for the usage event of every stream; callers see it only when they asked for it.',
  ),
  LLM_USAGE: flag(true).describe('Keeps tokens, cost and errors per caller and model in the database.'),
  LLM_USAGE_FLUSH_MS: integer(2000, 50, 600_000).describe('Interval at which usage is written.'),
  LLM_USAGE_DAYS: integer(400, 0, 36_500).describe('Days for which usage is kept; 0 keeps it for ever.'),
  LLM_CACHE_MAX_BYTES: integer(0, 0, 16 * 1024 * 1024 * 1024).describe(
    'Memory for answers to repeated identical requests of one caller; 0: no cache.',
  ),
  LLM_CACHE_TTL_MS: integer(300_000, 1, 86_400_000).describe('Age at which a cached answer is forgotten.'),
  LLM_DRAIN_MS: integer(10_000, 0, 3_600_000).describe(
    'At a graceful stop, the time that running completions get before they are ended.',
  ),
  LLM_CONFIG_FILE: optionalText().describe(
    'JSON file with fallbacks, prices and limits; read again when it changes and on SIGHUP.',
  ),
});

/** Settings of the text-model gateway. */
export type LlmSettings = z.infer<typeof llmSettings>;
