import type { IncomingHttpHeaders } from 'node:http';

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
const GATEWAY_WORDS = new Set([
  'forwarded',
  'via',
  'x-real-ip',
  'x-client-ip',
  'x-original-url',
  'x-rewrite-url',
  'x-http-method-override',
  'x-correlation-id',
]);
const GATEWAY_PREFIXES = ['x-forwarded-', 'x-limpede-'];

/** Made anew for each connection. */
const CONNECTION_FACTS = new Set(['host', 'content-length', 'expect']);

function listedIn(connection: string | string[] | undefined): Set<string> {
  const names = String(connection ?? '').split(',');
  return new Set(names.map((name) => name.trim().toLowerCase()));
}

/** What the gateway tells the services behind it. */
export interface GatewayWord {
  readonly correlationId: string;
  readonly clientAddress: string;
  readonly publicUrl: string;
  /** The part of the path that was taken off. */
  readonly prefix: string;
}

/** The headers of a request as they go on to a service. */
export function requestHeaders(incoming: IncomingHttpHeaders, word: GatewayWord): Record<string, string> {
  const listed = listedIn(incoming.connection);
  const kept = Object.entries(incoming).filter(
    (entry): entry is [string, string | string[]] =>
      entry[1] !== undefined &&
      !HOP_BY_HOP.has(entry[0]) &&
      !listed.has(entry[0]) &&
      !GATEWAY_WORDS.has(entry[0]) &&
      !CONNECTION_FACTS.has(entry[0]) &&
      !GATEWAY_PREFIXES.some((prefix) => entry[0].startsWith(prefix)),
  );
  const { protocol, host } = new URL(word.publicUrl);
  return {
    ...Object.fromEntries(kept.map(([name, value]) => [name, String(value)])),
    'x-correlation-id': word.correlationId,
    'x-forwarded-for': word.clientAddress,
    'x-forwarded-host': host,
    'x-forwarded-proto': protocol.slice(0, -1),
    ...(word.prefix !== '' && { 'x-forwarded-prefix': word.prefix }),
  };
}

/** Answers of the services that the gateway gives itself, or that tell strangers more than they need. */
const OWN_ANSWERS = new Set(['x-correlation-id', 'server', 'x-powered-by']);

/** Headers of an answer by their lower-case names. */
export type AnswerHeaders = Record<string, number | string | string[]>;

/** The headers of an answer: the gateway's own, and over them those of the service. */
export function responseHeaders(own: AnswerHeaders, answered: IncomingHttpHeaders): AnswerHeaders {
  const listed = listedIn(answered.connection);
  const kept = Object.entries(answered).filter(
    (entry): entry is [string, string | string[]] =>
      entry[1] !== undefined &&
      !HOP_BY_HOP.has(entry[0]) &&
      !listed.has(entry[0]) &&
      !OWN_ANSWERS.has(entry[0]) &&
      !entry[0].startsWith('access-control-'),
  );
  const vary = [own.vary, answered.vary].filter((value) => value !== undefined).join(', ');
  return { ...own, ...Object.fromEntries(kept), ...(vary !== '' && { vary }) };
}
