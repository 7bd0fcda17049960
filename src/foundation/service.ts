import type { IncomingMessage, ServerResponse } from 'node:http';
import fastifySwagger from '@fastify/swagger';
import fastifySwaggerUi from '@fastify/swagger-ui';
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify';
import type { Authenticate, Caller } from './auth.ts';
import type { CheckedInput, Contract, Given, Operation, Operations } from './contract.ts';
import { type CorrelationForm, correlationOf } from './correlation.ts';
import { type Detail, Failure, failures } from './errors.ts';
import type { Logger } from './log.ts';
import { requestMetrics } from './metrics.ts';
import { LOGO, openApi } from './openapi.ts';
import type { Platform } from './platform.ts';
import { closingSweep, installRawHandler } from './service/connections.ts';
import { answerMalformedRequests } from './service/malformed-request.ts';
import type { SettingsSchema } from './settings.ts';
import { check, parseJson } from './validation.ts';

export type { FastifyReply, FastifyRequest } from 'fastify';

/** One request in progress. `signal` aborts when the client leaves before the answer. */
export interface Call {
  readonly correlationId: string;
  readonly signal: AbortSignal;
  readonly log: Logger;
  readonly caller: Caller | undefined;
}

/** An answer with a status or headers of its own. */
export class Reply {
  readonly status: number;
  readonly body: unknown;
  readonly headers: Record<string, string>;

  constructor(status: number, body: unknown, headers: Record<string, string> = {}) {
    this.status = status;
    this.body = body;
    this.headers = headers;
  }
}

/** Answers with a status other than 200, or with headers. */
export function answer(status: number, body: unknown, headers?: Record<string, string>): Reply {
  return new Reply(status, body, headers);
}

type CheckedHandler<Op extends Operation> = (
  input: CheckedInput<Op>,
  call: Call,
) => Promise<Given<Op> | Reply> | Given<Op> | Reply;
type RawHandler = (request: FastifyRequest, reply: FastifyReply, call: Call) => Promise<unknown>;

/** The handler of one operation. */
export type Handler<Op extends Operation> = Op extends { readonly raw: true }
  ? RawHandler
  : CheckedHandler<Op>;

/** The handlers of a contract's operations, or of a part of them: one for each. */
export type Handlers<Part extends Operations> = {
  [Name in keyof Part]: Handler<Part[Name]>;
};

/** Draws an error body. */
export type ErrorBody = (failure: Failure, call: { correlationId: string }) => unknown;

/** A service: its contract, its settings, its real world, its routes and the shape of its errors. */
export interface Service<C extends Contract, Schema extends SettingsSchema, Needs extends object> {
  readonly contract: C;
  readonly settings: Schema;
  readonly needs: (settings: Schema['_output'], platform: Platform) => Promise<Needs>;
  readonly routes: (needs: Needs, settings: Schema['_output']) => Handlers<C['operations']>;
  readonly errorBody: ErrorBody;
  readonly authenticate?: (needs: Needs, settings: Schema['_output']) => Authenticate;
  /** Adds what is no operation: proxies, static files. */
  readonly attach?: (app: FastifyInstance, needs: Needs, settings: Schema['_output']) => Promise<void>;
  /** Work beside requests: consumers, timers. Ends when the returned function is called. */
  readonly background?: (needs: Needs, settings: Schema['_output']) => Promise<() => Promise<void>>;
  /**
   * Takes requests on bare HTTP, where they cost half; false leaves a request to the framework. A request that is taken is
   * answered, counted and logged by the service alone.
   */
  readonly rawHandler?: (
    needs: Needs,
    settings: Schema['_output'],
  ) => (request: IncomingMessage, response: ServerResponse) => boolean;
  /** The header that carries the correlation id; X-Correlation-Id unless said otherwise. */
  readonly correlationHeader?: string;
  /** Which correlation ids of callers are taken over; UUIDs unless said otherwise. */
  readonly correlation?: CorrelationForm;
  /** Largest body in bytes. */
  readonly bodyLimit?: number;
  /** The path under which the gateway shows this service. */
  readonly publicPrefix?: string;
}

