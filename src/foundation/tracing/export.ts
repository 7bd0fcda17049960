import { context, DiagLogLevel, diag, propagation, trace } from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  NodeTracerProvider,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace-node';
import type { Logger } from '../log.ts';
import type { TracingSettings } from './settings.ts';

/** How long a collector may take to accept spans, in milliseconds: a stop waits for no longer. */
const EXPORT_LIMIT_MS = 3_000;
/** At most one log line about unsent spans per this many milliseconds. */
const COMPLAINT_MS = 60_000;

function headersOf(pairs: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    pairs.map((pair) => {
      const at = pair.indexOf('=');
      return at < 0 ? [pair, ''] : [pair.slice(0, at).trim(), pair.slice(at + 1).trim()];
    }),
  );
}

/** Logs lost spans at a limited rate: a missing collector must not fill the log. */
function complainTo(log: Logger): void {
  let last = Number.NEGATIVE_INFINITY;
  const complain = (reason: string) => {
    const now = performance.now();
    if (now - last < COMPLAINT_MS) return;
    last = now;
    log.warn({ reason: reason.slice(0, 500) }, 'traces could not be sent');
  };
  const silent = () => undefined;
  const logger = { error: complain, warn: silent, info: silent, debug: silent, verbose: silent };
  diag.setLogger(logger, { logLevel: DiagLogLevel.ERROR, suppressOverrideMessage: true });
}

/** Sends the spans of this process to a collector until the result is called, which sends what is left. */
export function startExport(
  settings: TracingSettings & { readonly OTEL_EXPORTER_OTLP_ENDPOINT: string },
  version: string,
  log: Logger,
): () => Promise<void> {
  complainTo(log);
  const exporter = new OTLPTraceExporter({
    url: `${settings.OTEL_EXPORTER_OTLP_ENDPOINT}/v1/traces`,
    headers: headersOf(settings.OTEL_EXPORTER_OTLP_HEADERS),
    timeoutMillis: EXPORT_LIMIT_MS,
  });
  const provider = new NodeTracerProvider({
    resource: resourceFromAttributes({
      'service.name': settings.OTEL_SERVICE_NAME,
      'service.version': version,
    }),
    // By the id alone: a caller may name a trace, but not wish for one to be sent.
    sampler: new TraceIdRatioBasedSampler(settings.OTEL_TRACES_SAMPLER_ARG),
    spanProcessors: [new BatchSpanProcessor(exporter, { exportTimeoutMillis: EXPORT_LIMIT_MS })],
  });
  provider.register({ propagator: new W3CTraceContextPropagator() });
  return async () => {
    await provider.shutdown().catch((error) => log.warn({ err: error }, 'the last traces could not be sent'));
    trace.disable();
    context.disable();
    propagation.disable();
    diag.disable();
  };
}
