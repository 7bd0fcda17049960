import { modelServiceFailures } from '../../foundation/model-service/errors.ts';

/** Everything that this service may answer besides success. */
export const errors = modelServiceFailures({
  unsupported_media: [400, 'A picture is of a kind that is not looked at.'],
  broken_media: [400, 'A picture cannot be decoded: it is damaged, breaks off, or is not what it says.'],
  too_many_pixels: [400, 'A picture has more pixels than are decoded.'],
  picture_not_fetched: [400, 'A picture could not be fetched from its address.'],
  not_supported: [501, 'The backend has no text completion.'],
  timeout: [504, 'The pictures were not looked at in time.'],
});
