import type { ColourPicture } from '../colour-picture.ts';

/** A picture of one byte a pixel, row by row: 0 is black. */
export interface GreyPicture {
  readonly width: number;
  readonly height: number;
  readonly pixels: Uint8Array;
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
export function downscale({ width, height, pixels }: GreyPicture, factor: number): GreyPicture {
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
