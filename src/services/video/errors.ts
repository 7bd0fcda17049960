import { defineFailures } from '../../foundation/errors.ts';

/**
 * Everything that the video service may answer besides success. Its specification names 500 where a part that it works with is not set
 * up, is out of reach or fails, so a missing decoder is that, too, unlike in other services; 503 says to come again soon.
 */
export const errors = defineFailures(
  {
    validation_failed: [400, 'The file is missing or the request is not valid.'],
    invalid_json: [400, 'The body is not JSON.'],
    invalid_file: [
      400,
      'The file is no video that can be read: it is damaged, breaks off, or is something else.',
    ],
    too_long: [400, 'The video is longer than allowed.'],
    too_many_pixels: [400, 'The frames of the video have more pixels than are decoded.'],
    not_found: [404, 'There is no such operation.'],
    payload_too_large: [413, 'The file is too large.'],
    rate_limited: [429, 'Too many videos of yours are waiting; try again later.'],
    vision_not_set: [500, 'VISION_URL is not set: there is no vision model server to ask.'],
    vision_unreachable: [500, 'The vision model server cannot be reached.'],
    inference_failed: [500, 'The vision model server gave no usable answer.'],
    decoder_missing: [500, 'ffmpeg is not installed here: videos cannot be read.'],
    timeout: [500, 'The video was not examined in time.'],
    internal_error: [500, 'Something went wrong.'],
    service_unavailable: [503, 'Too many videos are waiting; try again later.'],
    shutting_down: [503, 'The service is shutting down.'],
  },
  (status): Record<string, string> => (status === 429 || status === 503 ? { 'retry-after': '10' } : {}),
);
