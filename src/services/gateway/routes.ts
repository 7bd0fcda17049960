import fastifyCors from '@fastify/cors';
import fastifyHelmet from '@fastify/helmet';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Operation } from '../../foundation/contract.ts';
import type { Logger } from '../../foundation/log.ts';
import type { Handlers } from '../../foundation/service.ts';
import { analysis } from '../analysis/contract.ts';
import { clientAddress } from './client-address.ts';
import { gateway } from './contract.ts';
import { type AnswerHeaders, forwardedFrom, requestHeaders } from './headers.ts';
import { relay } from './relay.ts';
import type { RequestGuard } from './request-guard.ts';
import type { GatewaySettings } from './settings.ts';
import { targetPath } from './target-path.ts';
import type { Upstream } from './upstream.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The name in the request metrics. */
    operation?: string;
  }
}

/** What the gateway is and where. */
export interface Site {
  readonly publicUrl: string;
  readonly version: string;
}

/** The services behind the gateway. */
export interface Upstreams {
  readonly analysis: Upstream;
  readonly identity: Upstream;
}

/** What relaying needs beside the services. */
export interface RelayTools {
  readonly guard: RequestGuard;
  readonly site: Site;
  readonly log: Logger;
  readonly openStreams: Set<AbortController>;
}

/** The prefix of the analysis service. */
const ANALYSIS_PREFIX = '/agent-v3';
/** Bytes of a form or token request; the OIDC library reads no more either. */
const IDENTITY_BODY_LIMIT = 65_536;
/** The one operation with a body of media. */
const UPLOAD_PATH = '/api/v3/media/upload';
/** What every service documents of itself without a token. */
const DOCUMENTATION = ['/metrics', '/openapi.json', '/docs/*'];
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

/** The page at the root. */
export function ownRoutes({ publicUrl, version }: Site): Handlers<typeof gateway.operations> {
  const api = `${publicUrl}${ANALYSIS_PREFIX}`;
  return {
    index: () => ({
      name: 'Limpede',
      version,
      links: {
        api: `${api}/api/v3`,
        openapi: `${api}/openapi.json`,
        documentation: `${api}/docs/`,
        health: `${api}/api/v3/health`,
        clients_realm: `${publicUrl}/realms/clients/.well-known/openid-configuration`,
        admins_realm: `${publicUrl}/realms/admins/.well-known/openid-configuration`,
      },
    }),
  };
}

interface Mount {
  readonly upstream: Upstream;
  /** The part of the path that the service does not see. */
  readonly prefix: string;
  readonly bodyBytes: number;
}

type RelayHandler = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>;

function relayHandler(mount: Mount, tools: RelayTools, settings: GatewaySettings): RelayHandler {
  const { upstream, prefix } = mount;
  const stripped = prefix.split('/').length - 1;
  const forwarded = forwardedFrom(tools.site.publicUrl, prefix, settings.GATEWAY_INTERNAL_TOKEN);
  const limits = { bytes: mount.bodyBytes, pauseMs: settings.GATEWAY_BODY_PAUSE_MS };
  return async (request, reply) => {
    const path = targetPath(request.raw.url ?? '/', stripped);
    if (path === undefined) throw gateway.errors.not_found();
    const correlationId = String(reply.getHeader('x-correlation-id'));
    const headers = requestHeaders(request.raw.headers, {
      correlationId,
      clientAddress: addressOf(request, settings),
      forwarded,
    });
    const exchange = {
      request: request.raw,
      response: reply.raw,
      upstream,
      path,
      headers,
      answerHeaders: () => headersOf(reply),
      limits,
      openStreams: tools.openStreams,
      correlationId,
      log: tools.log,
    };
    const answered = await relay(exchange, () => reply.hijack());
    return answered ? reply : reply.hijack();
  };
}

function headersOf(reply: FastifyReply): AnswerHeaders {
  const given: Record<string, AnswerHeaders[string] | undefined> = reply.getHeaders();
  return Object.fromEntries(
    Object.entries(given).filter((entry): entry is [string, AnswerHeaders[string]] => entry[1] !== undefined),
  );
}

function addressOf(request: FastifyRequest, settings: GatewaySettings): string {
  const forwarded = request.headers['x-forwarded-for'];
  const peer = request.raw.socket.remoteAddress ?? '';
  return clientAddress(
    peer,
    forwarded === undefined ? undefined : String(forwarded),
    settings.GATEWAY_TRUSTED_PROXIES,
  );
}

/** Fastify's notation of an operation's path. */
function routePath(path: string): string {
  return path.replace(/\{\w+\*\}/g, '*').replace(/\{(\w+)\}/g, ':$1');
}

