import type { GreyPicture } from './grey-picture.ts';
import type { ReadLine } from './lines.ts';
import type { Box } from './tesseract.ts';

/** How letters that are not upright stand. */
type Turned = 'upside_down' | 'mirrored';

/** A page of letters as it is read. */
export function turnedPage({ width, height, pixels }: GreyPicture, standing: Turned): GreyPicture {
  const turned = pixels.slice();
  if (standing === 'upside_down') turned.reverse();
  else for (let y = 0; y < height; y += 1) turned.subarray(y * width, (y + 1) * width).reverse();
  return { width, height, pixels: turned };
}

/** A line of a page that was turned, in its place in the picture. */
export function turnedBack(
  line: ReadLine,
  { width, height }: Pick<GreyPicture, 'width' | 'height'>,
  standing: Turned,
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
