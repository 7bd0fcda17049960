import type { DecodedPicture } from '../../media/image/decode-reply.ts';

/** A picture of three bytes a pixel. */
export interface ColourPicture {
  readonly width: number;
  readonly height: number;
  readonly rgb: Uint8Array;
}

/** EXIF orientation (1 to 8): whether width and height are swapped, and which directions are then reversed. */
const EXIF_ORIENTATIONS: Readonly<
  Record<number, readonly [isTransposed: boolean, fromRight: boolean, fromBelow: boolean]>
> = {
  2: [false, true, false],
  3: [false, true, true],
  4: [false, false, true],
  5: [true, false, false],
  6: [true, true, false],
  7: [true, true, true],
  8: [true, false, true],
};

/** Applies an EXIF orientation. */
export function applyOrientation(picture: ColourPicture, orientation: number): ColourPicture {
  const turn = EXIF_ORIENTATIONS[orientation];
  if (turn === undefined) return picture;
  const [isTransposed, fromRight, fromBelow] = turn;
  const [width, height] = isTransposed ? [picture.height, picture.width] : [picture.width, picture.height];
  const rgb = new Uint8Array(picture.rgb.length);
  for (let y = 0, at = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1, at += 3) {
      const [u, v] = [fromRight ? width - 1 - x : x, fromBelow ? height - 1 - y : y];
      const from = 3 * (isTransposed ? u * picture.width + v : v * picture.width + u);
      rgb[at] = picture.rgb[from] ?? 0;
      rgb[at + 1] = picture.rgb[from + 1] ?? 0;
      rgb[at + 2] = picture.rgb[from + 2] ?? 0;
    }
  return { width, height, rgb };
}

/** From this EXIF orientation on, width and height are swapped. */
const FIRST_ON_ITS_SIDE = 5;

/** The upright preview of a decoded picture, and the size of the whole picture when upright. */
export function uprightPreview({ thumbnail, thumbnailRgb, orientation, ...whole }: DecodedPicture) {
  const small = { width: thumbnail.width, height: thumbnail.height, rgb: thumbnailRgb };
  const isTurned = orientation >= FIRST_ON_ITS_SIDE;
  const [width, height] = isTurned ? [whole.height, whole.width] : [whole.width, whole.height];
  return { picture: applyOrientation(small, orientation), width, height };
}
