/** A picture of one byte a pixel, row by row: 0 is black. */
export interface GreyPicture {
  readonly width: number;
  readonly height: number;
  readonly pixels: Uint8Array;
}

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

/** Brightness of each pixel (ITU-R BT.601). */
export function greyOf({ width, height, rgb }: ColourPicture): GreyPicture {
  const pixels = new Uint8Array(width * height);
  for (let index = 0, at = 0; index < pixels.length; index += 1, at += 3)
    pixels[index] = Math.round(
      0.299 * (rgb[at] ?? 0) + 0.587 * (rgb[at + 1] ?? 0) + 0.114 * (rgb[at + 2] ?? 0),
    );
  return { width, height, pixels };
}

/** A smaller copy: each pixel is the mean of those that it stands for; `factor` is below 1. */
export function shrunk({ width, height, pixels }: GreyPicture, factor: number): GreyPicture {
  const [across, down] = [Math.max(1, Math.round(width * factor)), Math.max(1, Math.round(height * factor))];
  const small = new Uint8Array(across * down);
  for (let y = 0; y < down; y += 1)
    for (let x = 0; x < across; x += 1) {
      const [left, top] = [Math.floor((x * width) / across), Math.floor((y * height) / down)];
      const [right, bottom] = [Math.ceil(((x + 1) * width) / across), Math.ceil(((y + 1) * height) / down)];
      let sum = 0;
      for (let v = top; v < bottom; v += 1)
        for (let u = left; u < right; u += 1) sum += pixels[v * width + u] ?? 0;
      small[y * across + x] = Math.round(sum / ((right - left) * (bottom - top)));
    }
  return { width: across, height: down, pixels: small };
}
