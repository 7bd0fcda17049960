import { modelServiceFailures } from '../../foundation/model-service/errors.ts';

/** Everything that this service may answer besides success. */
export const errors = modelServiceFailures({
  broken_media: [
    400,
    'The file is no recording that can be read: it is damaged, breaks off, or is something else.',
  ],
  no_sound: [400, 'The file has no sound track.'],
  media_too_long: [400, 'The recording is longer than allowed.'],
  timeout: [504, 'The recording was not read in time.'],
  decoder_missing: [503, 'ffmpeg is not installed here: recordings cannot be read.'],
});
