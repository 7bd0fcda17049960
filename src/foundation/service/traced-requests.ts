import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyInstance } from 'fastify';
import type { Contract } from '../contract.ts';
import { isTracingEnabled, type OpenSpan, openSpan, UNTRACED_PATHS } from '../tracing/tracing.ts';

function spanOf(
  service: string,
  request: IncomingMessage,
  response: ServerResponse,
  route: string,
): OpenSpan {
  const span = openSpan({
    name: `${request.method} ${route}`,
    kind: 'server',
    from: request.headers,
    attributes: {
      'limpede.service': service,
      'http.request.method': request.method ?? '',
      'http.route': route,
    },
  });
  response.once('close', () => {
    const { statusCode, writableFinished } = response;
    const error = !writableFinished ? 'the client left' : statusCode >= 500 ? String(statusCode) : undefined;
    span.end({ attributes: { 'http.response.status_code': statusCode }, error });
  });
  return span;
}

/** Gives each request of a service its span, where traces are made. */
export function traceRequests(app: FastifyInstance, service: string): void {
  if (!isTracingEnabled()) return;
  const spans = new WeakMap<IncomingMessage, OpenSpan>();
  app.addHook('onRequest', (request, reply, done) => {
    const route = request.routeOptions.url ?? 'other';
    if (UNTRACED_PATHS.has(route)) return done();
    const span = spanOf(service, request.raw, reply.raw, route);
    spans.set(request.raw, span);
    span.within(done);
  });
  // A body that was waited for ends the chain of turns that began with the request.
  app.addHook('preValidation', (request, _reply, done) => {
    const span = spans.get(request.raw);
    if (span === undefined) done();
    else span.within(done);
  });
}

/** A raw HTTP handler with a span for each request, when tracing is on. */
export function traceRaw(
  contract: Contract,
  take: (request: IncomingMessage, response: ServerResponse) => boolean,
): (request: IncomingMessage, response: ServerResponse) => boolean {
  if (!isTracingEnabled()) return take;
  const raw = Object.values(contract.operations).filter((operation) => operation.raw === true);
  const targets = new Set(raw.map(({ method, path }) => `${method} ${path}`));
  return (request, response) => {
    const [path = ''] = (request.url ?? '').split('?', 1);
    if (!targets.has(`${request.method} ${path}`)) return take(request, response);
    return spanOf(contract.name, request, response, path).within(() => take(request, response));
  };
}
