import type { IncomingMessage, ServerResponse } from 'node:http';
import { type FastifyInstance, type FastifyReply, fastify } from 'fastify';
import type { Authenticate } from './auth.ts';
import { circuitsOf } from './breaker.ts';
import { type Configuration, fixedConfiguration } from './configuration/configuration.ts';
import { followSettings, type LiveSetting } from './configuration/live-settings.ts';
import type { Tunable } from './configuration/tunable.ts';
import type { Contract, ModelOf } from './contract.ts';
import { type CorrelationForm, correlationIdOf } from './correlation.ts';
import type { Failure } from './errors.ts';
import { type HealthParts, probeableNeeds } from './health.ts';
import { registerCircuitMetrics } from './metrics.ts';
import type { Platform } from './platform.ts';
import type { RequestWithCall } from './service/call.ts';
import { createIdleConnectionSweep, installRawHandler } from './service/connections.ts';
import { addDocumentation } from './service/documentation.ts';
import { createOpenStreams } from './service/event-stream.ts';
import { badRequest, isBodyTooLarge, toFailure } from './service/failures.ts';
import type { Handlers } from './service/handlers.ts';
import { type HostPolicy, hasBody, jsonBodyProblem, requestProblem } from './service/host-policy.ts';
import { answerMalformedRequests } from './service/malformed-request.ts';
import { observeRequests } from './service/observation.ts';
import { addOperations } from './service/operations.ts';
import { refuseOtherMethods } from './service/other-methods.ts';
import { drainBody } from './service/request-body.ts';
import { endSlowBodies } from './service/slow-bodies.ts';
import { standardHandlers } from './service/standard-handlers.ts';
import { traceRaw, traceRequests } from './service/traced-requests.ts';
import { namedAddresses, type SettingsSchema } from './settings.ts';

export type { FastifyReply, FastifyRequest } from 'fastify';
export type { Call } from './service/call.ts';
export type { Handlers } from './service/handlers.ts';

/** Draws an error body. */
export type ErrorBody = (failure: Failure, call: { correlationId: string }) => unknown;

/** A service: its contract, its settings, its real world, its routes and the shape of its errors. */
export interface Service<C extends Contract, Schema extends SettingsSchema, Needs extends object> {
  readonly contract: C;
  readonly settings: Schema;
  readonly needs: (
    settings: Schema['_output'],
    platform: Platform,
    configuration: Configuration,
  ) => Promise<Needs>;
  /** Settings that staff may change: every function here is given them as they hold whenever one is read. */
  readonly live?: readonly LiveSetting[];
  /** It stores data: where DATABASE_URL is unset, its process opens the embedded database. */
  readonly keepsData?: true;
  /** What else staff may change. */
  readonly tunables?: readonly Tunable[];
  readonly routes: (needs: Needs, settings: Schema['_output']) => Handlers<C['operations']>;
  /** What /health and /ready ask; unless said otherwise every need that carries a probe, each of them critical. */
  readonly health?: (needs: Needs, settings: Schema['_output']) => HealthParts;
  /** The models that /v1/info shows; none unless said otherwise. */
  readonly models?: (needs: Needs) => Promise<readonly ModelOf<C>[]>;
  readonly errorBody: ErrorBody;
  readonly authenticate?: (needs: Needs, settings: Schema['_output']) => Authenticate;
  /** Adds routes that are no operations: proxies, static files. */
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
  /** Origins, beside those of the process, whose pages may send requests to this service. */
  readonly origins?: (settings: Schema['_output']) => readonly string[];
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

/** Of requests that are refused before a call is made of them. */
const STAYING = new AbortController().signal;

/** How long a whole request may take to arrive, whatever progress it makes: the most that the gateway's setting allows. */
const REQUEST_LIMIT_MS = 3_600_000;
/** The same for its headers, and how often Node looks, in milliseconds. */
const HEADERS_LIMIT_MS = 15_000;
const CHECK_INTERVAL_MS = 5_000;

/** The hosts and origins that a service accepts: those of the process (by default its own address) and the service's own origins. */
function hostPolicyOf({ hostPolicy, publicUrl }: Platform, origins: readonly string[]): HostPolicy {
  const { hostname, origin } = new URL(publicUrl);
  const own = hostPolicy ?? { hosts: new Set([hostname]), origins: new Set([origin]) };
  return { hosts: own.hosts, origins: new Set([...own.origins, ...origins]) };
}

/** The web framework, set up for a service without any route. */
function createApp(service: AnyService, platform: Platform, hostPolicy: HostPolicy): FastifyInstance {
  const header = (service.correlationHeader ?? 'X-Correlation-Id').toLowerCase();
  const form = service.correlation ?? 'uuid';
  const contract: Contract = service.contract;
  const app = fastify({
    bodyLimit: service.bodyLimit ?? DEFAULT_BODY_LIMIT,
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    routerOptions: { maxParamLength: 2048 },
    logger: false,
    requestTimeout: REQUEST_LIMIT_MS,
    http: {
      headersTimeout: HEADERS_LIMIT_MS,
      connectionsCheckingInterval: CHECK_INTERVAL_MS,
      // A request without Host gets the service's own answer.
      requireHostHeader: false,
    },
    clientErrorHandler: answerMalformedRequests(service.errorBody, header),
    frameworkErrors: (error, request, reply) => {
      const failure = toFailure(error, contract, { log: platform.log, signal: STAYING });
      const correlationId = correlationIdOf(request.headers[header], form);
      void (reply as unknown as FastifyReply)
        .code(failure.status)
        .header(header, correlationId)
        .send(service.errorBody(failure, { correlationId }));
    },
  });
  traceRequests(app, contract.name);
  endSlowBodies(app.server);
  observeRequests(app, { service: contract.name, header, form }, platform);
  app.addHook('onRequest', (request, _reply, done) => {
    const problem = requestProblem(request.raw, hostPolicy);
    done(problem === undefined ? undefined : badRequest(contract, problem));
  });
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));
  app.setErrorHandler((error, request, reply) => {
    const { call } = request as unknown as RequestWithCall;
    const failure = toFailure(error, contract, call);
    if (isBodyTooLarge(error)) {
      // The framework would close at once: a sender that is still busy would meet a reset in place of the answer.
      reply.removeHeader('connection');
      drainBody(request.raw);
    }
    return reply.code(failure.status).headers(failure.headers).send(service.errorBody(failure, call));
  });
  app.setNotFoundHandler(() => {
    throw contract.errors.not_found();
  });
  return app;
}

