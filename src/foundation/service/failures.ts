import type { Contract } from '../contract.ts';
import { DatabaseUnavailableError } from '../database/engine.ts';
import { DeadlineError } from '../deadline.ts';
import { defineFailures, Failure } from '../errors.ts';
import { isDiskFull } from '../start-error.ts';
import type { Call } from './call.ts';
import { ClientDisconnectedError } from './request-body.ts';

/** Failures of HTTP itself, for services whose own table lacks them. */
const httpFailures = defineFailures({ bad_request: [400, 'The request could not be read.'] });

/** A malformed HTTP request: 400, also where the table uses 422 for invalid input. */
export function badRequest(contract: Contract, message: string | undefined): Failure {
  const options = message === undefined ? {} : { message };
  const known = contract.errors.validation_failed(options);
  return known.status === 422 ? httpFailures.bad_request(options) : known;
}

/** Seconds after which a caller may try again when nothing could be stored or read. */
const STORAGE_RETRY_AFTER = '5';

/** What is answered when nothing can be stored or read at the moment, whatever was asked. */
export function storageFailure({ errors }: Contract, cause?: unknown): Failure {
  const make = errors.service_unavailable ?? errors.shutting_down;
  return make({ headers: { 'Retry-After': STORAGE_RETRY_AFTER }, cause });
}

/** Whether the framework gave up a body because it is larger than allowed: its rest may still be arriving. */
export const isBodyTooLarge = (error: unknown): boolean =>
  (error as { code?: unknown } | null)?.code === 'FST_ERR_CTP_BODY_TOO_LARGE';

/** What streams and signals throw when the other end closes. */
const DISCONNECTED = new Set(['ERR_STREAM_PREMATURE_CLOSE', 'ABORT_ERR', 'AbortError']);

/** Whether an error says no more than that the caller, who has left, closed the connection. */
function comesFromLeaving(error: unknown, { signal }: Pick<Call, 'signal'>): boolean {
  if (error instanceof ClientDisconnectedError) return true;
  if (error instanceof DeadlineError) return error.reason === 'aborted';
  if (!(error instanceof Error) || !signal.aborted) return false;
  return DISCONNECTED.has(error.name) || DISCONNECTED.has(String((error as NodeJS.ErrnoException).code));
}

/** Turns any thrown error into a failure of the table; unknown errors become internal_error and are logged. */
export function toFailure(error: unknown, contract: Contract, call: Pick<Call, 'log' | 'signal'>): Failure {
  if (error instanceof Failure) return error;
  // Nobody reads the answer.
  if (comesFromLeaving(error, call)) return badRequest(contract, new ClientDisconnectedError().message);
  const code = (error as { code?: unknown } | null)?.code;
  const status = (error as { statusCode?: unknown } | null)?.statusCode;
  if (isBodyTooLarge(error)) return contract.errors.payload_too_large();
  if (code === 'FST_ERR_MAX_PARAM_LENGTH') return contract.errors.not_found();
  if (typeof status === 'number' && status >= 400 && status < 500)
    return badRequest(contract, error instanceof Error ? error.message : undefined);
  if (error instanceof DatabaseUnavailableError || isDiskFull(error)) {
    call.log.error({ err: error }, 'a request failed because the storage is in trouble');
    return storageFailure(contract, error);
  }
  call.log.error({ err: error }, 'a request failed unexpectedly');
  return contract.errors.internal_error({ cause: error });
}
