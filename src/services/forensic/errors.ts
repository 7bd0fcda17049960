import { defineFailures } from '../../foundation/errors.ts';

/** Everything that the forensic service may answer besides success. */
export const errors = defineFailures(
  {
    validation_failed: [422, 'The request is not valid.'],
    invalid_json: [400, 'The body is not JSON.'],
    unsupported_media: [400, 'The file is no picture of a kind that is examined.'],
    broken_media: [400, 'The file cannot be decoded: it is damaged, breaks off, or is not what it says.'],
    too_many_pixels: [400, 'The pictures have more pixels than are decoded.'],
    no_tracks: [400, 'The file has neither sound nor moving pictures.'],
    media_too_long: [400, 'The recording is longer than is examined.'],
    not_found: [404, 'There is no such operation.'],
    payload_too_large: [413, 'The file is too large.'],
    rate_limited: [429, 'Too many pictures of yours are waiting; try again later.'],
    internal_error: [500, 'Something went wrong.'],
    service_unavailable: [503, 'Too many pictures are waiting; try again later.'],
    decoder_missing: [503, 'ffmpeg is not installed here: recordings cannot be read.'],
    shutting_down: [503, 'The service is shutting down.'],
    timeout: [504, 'The file was not examined in time.'],
  },
  (status): Record<string, string> => (status === 429 || status === 503 ? { 'retry-after': '5' } : {}),
);
