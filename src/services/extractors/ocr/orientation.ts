import type { GreyPicture } from './grey-picture.ts';
import { mapBoxes, type OcrLine } from './lines.ts';
import type { Box } from './tesseract.ts';

/** Orientation of letters that are not upright. */
type RotatedOrientation = 'upside_down' | 'mirrored';

/** The page with its letters made upright. */
export function rotatePage(
  { width, height, pixels }: GreyPicture,
  orientation: RotatedOrientation,
): GreyPicture {
  const rotated = pixels.slice();
  if (orientation === 'upside_down') rotated.reverse();
  else for (let y = 0; y < height; y += 1) rotated.subarray(y * width, (y + 1) * width).reverse();
  return { width, height, pixels: rotated };
}

/** A line of a rotated page with its boxes in the original picture. */
export function lineBeforeRotation(
  line: OcrLine,
  { width, height }: Pick<GreyPicture, 'width' | 'height'>,
  orientation: RotatedOrientation,
): OcrLine {
  const mapBox = (box: Box): Box => ({
    ...box,
    x: width - box.x - box.width,
    y: orientation === 'upside_down' ? height - box.y - box.height : box.y,
  });
  return mapBoxes(line, mapBox);
}
