import type { Failure } from '../../foundation/errors.ts';

/** Error codes of this API for codes of the foundation. */
const WIRE_CODES: Readonly<Record<string, string>> = {
  validation_failed: 'validation_error',
  invalid_json: 'validation_error',
  bad_request: 'validation_error',
  shutting_down: 'service_unavailable',
};

/** The cause of failures of search providers; the error body names the provider. */
export class ProviderFault extends Error {
  readonly provider: string;

  constructor(provider: string) {
    super(`${provider} gave nothing`);
    this.provider = provider;
  }
}

/** The error body of this service: `detail` with error, message and provider. */
export function errorBody(failure: Failure): Record<string, unknown> {
  const problems = failure.details.map(({ path, message }) => ({ path: path.join('.'), message }));
  const [first] = problems;
  return {
    detail: {
      error: WIRE_CODES[failure.code] ?? failure.code,
      message: first === undefined ? failure.message : `${first.path}: ${first.message}`,
      provider: failure.cause instanceof ProviderFault ? failure.cause.provider : null,
      ...(problems.length > 0 && { problems }),
    },
  };
}
