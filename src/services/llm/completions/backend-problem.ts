import type { Failure } from '../../../foundation/errors.ts';
import type { ResponseHead } from '../backends/backend.ts';
import { errorReason } from '../backends/error-reason.ts';
import type { BackendName, CompletionOperation } from '../contract.ts';
import { errors } from '../errors.ts';
import { type ErrorObject, retryHeaders, VendorError } from '../wire/error-body.ts';

/** Why a backend did not complete a request, and what to do about it. */
export interface BackendProblem {
  /** The answer to the caller when nothing else helps. */
  readonly failure: Failure;
  /** The same backend may do better on a second try. */
  readonly retryable: boolean;
  /** Another backend may do better. */
  readonly fallback: boolean;
  /** What this says about the health of the backend. */
  readonly verdict: 'failed' | 'worked' | 'unknown';
  /** Milliseconds that the backend asks to wait before the next try. */
  readonly retryAfterMs: number | undefined;
}

/** Texts of backends are cut to so many characters before they reach a caller. */
const LONGEST_VENDOR_TEXT = 2000;
/** A backend that limits its rate without saying for how long is asked again after this many milliseconds. */
const DEFAULT_RETRY_AFTER_MS = 1000;
/** Statuses after which the same backend may do better on another try. */
const RETRYABLE_STATUSES = new Set([408, 409, 425, 429, 500, 502, 503, 504, 520, 522, 524, 529]);
const KEY_STATUSES = new Set([401, 402, 403]);
const NO_ROUTE_STATUSES = new Set([404, 405, 501]);

function cut(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value.slice(0, LONGEST_VENDOR_TEXT) : undefined;
}

/** The error object inside the body of a refusal, under the names that servers give it. */
export function vendorError(body: Buffer): ErrorObject | undefined {
  let parsed: unknown;
  try {
    parsed = JSON.parse(body.toString('utf8'));
  } catch {
    return undefined;
  }
  if (typeof parsed !== 'object' || parsed === null) return undefined;
  const outer = parsed as Record<string, unknown>;
  const error = typeof outer.error === 'object' && outer.error !== null ? outer.error : outer;
  const fields = error as Record<string, unknown>;
  const message = cut(fields.message) ?? cut(outer.error) ?? cut(outer.detail);
  if (message === undefined) return undefined;
  const { code } = fields;
  return {
    message,
    type: cut(fields.type) ?? 'invalid_request_error',
    code: typeof code === 'number' ? code : (cut(code) ?? null),
    param: cut(fields.param) ?? null,
  };
}

/** The problem of an answer whose status is no success. */
export function problemOfAnswer(
  backend: BackendName,
  operation: CompletionOperation,
  head: ResponseHead,
  body: Buffer,
): BackendProblem {
  const { status, retryAfterMs } = head;
  const vendor = vendorError(body);
  const message = vendor?.message ?? `The ${backend} backend answered ${status}.`;
  const cause = vendor === undefined ? undefined : new VendorError(vendor);
  const base = { retryAfterMs, retryable: RETRYABLE_STATUSES.has(status) };
  if (status === 429) {
    const headers = retryHeaders(retryAfterMs ?? DEFAULT_RETRY_AFTER_MS);
    const failure = errors.upstream_rate_limited({ message, headers, cause });
    return { ...base, failure, fallback: true, verdict: 'unknown' };
  }
  if (KEY_STATUSES.has(status)) {
    // The text of the provider may repeat a part of the key: it stays here.
    const text = `The ${backend} backend refused the key of the gateway (${status}).`;
    return {
      ...base,
      failure: errors.completion_failed({ message: text }),
      fallback: true,
      verdict: 'unknown',
    };
  }
  if (
    status === 501 ||
    (operation === 'complete' && NO_ROUTE_STATUSES.has(status) && !/model/i.test(message))
  ) {
    const text = `The ${backend} backend offers no ${operation === 'chat' ? 'chat' : 'text'} completions.`;
    return { ...base, failure: errors.not_supported({ message: text }), fallback: true, verdict: 'worked' };
  }
  if (status >= 400 && status < 500) {
    const failure = errors.invalid_parameter({ message, cause });
    return { ...base, failure, fallback: status === 404, verdict: 'worked' };
  }
  const headers = retryAfterMs === undefined ? {} : retryHeaders(retryAfterMs);
  const text = vendor === undefined ? message : `The ${backend} backend answered ${status}: ${message}`;
  const failure = errors.completion_failed({ message: text, headers, cause });
  return { ...base, failure, fallback: true, verdict: 'failed' };
}

/** The status that an error object names; 500 when it names none. */
function statedStatus({ code }: ErrorObject): number {
  const status = Number(code);
  return Number.isInteger(status) && status >= 400 && status < 600 ? status : 500;
}

/** The problem of an error that came behind a 200; undefined when the JSON text is no error. */
export function problemOfError(
  backend: BackendName,
  operation: CompletionOperation,
  body: Buffer,
): BackendProblem | undefined {
  const vendor = vendorError(body);
  if (vendor === undefined) return undefined;
  const head = { status: statedStatus(vendor), contentType: '', retryAfterMs: undefined };
  return problemOfAnswer(backend, operation, head, body);
}

/** The problem of a connection that could not be made, or broke. */
export function problemOfConnection(backend: BackendName, error: unknown): BackendProblem {
  const message = `The ${backend} backend could not be reached: ${errorReason(error)}.`;
  const failure = errors.completion_failed({ message, cause: error });
  return { failure, retryable: true, fallback: true, verdict: 'failed', retryAfterMs: undefined };
}

/** The problem of a backend that stays silent: asking it again would take as long again. */
export function silenceProblem(backend: BackendName): BackendProblem {
  const failure = errors.completion_failed({ message: `The ${backend} backend did not answer in time.` });
  return { failure, retryable: false, fallback: true, verdict: 'failed', retryAfterMs: undefined };
}

/** The problem of an answer that is no completion. */
export function problemOfContent(backend: BackendName, what: string): BackendProblem {
  const failure = errors.completion_failed({ message: `The ${backend} backend ${what}.` });
  return { failure, retryable: true, fallback: true, verdict: 'failed', retryAfterMs: undefined };
}

/** The problem of a backend whose circuit is open. */
export function openCircuitProblem(backend: BackendName, waitMs: number): BackendProblem {
  const message = `The ${backend} backend failed repeatedly and is given time to recover.`;
  const failure = errors.backend_open({ message, headers: retryHeaders(waitMs) });
  return { failure, retryable: false, fallback: true, verdict: 'unknown', retryAfterMs: undefined };
}
