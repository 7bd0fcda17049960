import {
  type Attributes,
  type Context,
  context,
  propagation,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import type { Logger } from '../log.ts';
import type { TracingSettings } from './settings.ts';

/** Paths that monitoring polls every few seconds; their traces would bury all others. */
export const UNTRACED_PATHS: ReadonlySet<string> = new Set(['/health', '/ready', '/metrics']);

/** The attributes of a span: names of parts of the program, and ids. Never texts, addresses or people. */
export interface SpanFacts {
  readonly name: string;
  /** Its part in an exchange; work within the process unless said otherwise. */
  readonly kind?: 'server' | 'client' | 'consumer';
  readonly attributes?: Attributes;
  /** The headers that name the span that led to this one, in W3C form; else it is the one under way. */
  readonly from?: Readonly<Record<string, unknown>>;
}

/** A span that is opened and ended by hand. */
export interface OpenSpan {
  /** Does work that belongs to it: what it begins, later turns included, has this span as its parent. */
  within<Result>(work: () => Result): Result;
  end(end: { readonly attributes?: Attributes; readonly error?: string | undefined }): void;
}

const KINDS = { server: SpanKind.SERVER, client: SpanKind.CLIENT, consumer: SpanKind.CONSUMER } as const;
const NO_HEADERS: Readonly<Record<string, string>> = {};

let active = false;

/** Whether tracing is on; when it is off, the functions below only check this. */
export function isTracingEnabled(): boolean {
  return active;
}

function parentOf({ from }: SpanFacts): Context {
  return from === undefined ? context.active() : propagation.extract(ROOT_CONTEXT, from);
}

/** Opens a span that the caller ends. */
export function openSpan(facts: SpanFacts): OpenSpan {
  const { name, kind, attributes = {} } = facts;
  const parent = parentOf(facts);
  const tracer = trace.getTracer('limpede');
  const options = { kind: kind === undefined ? SpanKind.INTERNAL : KINDS[kind], attributes };
  const span = tracer.startSpan(name, options, parent);
  const own = trace.setSpan(parent, span);
  return {
    within: (work) => context.with(own, work),
    end: ({ attributes: last, error }) => {
      if (last !== undefined) span.setAttributes(last);
      if (error !== undefined) span.setStatus({ code: SpanStatusCode.ERROR, message: error });
      span.end();
    },
  };
}

/** Runs work in a span of its own. Only the name of a thrown error is recorded, since messages may contain users' text. */
export async function withSpan<Result>(facts: () => SpanFacts, work: () => Promise<Result>): Promise<Result> {
  if (!active) return work();
  const span = openSpan(facts());
  let error: string | undefined;
  try {
    return await span.within(work);
  } catch (thrown) {
    error = thrown instanceof Error ? thrown.name : 'Error';
    throw thrown;
  } finally {
    span.end({ error });
  }
}

/** The headers that carry the span under way to another process; none when there is none. */
export function traceHeaders(): Readonly<Record<string, string>> {
  if (!active) return NO_HEADERS;
  const headers: Record<string, string> = {};
  propagation.inject(context.active(), headers);
  return headers;
}

/** Starts tracing when the settings ask for it; the result flushes and stops it. */
export async function startTracing(
  settings: TracingSettings,
  version: string,
  log: Logger,
): Promise<() => Promise<void>> {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint } = settings;
  if (endpoint === undefined || active) return async () => undefined;
  const { startExport } = await import('./export.ts');
  const end = startExport({ ...settings, OTEL_EXPORTER_OTLP_ENDPOINT: endpoint }, version, log);
  active = true;
  return async () => {
    active = false;
    await end();
  };
}
