import { defineFailures } from '../../foundation/errors.ts';

/** The error table of the gateway. */
export const errors = defineFailures({
  validation_failed: [400, 'The request is not valid.'],
  invalid_json: [400, 'The body is not valid JSON.'],
  token_missing: [401, 'A bearer token is needed.'],
  token_invalid: [401, 'The token is not valid.'],
  token_expired: [401, 'The token has expired.'],
  api_key_invalid: [401, 'The key is not valid.'],
  forbidden_role: [403, 'This is not for people of your realm.'],
  not_found: [404, 'There is nothing at this address.'],
  payload_too_large: [413, 'The body is too large.'],
  rate_limited: [429, 'Too many requests; wait as long as Retry-After says.'],
  internal_error: [500, 'Something went wrong here; the correlation id helps to find it.'],
  service_unavailable: [503, 'The service behind, or the key set, is out of reach; try again shortly.'],
  shutting_down: [503, 'The gateway is stopping; try again shortly.'],
});
