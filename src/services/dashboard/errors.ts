import { defineFailures } from '../../foundation/errors.ts';

/** The error table of the dashboard. */
export const errors = defineFailures({
  invalid_json: [400, 'The body is not valid JSON.'],
  token_missing: [401, 'A bearer token is needed.'],
  token_invalid: [401, 'The token is not valid.'],
  token_expired: [401, 'The token has expired.'],
  api_key_invalid: [401, 'The key is not valid.'],
  forbidden_role: [403, 'Your role may not do this.'],
  not_found: [404, 'There is nothing at this address.'],
  config_key_not_found: [404, 'There is no such value; GET /api/config/schema lists them.'],
  method_not_allowed: [405, 'This address does not know that method; Allow names those that it knows.'],
  payload_too_large: [413, 'The body is too large.'],
  validation_failed: [422, 'The request is not valid.'],
  value_refused: [422, 'The value does not fit; the old one stays.'],
  internal_error: [500, 'Something went wrong here; the correlation id helps to find it.'],
  service_unavailable: [503, 'The database or the key set is out of reach; try again shortly.'],
  shutting_down: [503, 'The service is stopping; try again shortly.'],
});