/** A built service that does not listen yet. */
export interface BuiltService<Needs> {
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
): Promise<BuiltService<Needs>> {
  const live = service.live ?? [];
  const tunables = [...(service.tunables ?? []), ...live.map((setting) => setting.of(settings))];
  const configuration = platform.configuration?.(tunables) ?? fixedConfiguration;
  const currentSettings = followSettings(settings, live, configuration);
  const ownNeeds = await service.needs(currentSettings, platform, configuration);
  const needs: Needs = { ...ownNeeds, ...replace };
  try {
    return await assemble(service, currentSettings, platform, needs);
  } catch (error) {
    // Closes what was opened for a service that could not be built.
    await closeNeeds(needs);
    throw error;
  }
}

async function assemble<C extends Contract, Schema extends SettingsSchema, Needs extends object>(
  service: Service<C, Schema, Needs>,
  settings: Schema['_output'],
  platform: Platform,
  needs: Needs,
): Promise<BuiltService<Needs>> {
  const hostPolicy = hostPolicyOf(platform, service.origins?.(settings) ?? []);
  const app = createApp(service, platform, hostPolicy);
  const beginSweep = createIdleConnectionSweep(app.server);
  const handlers = service.routes(needs, settings) as Record<string, (...parts: never[]) => unknown>;
  const standard = standardHandlers({
    contract: service.contract,
    version: platform.version,
    dependsOn: namedAddresses(settings),
    health: service.health?.(needs, settings) ?? probeableNeeds(needs),
    models: async () => (await service.models?.(needs)) ?? [],
  });
  registerCircuitMetrics(platform.metrics, service.contract.name, circuitsOf(needs));
  const streams = createOpenStreams();
  app.addHook('preClose', async () => streams.end());
  await addDocumentation(app, service.contract, service.publicPrefix, platform);
  await addOperations(app, {
    contract: service.contract,
    handlers: { ...handlers, ...standard },
    authenticate: service.authenticate?.(needs, settings),
    publicPrefix: service.publicPrefix ?? '',
    streams,
  });
  refuseOtherMethods(app, service.contract);
  await service.attach?.(app, needs, settings);
  await app.ready();
  const leave = (request: IncomingMessage) =>
    requestProblem(request, hostPolicy) !== undefined ||
    (hasBody(request) && jsonBodyProblem(request.headers) !== undefined);
  if (service.rawHandler !== undefined)
    installRawHandler(app.server, traceRaw(service.contract, service.rawHandler(needs, settings)), leave);
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