/** Declares a service. */
export function defineService<C extends Contract, Schema extends SettingsSchema, Needs extends object>(
  service: Service<C, Schema, Needs>,
): Service<C, Schema, Needs> {
  return service;
}

/** Any service, for the program that starts them. */
// biome-ignore lint/suspicious/noExplicitAny: the list of services is read by name only; each was checked where it was defined
export type AnyService = Service<any, any, any>;

/** 1 MiB: more than the longest text in escaped JSON. */
const DEFAULT_BODY_LIMIT = 1024 * 1024;

/** Failures of HTTP itself that every service may meet, in case its own table has no word for them. */
const httpFailures = failures({ bad_request: [400, 'The request could not be read.'] });

function correlationHeaderOf(service: AnyService): string {
  return (service.correlationHeader ?? 'X-Correlation-Id').toLowerCase();
}

/** The call of a request; its log and its abort signal are made only when somebody asks for them. */
function createCall(
  reply: FastifyReply,
  parent: Logger,
  correlationId: string,
): Call & { caller: Caller | undefined } {
  let controller: AbortController | undefined;
  let log: Logger | undefined;
  return {
    correlationId,
    caller: undefined,
    get log() {
      log ??= parent.child({ correlation_id: correlationId });
      return log;
    },
    get signal() {
      if (controller === undefined) {
        const made = new AbortController();
        controller = made;
        // The answer closes with its connection; one that was sent whole closes too, and then nobody has left.
        reply.raw.once('close', () => {
          if (!reply.raw.writableFinished) made.abort(new Error('the client left'));
        });
      }
      return controller.signal;
    },
  };
}

/** Every thrown thing as a failure of the table; what is nobody's word becomes internal_error and is logged. */
function toFailure(error: unknown, contract: Contract, log: Logger): Failure {
  if (error instanceof Failure) return error;
  const code = (error as { code?: unknown } | null)?.code;
  const status = (error as { statusCode?: unknown } | null)?.statusCode;
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return contract.errors.payload_too_large();
  if (code === 'FST_ERR_MAX_PARAM_LENGTH') return contract.errors.not_found();
  if (typeof status === 'number' && status >= 400 && status < 500) {
    const message = error instanceof Error ? error.message : undefined;
    const known = contract.errors.validation_failed();
    return known.status === 422
      ? httpFailures.bad_request({ ...(message !== undefined && { message }) })
      : contract.errors.validation_failed({ ...(message !== undefined && { message }) });
  }
  log.error({ err: error }, 'a request failed unexpectedly');
  return contract.errors.internal_error({ cause: error });
}

function checkRoles(operation: Operation, caller: Caller | undefined, contract: Contract): void {
  if (typeof operation.access !== 'object') return;
  const allowed = operation.access.roles.some((role) => caller?.roles.includes(role) ?? false);
  if (allowed) return;
  const refuse = contract.errors.forbidden_role ?? contract.errors.internal_error;
  throw refuse();
}

function deprecationHeaders(operation: Operation): Record<string, string> {
  const { deprecated } = operation;
  if (deprecated === undefined) return {};
  return {
    Deprecation: `@${Math.floor(Date.parse(deprecated.since) / 1000)}`,
    Sunset: new Date(deprecated.sunset).toUTCString(),
    Link: `<${deprecated.successor}>; rel="successor-version"`,
  };
}

/** Fastify's notation of a path: `{id}` becomes `:id`, `{rest*}` becomes `*`. */
function routePath(path: string): string {
  return path.replace(/\{\w+\*\}/g, '*').replace(/\{(\w+)\}/g, ':$1');
}

