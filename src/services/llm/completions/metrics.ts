import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { BreakerState } from '../../../foundation/breaker.ts';
import { BREAKER_LEVEL } from '../../../foundation/metrics.ts';
import { BACKENDS, type BackendName } from '../contract.ts';
import type { CompletionOutcome } from '../usage/usage-entry.ts';

/** Seconds; from a cached prompt to a cold model on a CPU. */
const FIRST_EVENT_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120];
/** Seconds; a fast GPU makes a token every few milliseconds. */
const GAP_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 30];

/** Why a request was turned away before any backend saw it. */
export type Rejection = 'authentication' | 'rate' | 'concurrency' | 'validation' | 'draining';

/** What the gauges of live values read when they are collected. */
export interface GaugeValues {
  readonly running: () => number;
  readonly waiting: () => number;
  readonly breaker: (backend: BackendName) => BreakerState | undefined;
}

/** The instruments of one backend, looked up once. */
export interface BackendMetrics {
  readonly outcomes: Readonly<Record<CompletionOutcome, { inc(): void }>>;
  readonly firstEvent: { observe(seconds: number): void };
  readonly gap: { observe(seconds: number): void };
  readonly duration: { observe(seconds: number): void };
  readonly promptTokens: { inc(count: number): void };
  readonly completionTokens: { inc(count: number): void };
  readonly retries: { inc(): void };
  readonly fallbacks: { inc(): void };
}

/** The Prometheus metrics of the gateway. Labels are bounded: backends, outcomes and reasons, never models or callers. */
export class GatewayMetrics {
  readonly backends: Readonly<Record<BackendName, BackendMetrics>>;
  private readonly rejections: Counter<'reason'>;
  private readonly cacheAnswers: Counter<'result'>;

  constructor(registry: Registry, live: GaugeValues) {
    const registers = [registry];
    const labelNames = ['backend'] as const;
    const histogram = (name: string, help: string, buckets: number[]) =>
      new Histogram({ name: `limpede_llm_${name}`, help, buckets, labelNames, registers });
    const counter = <Name extends string>(name: string, help: string, names: readonly Name[]) =>
      new Counter({ name: `limpede_llm_${name}`, help, labelNames: names, registers });
    const outcomes = counter('completions_total', 'Completions by backend and outcome.', [
      'backend',
      'outcome',
    ]);
    const tokens = counter('tokens_total', 'Tokens by backend and kind.', ['backend', 'kind']);
    const retries = counter('retries_total', 'Tries repeated on the same backend.', ['backend']);
    const fallbacks = counter('fallbacks_total', 'Requests handed on to the next backend.', ['backend']);
    const first = histogram(
      'first_event_seconds',
      'Time from the request to the first event of a stream.',
      FIRST_EVENT_BUCKETS,
    );
    const gap = histogram('event_gap_seconds', 'Time between two reads of a stream.', GAP_BUCKETS);
    const duration = histogram('completion_seconds', 'Duration of completions.', FIRST_EVENT_BUCKETS);
    this.rejections = counter('rejected_total', 'Requests turned away before any backend saw them.', [
      'reason',
    ]);
    this.cacheAnswers = counter('cache_total', 'Requests by what the answer cache had for them.', ['result']);
    registerLive(registry, live);
    const of = (backend: BackendName): BackendMetrics => ({
      outcomes: {
        ok: outcomes.labels({ backend, outcome: 'ok' }),
        error: outcomes.labels({ backend, outcome: 'error' }),
        aborted: outcomes.labels({ backend, outcome: 'aborted' }),
      },
      firstEvent: first.labels({ backend }),
      gap: gap.labels({ backend }),
      duration: duration.labels({ backend }),
      promptTokens: tokens.labels({ backend, kind: 'prompt' }),
      completionTokens: tokens.labels({ backend, kind: 'completion' }),
      retries: retries.labels({ backend }),
      fallbacks: fallbacks.labels({ backend }),
    });
    this.backends = { cloud: of('cloud'), gpu: of('gpu'), cpu: of('cpu') };
  }

  rejected(reason: Rejection): void {
    this.rejections.inc({ reason });
  }

  cache(result: 'hit' | 'miss' | 'shared'): void {
    this.cacheAnswers.inc({ result });
  }
}

function registerLive(registry: Registry, live: GaugeValues): void {
  const registers = [registry];
  new Gauge({
    name: 'limpede_llm_in_flight',
    help: 'Completions that run now.',
    registers,
    collect() {
      this.set(live.running());
    },
  });
  new Gauge({
    name: 'limpede_llm_waiting',
    help: 'Completions that wait for their turn.',
    registers,
    collect() {
      this.set(live.waiting());
    },
  });
  new Gauge({
    name: 'limpede_llm_breaker_state',
    help: 'Circuit of a backend: 0 closed, 1 half open, 2 open.',
    labelNames: ['backend'],
    registers,
    collect() {
      for (const backend of BACKENDS) {
        const state = live.breaker(backend);
        if (state !== undefined) this.set({ backend }, BREAKER_LEVEL[state]);
      }
    },
  });
}
