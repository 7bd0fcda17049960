import type { FastifyInstance } from 'fastify';
import { type CorrelationForm, correlationIdOf } from '../correlation.ts';
import { requestMetrics } from '../metrics.ts';
import type { Platform } from '../platform.ts';
import { createCall, type RequestWithCall } from './call.ts';

/** How the requests of a service are named and counted. */
export interface Observation {
  readonly service: string;
  /** The header of the correlation id, in lower case. */
  readonly header: string;
  readonly form: CorrelationForm;
}

/** Attaches a call to each request, and counts and logs its answer. */
export function observeRequests(
  app: FastifyInstance,
  { service, header, form }: Observation,
  { metrics, log }: Platform,
): void {
  const record = requestMetrics(metrics, service);
  app.decorateRequest('call');
  app.addHook('onRequest', (request, reply, done) => {
    const correlationId = correlationIdOf(request.headers[header], form);
    reply.header(header, correlationId);
    (request as unknown as RequestWithCall).call = createCall(reply, log, correlationId);
    done();
  });
  app.addHook('onResponse', (request, reply, done) => {
    const operation = (request.routeOptions.config as { operation?: string }).operation ?? 'other';
    record(operation, reply.statusCode, reply.elapsedTime / 1000);
    if (log.isLevelEnabled('debug')) {
      const ms = Math.round(reply.elapsedTime);
      const facts = { service, operation, status: reply.statusCode, ms };
      (request as unknown as RequestWithCall).call.log.debug(facts, 'answered');
    }
    done();
  });
}
