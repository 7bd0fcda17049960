import { z } from 'zod';
import { address, list, number, text } from '../settings.ts';

/** The standard settings of OpenTelemetry that are read. */
export const tracingSettings = z.object({
  OTEL_EXPORTER_OTLP_ENDPOINT: address().describe(
    'Where traces are sent, in OTLP over HTTP: the address of a collector without /v1/traces. Unset means that there are none.',
  ),
  OTEL_EXPORTER_OTLP_HEADERS: list().describe(
    'Comma-separated name=value pairs that go with them, such as a key of the collector.',
  ),
  OTEL_SERVICE_NAME: text('limpede').describe('The name of this installation among those that are traced.'),
  OTEL_TRACES_SAMPLER_ARG: number(1, 0, 1).describe(
    'The share of traces that is sent, 0 to 1; the id of a trace decides, so that all processes decide alike.',
  ),
});

/** Read settings of tracing. */
export type TracingSettings = z.infer<typeof tracingSettings>;
