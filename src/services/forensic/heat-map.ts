import sharp from 'sharp';
import type { DecodedPicture } from '../../media/image/decode-reply.ts';
import type { HeatMap } from './findings.ts';

/** A small copy of the picture with the values of a detector over it. */
export interface OverlayPicture {
  readonly width: number;
  readonly height: number;
  readonly png: Buffer;
}

/** The small copy of a picture, saved anew: nothing of its file is in it. */
export function drawPreview({ thumbnail, thumbnailRgb }: DecodedPicture): Promise<Buffer> {
  const { width, height } = thumbnail;
  return sharp(thumbnailRgb, { raw: { width, height, channels: 3 } })
    .jpeg({ quality: PREVIEW_QUALITY })
    .toBuffer();
}

/** Good enough to know a picture by. */
const PREVIEW_QUALITY = 80;
/** How much of the picture shows through where nothing and where most was found. */
const VEIL = 0.35;
const STRONGEST = 0.85;

/** From dark blue by orange to light yellow: brighter means more, for people who see no colours too. */
function colourOf(strength: number): readonly [number, number, number] {
  const warm = Math.min(1, 2 * strength);
  const bright = Math.max(0, 2 * strength - 1);
  return [40 + 215 * warm, 20 + 110 * warm + 110 * bright, 90 * (1 - warm) + 130 * bright];
}

/** Draws a map over the greyed small copy of its picture. */
export async function drawOverlay(
  { width: fullWidth, thumbnail, thumbnailRgb }: DecodedPicture,
  map: HeatMap,
): Promise<OverlayPicture> {
  const { width, height } = thumbnail;
  const scale = fullWidth / width;
  const pixels = Buffer.alloc(3 * width * height);
  for (let y = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1) {
      const at = 3 * (y * width + x);
      const grey =
        (1 - VEIL) *
        (0.299 * (thumbnailRgb[at] ?? 0) +
          0.587 * (thumbnailRgb[at + 1] ?? 0) +
          0.114 * (thumbnailRgb[at + 2] ?? 0));
      const strength = strengthAt(map, x * scale, y * scale);
      const cover = STRONGEST * strength;
      colourOf(strength).forEach((colour, channel) => {
        pixels[at + channel] = Math.round((1 - cover) * grey + cover * colour);
      });
    }
  const png = await sharp(pixels, { raw: { width, height, channels: 3 } })
    .png({ compressionLevel: 9 })
    .toBuffer();
  return { width, height, png };
}

/** 0 to 1; 0 outside what the detector looked at. */
function strengthAt({ plane, cellSide, left, top, from, to }: HeatMap, x: number, y: number): number {
  const column = Math.floor((x - left) / cellSide);
  const row = Math.floor((y - top) / cellSide);
  if (column < 0 || row < 0 || column >= plane.width || row >= plane.height) return 0;
  const value = plane.values[row * plane.width + column] ?? 0;
  return Math.max(0, Math.min(1, (value - from) / (to - from)));
}
