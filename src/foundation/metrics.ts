import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { BreakerState, Circuit } from './breaker.ts';

export type { Registry } from 'prom-client';

/** Seconds; from a cached answer to the longest analysis. */
const DURATION_BUCKETS = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

/** The registry of one process, with the default process metrics. */
export function createMetrics(): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, prefix: 'limpede_' });
  return registry;
}

/** Counts a finished request; `seconds` is the time until the answer was sent. */
export type RequestObserver = (operation: string, status: number, seconds: number) => void;

/** The request metrics of one service; several services may share a registry. */
export function requestMetrics(registry: Registry, service: string): RequestObserver {
  const labelNames = ['service', 'operation', 'status'] as const;
  const requests =
    (registry.getSingleMetric('limpede_http_requests_total') as Counter<string> | undefined) ??
    new Counter({
      name: 'limpede_http_requests_total',
      help: 'Requests answered, by service, operation and status.',
      labelNames,
      registers: [registry],
    });
  const durations =
    (registry.getSingleMetric('limpede_http_request_duration_seconds') as Histogram<string> | undefined) ??
    new Histogram({
      name: 'limpede_http_request_duration_seconds',
      help: 'Time from the request to the end of the answer.',
      labelNames: ['service', 'operation'],
      buckets: DURATION_BUCKETS,
      registers: [registry],
    });
  // Cached for each operation and status, of which there are few: the look-up costs more than the counting.
  const known = new Map<string, { seconds: HistogramChild; counts: Map<number, CounterChild> }>();
  return (operation, status, seconds) => {
    let instruments = known.get(operation);
    if (instruments === undefined) {
      instruments = { seconds: durations.labels({ service, operation }), counts: new Map() };
      known.set(operation, instruments);
    }
    let count = instruments.counts.get(status);
    if (count === undefined) {
      count = requests.labels({ service, operation, status });
      instruments.counts.set(status, count);
    }
    count.inc();
    instruments.seconds.observe(seconds);
  };
}

interface CounterChild {
  inc(): void;
}

interface HistogramChild {
  observe(seconds: number): void;
}

/** How the state of a circuit is shown as a number. */
export const BREAKER_LEVEL: Readonly<Record<BreakerState, number>> = { closed: 0, half_open: 1, open: 2 };

const CIRCUITS = 'limpede_breaker_state';
const watched = new WeakMap<Gauge<string>, { service: string; circuits: readonly Circuit[] }[]>();

/** Shows the circuits of one service, as they are when the metrics are read; several services may share a registry. */
export function registerCircuitMetrics(
  registry: Registry,
  service: string,
  circuits: readonly Circuit[],
): void {
  const known = registry.getSingleMetric(CIRCUITS) as Gauge<string> | undefined;
  const services = (known && watched.get(known)) ?? [];
  services.push({ service, circuits });
  if (known !== undefined) return;
  const gauge = new Gauge<string>({
    name: CIRCUITS,
    help: 'Circuit to a dependency, by service: 0 closed, 1 half open, 2 open.',
    labelNames: ['service', 'dependency'],
    registers: [registry],
    collect() {
      for (const each of services)
        for (const { name, state } of each.circuits)
          this.set({ service: each.service, dependency: name }, BREAKER_LEVEL[state()]);
    },
  });
  watched.set(gauge, services);
}
