import { defineFailures, type Failures, type FailureTable } from '../errors.ts';

/** Statuses that a retry would get again; a header asks OpenAI-style clients not to retry. */
const FINAL_STATUSES: ReadonlySet<number> = new Set([400, 401, 404, 413, 422, 501]);

/** Headers that go with the failures of a service for models, by status. */
export function modelServiceHeaders(status: number): Record<string, string> {
  return {
    ...(FINAL_STATUSES.has(status) && { 'x-should-retry': 'false' }),
    ...(status === 401 && { 'www-authenticate': 'Bearer' }),
  };
}

const TABLE = {
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
} as const satisfies FailureTable;

/** What every service that runs models for callers may answer besides success. */
export type ModelServiceFailures = Failures<typeof TABLE>;

/** The error table of a service that runs models for callers, with what it alone may answer. */
export function modelServiceFailures<const More extends FailureTable>(
  more: More,
): Failures<typeof TABLE & More> {
  return defineFailures({ ...TABLE, ...more }, (status) => ({
    ...modelServiceHeaders(status),
    ...((status === 429 || status === 503) && { 'retry-after': '1' }),
  }));
}
