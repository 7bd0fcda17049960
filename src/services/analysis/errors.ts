import { failures } from '../../foundation/errors.ts';

/** The error table of the analysis service. */
export const errors = failures({
  validation_failed: [400, 'The request is not valid.'],
  invalid_json: [400, 'The body is not valid JSON.'],
  text_length: [400, 'The text must have 20 to 50000 characters.'],
  media_type_mismatch: [400, 'The field that belongs to media_type is missing.'],
  media_too_long: [400, 'The media is too long: video at most 180 seconds, audio at most 420.'],
  unsupported_media: [400, 'This installation cannot analyse media of this type.'],
  url_not_allowed: [400, 'The address is not one that may be fetched.'],
  token_missing: [401, 'A bearer token is needed.'],
  token_invalid: [401, 'The token is not valid.'],
  token_expired: [401, 'The token has expired.'],
  api_key_invalid: [401, 'The key is not valid.'],
  forbidden_role: [403, 'Your role may not do this.'],
  session_not_found: [404, 'There is no such session.'],
  result_not_ready: [404, 'The session has no result yet.'],
  checkpoint_not_found: [404, 'There is no such checkpoint.'],
  not_found: [404, 'There is nothing at this address.'],
  invalid_transition: [409, 'The session is not in a state that allows this.'],
  idempotency_conflict: [409, 'The Idempotency-Key was used before with another body.'],
  payload_too_large: [413, 'The body is too large.'],
  internal_error: [500, 'Something went wrong here; the correlation id helps to find it.'],
  shutting_down: [503, 'The service is stopping; try again shortly.'],
});
