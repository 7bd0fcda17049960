import { defineFailures } from '../../foundation/errors.ts';

/** Everything that the web service may answer besides success. */
export const errors = defineFailures({
  validation_failed: [422, 'The request is not valid.'],
  invalid_json: [400, 'The body is not JSON.'],
  authentication_required: [401, 'A valid bearer token is needed.'],
  forbidden_role: [403, 'Only operators of this installation may do this.'],
  not_found: [404, 'Nothing is here.'],
  payload_too_large: [413, 'The body is too large.'],
  rate_limit_exceeded: [429, 'Too many requests; try again later.'],
  internal_error: [500, 'Something went wrong.'],
  service_unavailable: [503, 'Too many requests are being worked on.'],
  provider_error: [502, 'No search provider answered.'],
  timeout: [504, 'No search provider answered in time.'],
  shutting_down: [503, 'The service is stopping.'],
});
