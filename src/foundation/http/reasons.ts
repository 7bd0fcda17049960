import { errors } from 'undici';

/** Reasons of failed guarded fetches, each with its message for callers; no other text reaches them. */
export const FETCH_REASONS = {
  url_not_allowed: 'The address is not allowed.',
  dns_failed: 'The name of the host could not be resolved.',
  connection_failed: 'The host could not be reached.',
  tls_failed: 'No trusted encrypted connection to the host could be made.',
  timeout: 'The host did not answer in time.',
  too_large: 'The answer is larger than the limit.',
  unsupported_type: 'The answer is of a type that is not read.',
  decoding_failed: 'The answer is damaged or its encoding is unknown.',
  too_many_redirects: 'The address is redirected too often.',
  invalid_answer: 'The host does not answer in proper HTTP.',
  rate_limited: 'Too many requests to this host are waiting.',
  aborted: 'The request was withdrawn.',
} as const;

/** Reason code of a refused or failed fetch. */
export type FetchReason = keyof typeof FETCH_REASONS;

/** Thrown inside the guard; never reaches its callers. */
export class FetchError extends Error {
  readonly reason: FetchReason;

  constructor(reason: FetchReason, message: string = FETCH_REASONS[reason], options?: ErrorOptions) {
    super(message, options);
    this.name = 'FetchError';
    this.reason = reason;
  }
}

const TIMEOUT_CODES = new Set([
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
  'ETIMEDOUT',
]);
const NAME_CODES = new Set(['ENOTFOUND', 'EAI_AGAIN', 'EAI_NODATA', 'EAI_FAIL', 'ENODATA', 'ESERVFAIL']);
const TLS_CODES =
  /^(ERR_TLS_|ERR_SSL_|CERT_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|HOSTNAME_MISMATCH|INVALID_CA|EPROTO$)/;
const PROTOCOL_CODES = /^(HPE_|UND_ERR_(HEADERS_OVERFLOW|RES_CONTENT_LENGTH_MISMATCH|INVALID))/;
const DECODING_CODES = /^(Z_|ERR_BROTLI_|ERR__ERROR_FORMAT|ERR_PADDING)/;

function codesOf(error: unknown, depth = 0): string[] {
  if (!(error instanceof Error) || depth > 4) return [];
  const own = 'code' in error && typeof error.code === 'string' ? [error.code] : [];
  const inner = error instanceof AggregateError ? error.errors : [];
  return [...own, ...[error.cause, ...inner].flatMap((each) => codesOf(each, depth + 1))];
}

/** The reason for an error of the HTTP client, the resolver, TLS or zlib. */
export function reasonOf(error: unknown): FetchReason {
  if (error instanceof FetchError) return error.reason;
  if (error instanceof errors.HTTPParserError) return 'invalid_answer';
  const codes = codesOf(error);
  if (codes.includes('UND_ERR_RES_EXCEEDED_MAX_SIZE')) return 'too_large';
  if (codes.some((code) => TIMEOUT_CODES.has(code))) return 'timeout';
  if (codes.some((code) => NAME_CODES.has(code))) return 'dns_failed';
  if (codes.some((code) => TLS_CODES.test(code))) return 'tls_failed';
  if (codes.some((code) => PROTOCOL_CODES.test(code))) return 'invalid_answer';
  if (codes.some((code) => DECODING_CODES.test(code))) return 'decoding_failed';
  return 'connection_failed';
}
