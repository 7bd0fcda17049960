import { failures } from '../../foundation/errors.ts';

/** Statuses that a repeated request would meet again. */
const FINAL_STATUSES: ReadonlySet<number> = new Set([400, 401, 404, 413, 422]);

function headersOf(status: number): Record<string, string> {
  return {
    ...(FINAL_STATUSES.has(status) && { 'x-should-retry': 'false' }),
    ...(status === 401 && { 'www-authenticate': 'Bearer' }),
    ...((status === 429 || status === 503) && { 'retry-after': '1' }),
  };
}

/** Everything that this service may answer besides success. */
export const errors = failures(
  {
    validation_failed: [422, 'The request is not valid.'],
    invalid_json: [422, 'The body is not valid JSON.'],
    payload_too_large: [413, 'The body is too large.'],
    not_found: [404, 'There is no such operation.'],
    model_not_found: [404, 'There is no such model.'],
    request_refused: [400, 'The backend refused the request.'],
    authentication_required: [401, 'A valid bearer token is required.'],
    rate_limited: [429, 'Too much work of this caller is waiting.'],
    upstream_rate_limited: [429, 'The backend limits the rate of requests.'],
    backend_failed: [502, 'The backend gave no usable answer.'],
    internal_error: [500, 'An internal error occurred.'],
    overloaded: [503, 'Too much work is waiting.'],
    backend_unavailable: [503, 'The backend is not available.'],
    shutting_down: [503, 'The service is shutting down.'],
  },
  headersOf,
);
