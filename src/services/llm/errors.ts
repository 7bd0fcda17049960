import { defineFailures } from '../../foundation/errors.ts';
import { modelServiceHeaders } from '../../foundation/model-service/errors.ts';

/** Everything that this service may answer besides success. */
export const errors = defineFailures(
  {
    validation_failed: [422, 'The request is not valid.'],
    invalid_json: [422, 'The body is not valid JSON.'],
    payload_too_large: [413, 'The body is too large.'],
    not_found: [404, 'There is no such operation.'],
    invalid_parameter: [400, 'A parameter of the request was refused.'],
    backend_unavailable: [400, 'The backend is not available.'],
    authentication_required: [401, 'A valid bearer token is required.'],
    rate_limited: [429, 'The rate limit is exceeded.'],
    upstream_rate_limited: [429, 'The backend limits the rate of requests.'],
    completion_failed: [500, 'The backend failed to complete the request.'],
    internal_error: [500, 'An internal error occurred.'],
    not_supported: [501, 'The backend does not offer this operation.'],
    concurrency_limited: [503, 'Too many completions run at the same time.'],
    backend_open: [503, 'The backend failed repeatedly and is given time to recover.'],
    shutting_down: [503, 'The service is shutting down.'],
  },
  modelServiceHeaders,
);
