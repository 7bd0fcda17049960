import { defineFailures } from '../../foundation/errors.ts';

/** Everything that the extractors service may answer besides success. */
export const errors = defineFailures(
  {
    validation_failed: [422, 'The request is not valid.'],
    invalid_json: [400, 'The body is not JSON.'],
    unsupported_media: [400, 'The file is of no kind that this operation reads.'],
    broken_media: [400, 'The file cannot be decoded: it is damaged, breaks off, or is not what it says.'],
    too_many_pixels: [400, 'The picture has more pixels than are decoded.'],
    not_found: [404, 'There is no such operation.'],
    media_not_found: [404, 'There is no such stored object.'],
    payload_too_large: [413, 'The file is too large.'],
    rate_limited: [429, 'Too many files of yours are waiting; try again later.'],
    internal_error: [500, 'Something went wrong.'],
    service_unavailable: [
      503,
      'Too many files are waiting, or the store of objects cannot be reached; try again later.',
    ],
    shutting_down: [503, 'The service is shutting down.'],
    timeout: [504, 'The file was not read in time.'],
  },
  (status): Record<string, string> => (status === 429 || status === 503 ? { 'retry-after': '5' } : {}),
);
