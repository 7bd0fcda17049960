import type { DecodedPicture } from '../../media/image/decode-reply.ts';

/** A picture of three bytes a pixel. */
export interface ColourPicture {
  readonly width: number;
  readonly height: number;
  readonly rgb: Uint8Array;
}

/** How a picture is to be turned (EXIF, 1 to 8): whether its sides change places first, and which of them run backwards then. */
const TURNS: Readonly<
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

/** The picture as it is shown. */
export function upright(picture: ColourPicture, orientation: number): ColourPicture {
  const turn = TURNS[orientation];
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

/** Sides of pictures change places from this orientation of EXIF on. */
const FIRST_ON_ITS_SIDE = 5;

/** The small copy of a decoded picture as it is shown, and the size that the whole one has then. */
export function shown({ thumbnail, thumbnailRgb, orientation, ...whole }: DecodedPicture) {
  const small = { width: thumbnail.width, height: thumbnail.height, rgb: thumbnailRgb };
  const isTurned = orientation >= FIRST_ON_ITS_SIDE;
  const [width, height] = isTurned ? [whole.height, whole.width] : [whole.width, whole.height];
  return { picture: upright(small, orientation), width, height };
}
