import type { GreyPicture } from './grey-picture.ts';
import { mapBoxes, type OcrLine } from './lines.ts';
import type { Box } from './tesseract.ts';

/** Slopes of lines that are tried, in pixels down for each pixel to the right; engines read lines that rise less than the first themselves. */
const SLOPES = { least: 0.04, most: 0.2, step: 0.02 };
/** How much sharper the rows of level lines are before a page counts as sloping. */
const SHARPER = 1.3;
/** Columns of a page that are looked at for its slope. */
const COLUMNS = 200;
const PAPER = 255;

/** Sum over all rows of the square of the ink in them, along lines of a slope: it is largest where the lines of a text lie. */
function sharpness({ width, height, pixels }: GreyPicture, slope: number): number {
  const rows = new Float64Array(2 * height);
  const step = Math.max(1, Math.floor(width / COLUMNS));
  for (let x = 0; x < width; x += step) {
    const down = Math.round(slope * (x - width / 2)) - (height >> 1);
    for (let y = 0; y < height; y += 1) {
      const row = y - down;
      const ink = PAPER - (pixels[y * width + x] ?? PAPER);
      if (ink > 0 && row >= 0 && row < rows.length) rows[row] = (rows[row] ?? 0) + ink;
    }
  }
  return rows.reduce((sum, ink) => sum + ink * ink, 0);
}

/** How much the lines of the pages of a picture fall to the right; 0 where they are level enough to be read. */
export function slopeOf(pages: readonly GreyPicture[]): number {
  const sharpnessAt = (slope: number) => pages.reduce((sum, page) => sum + sharpness(page, slope), 0);
  let [best, sharpest] = [0, SHARPER * sharpnessAt(0)];
  for (let steep = SLOPES.least; steep <= SLOPES.most + SLOPES.step / 2; steep += SLOPES.step)
    for (const slope of [steep, -steep]) {
      const sharp = sharpnessAt(slope);
      if (sharp > sharpest) [best, sharpest] = [slope, sharp];
    }
  return best;
}

/** Rows that are added above and below a page so that nothing of it is cut when its lines are made level. */
const marginOf = ({ width }: Pick<GreyPicture, 'width'>, slope: number) =>
  Math.ceil((Math.abs(slope) * width) / 2);

/** A page with its lines made level: each column is moved by itself, so that letters stay upright. */
export function deskewPage(page: GreyPicture, slope: number): GreyPicture {
  const { width, height, pixels } = page;
  const room = marginOf(page, slope);
  const level = new Uint8Array(width * (height + 2 * room)).fill(PAPER);
  for (let x = 0; x < width; x += 1) {
    const down = room - Math.round(slope * (x - width / 2));
    for (let y = 0; y < height; y += 1) level[(y + down) * width + x] = pixels[y * width + x] ?? PAPER;
  }
  return { width, height: height + 2 * room, pixels: level };
}

/** A line of a page that was made level, in its place in the picture: its box is as high as the words in it need. */
export function lineBeforeDeskew(line: OcrLine, page: Pick<GreyPicture, 'width'>, slope: number): OcrLine {
  const room = marginOf(page, slope);
  const mapBox = (box: Box): Box => {
    const [left, right] = [box.x, box.x + box.width].map((x) => Math.round(slope * (x - page.width / 2)));
    const [first = 0, last = 0] = [left, right];
    return {
      ...box,
      y: Math.max(0, box.y - room + Math.min(first, last)),
      height: box.height + Math.abs(last - first),
    };
  };
  return mapBoxes(line, mapBox);
}
