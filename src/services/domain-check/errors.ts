import { defineFailures } from '../../foundation/errors.ts';

/** Everything that the domain check may answer besides success. */
export const errors = defineFailures({
  validation_failed: [422, 'The request is not valid.'],
  invalid_json: [422, 'The body is not valid JSON.'],
  payload_too_large: [413, 'The body is too large.'],
  not_found: [404, 'There is no such operation.'],
  internal_error: [500, 'An internal error occurred.'],
  shutting_down: [503, 'The service is shutting down.'],
});
