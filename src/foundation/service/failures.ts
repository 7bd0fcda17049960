import type { Contract } from '../contract.ts';
import { Failure, failures } from '../errors.ts';
import type { Logger } from '../log.ts';
import { SenderLeftError } from './request-body.ts';

/** Failures of HTTP itself that every service may meet, in case its own table has no word for them. */
const httpFailures = failures({ bad_request: [400, 'The request could not be read.'] });

/** A request that HTTP itself does not allow; 400 also where the table's own word for bad input is 422. */
export function badRequest(contract: Contract, message: string | undefined): Failure {
  const options = message === undefined ? {} : { message };
  const known = contract.errors.validation_failed(options);
  return known.status === 422 ? httpFailures.bad_request(options) : known;
}

/** Every thrown thing as a failure of the table; what is nobody's word becomes internal_error and is logged. */
export function toFailure(error: unknown, contract: Contract, log: Logger): Failure {
  if (error instanceof Failure) return error;
  if (error instanceof SenderLeftError) return badRequest(contract, error.message);
  const code = (error as { code?: unknown } | null)?.code;
  const status = (error as { statusCode?: unknown } | null)?.statusCode;
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return contract.errors.payload_too_large();
  if (code === 'FST_ERR_MAX_PARAM_LENGTH') return contract.errors.not_found();
  if (typeof status === 'number' && status >= 400 && status < 500)
    return badRequest(contract, error instanceof Error ? error.message : undefined);
  log.error({ err: error }, 'a request failed unexpectedly');
  return contract.errors.internal_error({ cause: error });
}
