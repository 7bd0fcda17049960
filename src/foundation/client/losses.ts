import { errors } from 'undici';

/** Why a call to a dependency was lost. */
export type LossReason = 'timeout' | 'unavailable' | 'rate_limited' | 'invalid_answer';

/** A lost call: the dependency failed, or gave no usable answer. */
export interface Loss {
  dependency: string;
  reason: LossReason;
  message: string;
}

/** A refusal by a dependency that works: any 4xx but 401, 408 and 429. */
export interface Refusal {
  dependency: string;
  status: number;
  /** Parsed when it was JSON, else undefined. */
  body: unknown;
}

/** A call without a usable answer. */
export class LostCallError extends Error {
  readonly reason: LossReason;

  constructor(reason: LossReason, message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}

/** A lost call that counts against the dependency's health: the only kind that the breaker counts. */
export class FailedCallError extends LostCallError {}

/** A call that its caller aborted; says nothing about the dependency. */
export class CallerAbortedError extends Error {
  constructor() {
    super('the caller left');
  }
}

/** A call that the dependency refused. */
export class RefusedCallError extends Error {
  readonly status: number;
  readonly body: unknown;

  constructor(status: number, body: unknown) {
    super(`refused with status ${status}`);
    this.status = status;
    this.body = body;
  }
}

/** Everything the transport may throw is a failure of the dependency, except an answer beyond our limit. */
export function rethrowTransport(error: unknown): never {
  if (error instanceof errors.ResponseExceededMaxSizeError) {
    throw new LostCallError('invalid_answer', 'the answer is too large', { cause: error });
  }
  if (error instanceof errors.ConnectTimeoutError) {
    throw new FailedCallError('timeout', 'no connection in time', { cause: error });
  }
  throw new FailedCallError('unavailable', 'the connection failed', { cause: error });
}

/** The error of an answer that is no success. */
export function statusError(status: number, body: unknown): Error {
  if (status === 429) return new LostCallError('rate_limited', 'too many requests');
  if (status === 401) return new LostCallError('unavailable', 'our token is missing or refused');
  if (status === 408 || status === 504)
    return new FailedCallError('timeout', `answered with status ${status}`);
  if (status >= 400 && status < 500) return new RefusedCallError(status, body);
  if (status >= 500) return new FailedCallError('unavailable', `answered with status ${status}`);
  return new LostCallError('invalid_answer', `answered with status ${status}`);
}
