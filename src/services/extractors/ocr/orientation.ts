import type { GreyPicture } from './grey-picture.ts';
import type { ReadLine } from './lines.ts';
import type { Box } from './tesseract.ts';

/** Orientation of letters that are not upright. */
type RotatedOrientation = 'upside_down' | 'mirrored';

/** The page with its letters made upright. */
export function rotatePage(
  { width, height, pixels }: GreyPicture,
  standing: RotatedOrientation,
): GreyPicture {
  const turned = pixels.slice();
  if (standing === 'upside_down') turned.reverse();
  else for (let y = 0; y < height; y += 1) turned.subarray(y * width, (y + 1) * width).reverse();
  return { width, height, pixels: turned };
}

/** A line of a rotated page with its boxes in the original picture. */
export function rotateLineBack(
  line: ReadLine,
  { width, height }: Pick<GreyPicture, 'width' | 'height'>,
  standing: RotatedOrientation,
): ReadLine {
  const placed = (box: Box): Box => ({
    ...box,
    x: width - box.x - box.width,
    y: standing === 'upside_down' ? height - box.y - box.height : box.y,
  });
  return {
    ...line,
    box: placed(line.box),
    words: line.words.map((word) => ({ ...word, box: placed(word.box) })),
  };
}
