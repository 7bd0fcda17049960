import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { isIP } from 'node:net';

/** The host names under which a service answers, and the origins whose pages may call it from a browser. */
export interface HostPolicy {
  /** Names, beside IP addresses and localhost, under which this process is reached; lower case. */
  readonly hosts: ReadonlySet<string>;
  /** Origins whose pages may send requests, such as `https://limpede.example`. */
  readonly origins: ReadonlySet<string>;
}

/** Answered under any host name, for probes and scrapers: they hold nothing of use to a hostile page. */
const OPEN_PATHS: ReadonlySet<string> = new Set(['/health', '/ready', '/metrics']);
const HOST = /^(\[[^\]]+\]|[^:[\]]+)(?::\d{1,5})?$/;
const EXTENSION = /^(?:chrome|moz|safari-web|ms-browser)-extension:\/\//;
const JSON_TYPE = /^application\/(?:[\w.+-]+\+)?json$/;

/** How often a header was sent; Node keeps the first of some and drops the rest. */
function countOf(name: string, { rawHeaders }: IncomingMessage): number {
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const sent = rawHeaders[index];
    if (sent?.length === name.length && sent.toLowerCase() === name) count += 1;
  }
  return count;
}

/** Whether a Host is one of ours: a page that points its own name at our address (DNS rebinding) sends that name. */
function isOurs(host: string, { hosts }: HostPolicy): boolean {
  const name = HOST.exec(host.toLowerCase())?.[1]?.replace(/\.$/, '');
  if (name === undefined) return false;
  return name === 'localhost' || isIP(name.replace(/^\[|\]$/g, '')) !== 0 || hosts.has(name);
}

/** Whether a page of an origin may ask: ours, one of the settings, or an extension that brings a key. */
function mayAsk(origin: string, { headers, method }: IncomingMessage, { origins }: HostPolicy): boolean {
  if (method === 'OPTIONS' || origins.has(origin)) return true;
  if (EXTENSION.test(origin)) return headers['x-api-key'] !== undefined;
  return URL.canParse(origin) && new URL(origin).host === headers.host?.toLowerCase();
}

/** The problem of a request by its headers alone; undefined when there is none. */
export function requestProblem(request: IncomingMessage, hostPolicy: HostPolicy): string | undefined {
  const { headers, url = '' } = request;
  if (countOf('host', request) !== 1) return 'The request needs one Host header.';
  if (countOf('authorization', request) > 1) return 'The request has more than one Authorization header.';
  if (headers.expect !== undefined && headers.expect.toLowerCase() !== '100-continue')
    return 'The expectation in the Expect header is not known.';
  if (!OPEN_PATHS.has(url.split('?', 1)[0] ?? '') && !isOurs(headers.host ?? '', hostPolicy))
    return 'The Host is not a name of this installation; LIMPEDE_ALLOWED_HOSTS can add it.';
  if (headers.origin !== undefined && !mayAsk(headers.origin, request, hostPolicy))
    return 'Pages of this Origin may not send requests here; GATEWAY_CORS_ORIGINS can add it.';
  return undefined;
}

/** Whether a request carries a body. */
export function hasBody({ headers }: Pick<IncomingMessage, 'headers'>): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/**
 * Why a body cannot be read as JSON by its headers; undefined when it can. Pages may send forms and plain text anywhere
 * without being asked first: JSON under its own name they may not.
 */
export function jsonBodyProblem(headers: IncomingHttpHeaders): string | undefined {
  const [type = '', ...parameters] = (headers['content-type'] ?? '').toLowerCase().split(';');
  if (!JSON_TYPE.test(type.trim())) return 'The Content-Type of the body must be application/json.';
  const charset = parameters
    .map((parameter) => /^\s*charset="?([\w-]+)"?\s*$/.exec(parameter)?.[1])
    .find(Boolean);
  if (charset !== undefined && charset !== 'utf-8' && charset !== 'utf8')
    return 'The charset of the body must be utf-8.';
  const encoding = headers['content-encoding']?.trim().toLowerCase() ?? 'identity';
  return encoding === 'identity' || encoding === ''
    ? undefined
    : 'The Content-Encoding of the body is not known.';
}
