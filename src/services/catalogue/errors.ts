import { defineFailures } from '../../foundation/errors.ts';

/** The error table of the catalogue. */
export const errors = defineFailures({
  validation_failed: [400, 'The request is not valid.'],
  invalid_json: [400, 'The body is not valid JSON.'],
  not_found: [404, 'There is nothing at this address.'],
  method_not_allowed: [405, 'This address does not know that method; Allow names those that it knows.'],
  payload_too_large: [413, 'The body is too large.'],
  internal_error: [500, 'Something went wrong here; the correlation id helps to find it.'],
  shutting_down: [503, 'The service is stopping; try again shortly.'],
});
