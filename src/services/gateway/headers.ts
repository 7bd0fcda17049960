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

/** Headers that callers may not send: the services behind trust them as the gateway's own. */
const GATEWAY_HEADERS = new Set([
  'forwarded',
  'via',
  'x-real-ip',
  'x-client-ip',
  'x-original-url',
  'x-rewrite-url',
  'x-http-method-override',
  // The gateway has checked the origin; the services behind know fewer allowed origins.
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
 * The headers in which the gateway describes itself to a service, the same for each request: names and values in turn. `prefix` is the part of the path taken off,
 * `secret` shows the services behind that it is the gateway.
 */
export function forwardedFrom(publicUrl: string, prefix: string, secret: string | undefined): string[] {
  const { protocol, host } = new URL(publicUrl);
  const always = ['x-forwarded-host', host, 'x-forwarded-proto', protocol.slice(0, -1)];
  const path = prefix === '' ? [] : ['x-forwarded-prefix', prefix];
  return [...always, ...path, ...(secret === undefined ? [] : [PROXY_SECRET_HEADER, secret])];
}

/** What a reverse proxy forwards of one request beside its own headers. */
export interface ForwardedFacts {
  readonly correlationId: string;
  readonly clientAddress: string;
  /** From `forwardedFrom`. */
  readonly forwarded: readonly string[];
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

/** The headers of a request as they go on to a service: names and values in turn. */
export function requestHeaders(incoming: IncomingHttpHeaders, facts: ForwardedFacts): string[] {
  const listed = listedIn(incoming.connection);
  const headers: string[] = [];
  for (const name of Object.keys(incoming)) {
    const value = incoming[name];
    if (value !== undefined && goesOn(name, listed)) headers.push(name, String(value));
  }
  headers.push('x-correlation-id', facts.correlationId, 'x-forwarded-for', facts.clientAddress);
  headers.push(...facts.forwarded);
  return headers;
}

/** Headers of the services' answers that the gateway replaces, or that reveal internals. */
const OWN_ANSWERS = new Set(['x-correlation-id', 'server', 'x-powered-by']);

type HeaderValue = number | string | string[];

/** Headers of an answer by their lower-case names. */
export type AnswerHeaders = Readonly<Record<string, HeaderValue | undefined>>;

function comesBack(name: string, listed: ReadonlySet<string>): boolean {
  return !(
    HOP_BY_HOP.has(name) ||
    listed.has(name) ||
    OWN_ANSWERS.has(name) ||
    name.startsWith('access-control-') ||
    name.startsWith('x-limpede-')
  );
}

/**
 * The headers of an answer, names and values in turn: those of the service, over the gateway's own for this answer, over those
 * that it gives everywhere. (A list costs a fraction of an object with as many names.)
 */
export function responseHeaders(
  everywhere: AnswerHeaders,
  own: AnswerHeaders,
  answered: IncomingHttpHeaders,
): HeaderValue[] {
  const listed = listedIn(answered.connection);
  const says = (name: string) => answered[name] !== undefined && comesBack(name, listed);
  const headers: HeaderValue[] = [];
  for (const name in everywhere) {
    const value = everywhere[name];
    if (value !== undefined && own[name] === undefined && !says(name)) headers.push(name, value);
  }
  for (const name in own) {
    const value = own[name];
    if (value !== undefined && !says(name)) headers.push(name, value);
  }
  for (const name in answered) {
    const value = answered[name];
    if (value === undefined || !comesBack(name, listed)) continue;
    const isAdded = name === 'vary' && own.vary !== undefined;
    headers.push(name, isAdded ? `${own.vary}, ${value}` : value);
  }
  return headers;
}
