import { bundledProgram } from '../../foundation/files.ts';
import { createDecoder, type Decoder, decodeFailure } from '../../media/image/decoder.ts';
import { errors } from './errors.ts';
import type { ExtractorsSettings } from './settings.ts';

/** The longer side of the preview that is analysed: letters that people read on a screen are large enough in it. */
const PREVIEW_SIDE = 1600;

/** The errors for a picture that was not decoded. */
export const pictureFailure = (error: unknown): unknown => decodeFailure(error, errors);

/** A decoder over the bundled program, each picture in a process of its own; none is started before the first. */
export function openPictureDecoder(settings: ExtractorsSettings): Decoder {
  return createDecoder({
    ...bundledProgram('image-decode-worker.js'),
    timeoutMs: settings.EXTRACTORS_DECODE_TIMEOUT_MS,
    mostPixels: settings.EXTRACTORS_MAX_PIXELS,
    thumbnailSide: PREVIEW_SIDE,
  });
}
