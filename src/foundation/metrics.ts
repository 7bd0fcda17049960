import { Counter, collectDefaultMetrics, Histogram, Registry } from 'prom-client';

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
  return (operation, status, seconds) => {
    requests.inc({ service, operation, status });
    durations.observe({ service, operation }, seconds);
  };
}
