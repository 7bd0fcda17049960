import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from '../../../foundation/log.ts';
import { disableBodyParsing } from '../../../foundation/service/operations.ts';
import type { AbortableAnswer } from '../answer.ts';
import { clientAddress } from '../client-address.ts';
import { errors } from '../errors.ts';
import { type AnswerHeaders, forwardedFrom, requestHeaders } from '../headers.ts';
import { type Mount, type MountedRoute, mountedRoutes } from '../mounts.ts';
import { relay } from '../relay.ts';
import type { RequestGuard } from '../request-guard.ts';
import type { GatewaySettings } from '../settings.ts';
import { targetPath } from '../target-path.ts';
import type { Upstream } from '../upstream.ts';
import { addCors, addSecurityHeaders } from './browser-headers.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The name in the request metrics. */
    operation?: string;
  }
}

/** What relaying needs beside the services. */
export interface RelayDependencies {
  readonly guard: RequestGuard;
  readonly publicUrl: string;
  readonly log: Logger;
  /** Event streams that are open, to be ended when the gateway stops. */
  readonly openStreams: Set<AbortableAnswer>;
}

/** The same with the headers of every answer. */
interface Relaying extends RelayDependencies {
  readonly security: AnswerHeaders;
}

type RelayHandler = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>;

function addressOf(request: FastifyRequest, settings: GatewaySettings): string {
  const forwarded = request.headers['x-forwarded-for'];
  const peer = request.raw.socket.remoteAddress ?? '';
  return clientAddress(
    peer,
    forwarded === undefined ? undefined : String(forwarded),
    settings.GATEWAY_TRUSTED_PROXIES,
  );
}

/** Checks and counts the caller of a request before its body is read. */
function guardOf(
  { callers, heartbeatMs }: MountedRoute,
  isLoginPage: boolean,
  { guard }: RelayDependencies,
  settings: GatewaySettings,
) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const address = addressOf(request, settings);
    const realm = callers === 'admins' ? 'admins' : undefined;
    const { name, headers } =
      callers !== 'anybody'
        ? await guard.known(request.headers, address, realm)
        : isLoginPage && request.method === 'POST'
          ? await guard.login(address)
          : await guard.anybody(address);
    reply.headers(headers);
    if (heartbeatMs !== undefined) reply.raw.once('close', guard.openStream(name));
  };
}

function relayHandler(
  mount: Mount,
  { bodyBytes, heartbeatMs, callers }: MountedRoute,
  upstream: Upstream,
  { guard, publicUrl, openStreams, log, security }: Relaying,
  settings: GatewaySettings,
): RelayHandler {
  const prefix = mount.keepsPrefix === true ? '' : mount.prefix;
  const stripped = prefix.split('/').length - 1;
  const forwarded = forwardedFrom(publicUrl, prefix, settings.GATEWAY_INTERNAL_TOKEN);
  return async (request, reply) => {
    const path = targetPath(request.raw.url ?? '/', stripped);
    if (path === undefined) throw errors.not_found();
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
      everywhere: security,
      own: () => reply.getHeaders(),
      answered: (status: number, answered: IncomingHttpHeaders) => {
        if (callers !== 'anybody') guard.answered(request.headers, status, answered);
      },
      limits: { bytes: bodyBytes, pauseMs: settings.GATEWAY_BODY_PAUSE_MS },
      heartbeatMs,
      claim: () => void reply.hijack(),
      openStreams,
      facts: { upstream: upstream.name, correlation_id: correlationId },
      log,
    };
    return (await relay(exchange)) ? reply : reply.hijack();
  };
}

function mountService(
  scope: FastifyInstance,
  mount: Mount,
  upstream: Upstream,
  dependencies: Relaying,
  settings: GatewaySettings,
): void {
  const { contract, prefix } = mount;
  const limits = {
    bodyBytes: settings.GATEWAY_BODY_LIMIT,
    uploadBytes: settings.GATEWAY_UPLOAD_LIMIT,
  };
  for (const route of mountedRoutes(mount, limits))
    scope.route({
      method: [...route.methods],
      url: route.path,
      config: { operation: route.name },
      onRequest: guardOf(route, mount.callers === 'anybody', dependencies, settings),
      handler: relayHandler(mount, route, upstream, dependencies, settings),
    });
  if (mount.callers === 'anybody') return;
  // Only below its own folder does the page find its parts under a prefix.
  const config = { operation: contract.name };
  scope.get(`${prefix}/docs`, { config }, (_request, reply) => reply.redirect('docs/', 308));
}

/** Mounts the services behind the gateway; bodies are left on the wire and stream to them. */
export async function mountServices(
  app: FastifyInstance,
  services: readonly { readonly mount: Mount; readonly upstream: Upstream }[],
  dependencies: RelayDependencies,
  settings: GatewaySettings,
): Promise<void> {
  app.addHook('preClose', async () => {
    for (const stream of dependencies.openStreams) stream.abort();
  });
  const relaying = { ...dependencies, security: await addSecurityHeaders(app, dependencies.publicUrl) };
  await addCors(app, settings.GATEWAY_CORS_ORIGINS);
  await app.register(async (scope) => {
    disableBodyParsing(scope);
    for (const { mount, upstream } of services) mountService(scope, mount, upstream, relaying, settings);
  });
}