/** Method and path of what anybody may ask the analysis service. */
function publicOperations(): { method: string[]; path: string }[] {
  const operations: Operation[] = Object.values(analysis.operations);
  const open = operations
    .filter(({ access }) => access === 'public')
    .map(({ method, path }) => ({
      method: method === 'GET' ? ['GET', 'HEAD'] : [method],
      path: routePath(path),
    }));
  return [...open, ...DOCUMENTATION.map((path) => ({ method: ['GET', 'HEAD'], path }))];
}

function mountAnalysis(
  scope: FastifyInstance,
  upstream: Upstream,
  tools: RelayTools,
  settings: GatewaySettings,
): void {
  const { guard } = tools;
  const mount = { upstream, prefix: ANALYSIS_PREFIX, bodyBytes: settings.GATEWAY_BODY_LIMIT };
  const handler = relayHandler(mount, tools, settings);
  const upload = relayHandler({ ...mount, bodyBytes: settings.GATEWAY_UPLOAD_LIMIT }, tools, settings);
  const config = { operation: 'analysis' };
  const anybody = async (request: FastifyRequest, reply: FastifyReply) => {
    reply.headers(await guard.anybody(addressOf(request, settings)));
  };
  const known = async (request: FastifyRequest, reply: FastifyReply) => {
    reply.headers(await guard.known(request.headers, addressOf(request, settings)));
  };
  for (const { method, path } of publicOperations())
    scope.route({ method, url: `${ANALYSIS_PREFIX}${path}`, config, onRequest: anybody, handler });
  // Only below its own folder does the page find its parts under a prefix.
  scope.get(`${ANALYSIS_PREFIX}/docs`, { config }, (_request, reply) => reply.redirect('docs/', 308));
  scope.route({
    method: ['GET', 'HEAD'],
    url: ANALYSIS_PREFIX,
    config,
    onRequest: anybody,
    handler,
  });
  scope.route({
    method: 'POST',
    url: `${ANALYSIS_PREFIX}${UPLOAD_PATH}`,
    config: { operation: 'upload' },
    onRequest: known,
    handler: upload,
  });
  scope.route({ method: METHODS, url: `${ANALYSIS_PREFIX}/*`, config, onRequest: known, handler });
}

function mountIdentity(
  scope: FastifyInstance,
  upstream: Upstream,
  tools: RelayTools,
  settings: GatewaySettings,
): void {
  const { guard } = tools;
  const mount = { upstream, prefix: '', bodyBytes: IDENTITY_BODY_LIMIT };
  scope.route({
    method: METHODS,
    url: '/realms/*',
    config: { operation: 'identity' },
    onRequest: async (request, reply) => {
      const address = addressOf(request, settings);
      reply.headers(await (request.method === 'POST' ? guard.login(address) : guard.anybody(address)));
    },
    handler: relayHandler(mount, tools, settings),
  });
}

/** Security headers of every answer; those of a service behind stand over them. */
async function addSecurityHeaders(app: FastifyInstance, publicUrl: string): Promise<void> {
  await app.register(fastifyHelmet, {
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'self'"],
        // The page that browses the interface styles its elements in place.
        styleSrc: ["'self'", "'unsafe-inline'"],
        imgSrc: ["'self'", 'data:'],
        objectSrc: ["'none'"],
        baseUri: ["'none'"],
        formAction: ["'self'"],
        frameAncestors: ["'none'"],
      },
    },
    frameguard: { action: 'deny' },
    hsts: publicUrl.startsWith('https:') && { maxAge: 31_536_000 },
  });
}

async function addCors(app: FastifyInstance, origins: string[]): Promise<void> {
  if (origins.length === 0) return;
  await app.register(fastifyCors, {
    origin: origins,
    methods: ['GET', 'POST', 'PUT', 'DELETE'],
    allowedHeaders: [
      'Authorization',
      'Content-Type',
      'X-API-Key',
      'Idempotency-Key',
      'X-Correlation-Id',
      'Last-Event-ID',
    ],
    exposedHeaders: [
      'X-Correlation-Id',
      'Location',
      'Retry-After',
      'RateLimit-Limit',
      'RateLimit-Remaining',
      'RateLimit-Reset',
      'Deprecation',
      'Sunset',
      'Link',
    ],
    maxAge: 3600,
    strictPreflight: false,
  });
}

/** Mounts the services behind the gateway. */
export async function attachUpstreams(
  app: FastifyInstance,
  upstreams: Upstreams,
  tools: RelayTools,
  settings: GatewaySettings,
): Promise<void> {
  app.addHook('preClose', async () => {
    for (const stream of tools.openStreams) stream.abort();
  });
  await addSecurityHeaders(app, tools.site.publicUrl);
  await addCors(app, settings.GATEWAY_CORS_ORIGINS);
  await app.register(async (scope) => {
    // Bodies are left on the wire: they stream to the service.
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', (_request, _body, done) => done(null));
    mountAnalysis(scope, upstreams.analysis, tools, settings);
    mountIdentity(scope, upstreams.identity, tools, settings);
  });
}