/** The parsed parts of a request, or a failure that lists all that is wrong. */
function checkInput(
  operation: Operation,
  request: FastifyRequest,
  contract: Contract,
): CheckedInput<Operation> {
  const problems: Detail[] = [];
  const rest = /\{(\w+)\*\}/.exec(operation.path)?.[1];
  const given = request.params as Record<string, string>;
  const params = rest === undefined ? given : { ...given, [rest]: given['*'] };
  const body =
    operation.body === undefined
      ? undefined
      : parseJson((request.body as Buffer | undefined) ?? Buffer.alloc(0), contract.errors);
  const input = {
    params: check(operation.params, params, 'path', problems),
    query: check(operation.query, request.query, 'query', problems),
    headers: check(operation.headers, request.headers, 'headers', problems),
    body: check(operation.body, body, 'body', problems),
  };
  if (problems.length > 0) throw contract.errors.validation_failed({ details: problems });
  return input as CheckedInput<Operation>;
}

/** Sends what a handler returned. */
function send(reply: FastifyReply, result: unknown): FastifyReply {
  if (!(result instanceof Reply)) return reply.send(result);
  return reply.code(result.status).headers(result.headers).send(result.body);
}

/** A request as this file decorates it. */
interface Marked {
  call: Call & { caller: Caller | undefined };
}

interface Routing {
  contract: Contract;
  handlers: Record<string, (...parts: never[]) => unknown>;
  authenticate: Authenticate | undefined;
}

function addOperation(app: FastifyInstance, name: string, operation: Operation, routing: Routing): void {
  const { contract, authenticate } = routing;
  const headers = deprecationHeaders(operation);
  const handler = routing.handlers[name] as unknown as (...parts: unknown[]) => Promise<unknown>;
  app.route({
    method: operation.method,
    url: routePath(operation.path),
    ...(operation.bodyLimit !== undefined && { bodyLimit: operation.bodyLimit }),
    config: { operation: name },
    onRequest: async (request, reply) => {
      reply.headers(headers);
      if (operation.access === 'public' || authenticate === undefined) return;
      (request as unknown as Marked).call.caller = await authenticate(request.headers);
    },
    handler: async (request, reply) => {
      const { call } = request as unknown as Marked;
      if (operation.raw === true) return handler(request, reply, call);
      const input = checkInput(operation, request, contract);
      checkRoles(operation, call.caller, contract);
      return send(reply, await handler(input, call));
    },
  });
}

/** Bodies arrive as bytes; each operation decides what they are. */
function takeBytes(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
}

function observe(app: FastifyInstance, service: AnyService, platform: Platform): void {
  const header = correlationHeaderOf(service);
  const form = service.correlation ?? 'uuid';
  const record = requestMetrics(platform.metrics, service.contract.name);
  const { log } = platform;
  app.decorateRequest('call');
  app.addHook('onRequest', async (request, reply) => {
    const correlationId = correlationOf(request.headers[header], form);
    reply.header(header, correlationId);
    (request as unknown as Marked).call = createCall(reply, log, correlationId);
  });
  app.addHook('onResponse', async (request, reply) => {
    const operation = (request.routeOptions.config as { operation?: string }).operation ?? 'other';
    record(operation, reply.statusCode, reply.elapsedTime / 1000);
    if (!log.isLevelEnabled('debug')) return;
    (request as unknown as Marked).call.log.debug(
      {
        service: service.contract.name,
        operation,
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime),
      },
      'answered',
    );
  });
}

function answerFailures(app: FastifyInstance, service: AnyService): void {
  const contract: Contract = service.contract;
  app.setErrorHandler((error, request, reply) => {
    const { call } = request as unknown as Marked;
    const failure = toFailure(error, contract, call.log);
    return reply.code(failure.status).headers(failure.headers).send(service.errorBody(failure, call));
  });
  app.setNotFoundHandler(() => {
    throw contract.errors.not_found();
  });
}

