import { defineFailures } from '../../foundation/errors.ts';

/** Everything that the verification cache may answer besides success. */
export const errors = defineFailures(
  {
    validation_failed: [422, 'The request is not valid.'],
    invalid_json: [400, 'The body is not JSON.'],
    authentication_required: [401, 'A valid bearer token is needed.'],
    not_found: [404, 'There is no such operation.'],
    fact_not_found: [404, 'There is no such fact.'],
    fact_locked: [409, 'The fact is locked.'],
    payload_too_large: [413, 'The body is too large.'],
    rate_limited: [429, 'Too many requests; try again later.'],
    internal_error: [500, 'Something went wrong.'],
    provider_error: [502, 'The web evidence service gave no usable answer.'],
    service_unavailable: [503, 'The web evidence service is not available, or too much is waiting.'],
    shutting_down: [503, 'The service is shutting down.'],
    timeout: [504, 'The evidence was not gathered in time.'],
  },
  (status): Record<string, string> => (status === 401 ? { 'www-authenticate': 'Bearer' } : {}),
);
