import type { IncomingHttpHeaders } from 'node:http';
import { PROXY_SECRET_HEADER } from '../../foundation/trusted-proxy.ts';

/** Headers that concern one connection only (RFC 9110, section 7.6.1). */
const HOP_BY_HOP = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** What a caller may not tell the services behind: it would be taken for the gateway's own word. */
const GATEWAY_HEADERS = new Set([
  'forwarded',
  'via',
  'x-real-ip',
  'x-client-ip',
  'x-original-url',
  'x-rewrite-url',
  'x-http-method-override',
  // The gateway has judged it; a service behind could only judge it by fewer settings.
  'origin',
  'x-correlation-id',
]);
const GATEWAY_PREFIXES = ['x-forwarded-', 'x-limpede-'];

/** Made anew for each connection. */
const CONNECTION_FACTS = new Set(['host', 'content-length', 'expect']);

const NONE: ReadonlySet<string> = new Set();

/** Further headers that a Connection header makes its own. */
function listedIn(connection: string | string[] | undefined): ReadonlySet<string> {
  if (connection === undefined || connection === 'keep-alive' || connection === 'close') return NONE;
  const names = String(connection ?? '').split(',');
  return new Set(names.map((name) => name.trim().toLowerCase()));
}

/**
 * What the gateway tells a service of itself, the same for each request. `prefix` is the part of the path taken off,
 * `secret` shows the services behind that it is the gateway.
 */
export function forwardedFrom(
  publicUrl: string,
  prefix: string,
  secret: string | undefined,
): Record<string, string> {
  const { protocol, host } = new URL(publicUrl);
  return {
    'x-forwarded-host': host,
    'x-forwarded-proto': protocol.slice(0, -1),
    ...(prefix !== '' && { 'x-forwarded-prefix': prefix }),
    ...(secret !== undefined && { [PROXY_SECRET_HEADER]: secret }),
  };
}

/** What a reverse proxy forwards of one request beside its own headers. */
export interface ForwardedFacts {
  readonly correlationId: string;
  readonly clientAddress: string;
  /** From `forwardedFrom`. */
  readonly forwarded: Record<string, string>;
}

function goesOn(name: string, listed: ReadonlySet<string>): boolean {
  return !(
    HOP_BY_HOP.has(name) ||
    listed.has(name) ||
    GATEWAY_HEADERS.has(name) ||
    CONNECTION_FACTS.has(name) ||
    GATEWAY_PREFIXES.some((prefix) => name.startsWith(prefix))
  );
}

/** The headers of a request as they go on to a service. */
export function requestHeaders(incoming: IncomingHttpHeaders, facts: ForwardedFacts): Record<string, string> {
  const listed = listedIn(incoming.connection);
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(incoming))
    if (value !== undefined && goesOn(name, listed)) headers[name] = String(value);
  headers['x-correlation-id'] = facts.correlationId;
  headers['x-forwarded-for'] = facts.clientAddress;
  return Object.assign(headers, facts.forwarded);
}

/** Answers of the services that the gateway gives itself, or that tell strangers more than they need. */
const OWN_ANSWERS = new Set(['x-correlation-id', 'server', 'x-powered-by']);

/** Headers of an answer by their lower-case names. */
export type AnswerHeaders = Record<string, number | string | string[]>;

function comesBack(name: string, listed: ReadonlySet<string>): boolean {
  return !(
    HOP_BY_HOP.has(name) ||
    listed.has(name) ||
    OWN_ANSWERS.has(name) ||
    name.startsWith('access-control-') ||
    name.startsWith('x-limpede-')
  );
}

/** The headers of an answer: over the gateway's own, which are changed, those of the service. */
export function responseHeaders(headers: AnswerHeaders, answered: IncomingHttpHeaders): AnswerHeaders {
  const listed = listedIn(answered.connection);
  const { vary } = headers;
  for (const [name, value] of Object.entries(answered))
    if (value !== undefined && comesBack(name, listed)) headers[name] = value;
  if (vary !== undefined && answered.vary !== undefined) headers.vary = `${vary}, ${answered.vary}`;
  return headers;
}