/** /metrics, /openapi.json and /docs, which every service has. */
async function addDocumentation(
  app: FastifyInstance,
  service: AnyService,
  platform: Platform,
): Promise<void> {
  const document = openApi(service.contract, service.publicPrefix);
  app.get('/metrics', async (_request, reply) =>
    reply.type(platform.metrics.contentType).send(await platform.metrics.metrics()),
  );
  app.get('/openapi.json', async () => document);
  await app.register(fastifySwagger, { mode: 'static', specification: { document: document as never } });
  await app.register(fastifySwaggerUi, {
    routePrefix: '/docs',
    uiConfig: { deepLinking: true },
    logo: { type: 'image/svg+xml', content: Buffer.from(LOGO) },
    theme: { title: service.contract.title },
  });
}

/** A built service that does not listen yet. */
export interface Built<Needs> {
  app: FastifyInstance;
  needs: Needs;
  /** Starts the work beside requests; called when everything that it may call listens. */
  begin(): Promise<void>;
  close(): Promise<void>;
}

async function closeNeeds(needs: object): Promise<void> {
  const closing = Object.values(needs).map(async (need: unknown) => {
    if (typeof need === 'object' && need !== null && 'close' in need && typeof need.close === 'function')
      await need.close();
  });
  await Promise.allSettled(closing);
}

/** Builds a service on given settings; `replace` puts other needs in place of the real ones. */
export async function buildService<C extends Contract, Schema extends SettingsSchema, Needs extends object>(
  service: Service<C, Schema, Needs>,
  settings: Schema['_output'],
  platform: Platform,
  replace: Partial<Needs> = {},
): Promise<Built<Needs>> {
  const real = await service.needs(settings, platform);
  const needs: Needs = { ...real, ...replace };
  try {
    return await assemble(service, settings, platform, needs);
  } catch (error) {
    // What was opened for a service that cannot be built would go on working for nobody.
    await closeNeeds(needs);
    throw error;
  }
}

async function assemble<C extends Contract, Schema extends SettingsSchema, Needs extends object>(
  service: Service<C, Schema, Needs>,
  settings: Schema['_output'],
  platform: Platform,
  needs: Needs,
): Promise<Built<Needs>> {
  const correlationHeader = correlationHeaderOf(service);
  const app = fastify({
    bodyLimit: service.bodyLimit ?? DEFAULT_BODY_LIMIT,
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    routerOptions: { maxParamLength: 2048 },
    logger: false,
    clientErrorHandler: answerMalformedRequests(service.errorBody, correlationHeader),
    frameworkErrors: (error, request, reply) => {
      const failure = toFailure(error, service.contract, platform.log);
      const correlationId = correlationOf(request.headers[correlationHeader], service.correlation ?? 'uuid');
      void (reply as unknown as FastifyReply)
        .code(failure.status)
        .header(correlationHeader, correlationId)
        .send(service.errorBody(failure, { correlationId }));
    },
  });
  const beginSweep = closingSweep(app.server);
  takeBytes(app);
  observe(app, service, platform);
  answerFailures(app, service);
  const routing = {
    contract: service.contract,
    handlers: service.routes(needs, settings) as Record<string, (...parts: never[]) => unknown>,
    authenticate: service.authenticate?.(needs, settings),
  };
  await addDocumentation(app, service, platform);
  for (const [name, operation] of Object.entries(service.contract.operations))
    addOperation(app, name, operation, routing);
  await service.attach?.(app, needs, settings);
  await app.ready();
  if (service.rawHandler !== undefined) installRawHandler(app.server, service.rawHandler(needs, settings));
  let end: (() => Promise<void>) | undefined;
  const begin = async () => {
    end = await service.background?.(needs, settings);
  };
  const close = async () => {
    const endSweep = beginSweep();
    // Side by side: work beside requests takes nothing new while the last requests end.
    await Promise.allSettled([app.close().finally(endSweep), end?.()]);
    await closeNeeds(needs);
  };
  return { app, needs, begin, close };
}
