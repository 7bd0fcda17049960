import { BLOCK, restoreBlock, transformPlane } from '../../../media/image/dct.ts';
import { standardSteps } from '../../../media/image/jpeg-quality.ts';
import type { Plane } from '../../../media/image/raster.ts';

/** Mean absolute change of each 16 x 16 cell when the picture is saved once more at quality 90 (Krawetz 2007): a picture for people. */
export function errorLevels(brightness: Plane): Plane {
  const grid = transformPlane(brightness);
  const steps = standardSteps(ERROR_QUALITY);
  const width = Math.ceil(grid.columns / 2);
  const height = Math.ceil(grid.rows / 2);
  const values = new Float32Array(width * height);
  const counts = new Uint16Array(width * height);
  const lost = new Float32Array(BLOCK);
  const change = new Float32Array(BLOCK);
  for (let block = 0; block < grid.columns * grid.rows; block += 1) {
    for (let index = 0; index < BLOCK; index += 1)
      lost[index] = lostBy(grid.coefficients[block * BLOCK + index] as number, steps[index] as number);
    restoreBlock(lost, 0, change);
    const cell = (Math.floor(block / grid.columns) >> 1) * width + ((block % grid.columns) >> 1);
    values[cell] = (values[cell] ?? 0) + change.reduce((sum, value) => sum + Math.abs(value), 0) / BLOCK;
    counts[cell] = (counts[cell] ?? 0) + 1;
  }
  return { width, height, values: values.map((value, cell) => value / Math.max(1, counts[cell] ?? 1)) };
}

const ERROR_QUALITY = 90;
const lostBy = (coefficient: number, step: number) => coefficient - Math.round(coefficient / step) * step;

/** Qualities at which a picture is saved again in search of its earlier ones. */
const GHOST_QUALITIES = [50, 55, 60, 65, 70, 75, 80, 85, 90, 95];

/**
 * For each block the quality at which saving again changes least, beside its other qualities (JPEG ghosts, Farid, TIFS 2009): a part with
 * an earlier quality of its own stands out to the eye. By Parseval's theorem the change is that of the coefficients.
 */
export function ghostQualities(brightness: Plane): Plane {
  const { columns, rows, coefficients } = transformPlane(brightness);
  const values = new Float32Array(columns * rows);
  const tables = GHOST_QUALITIES.map((quality) => standardSteps(quality));
  for (let block = 0; block < values.length; block += 1) {
    const changes = tables.map((steps) => {
      let sum = 0;
      for (let index = 0; index < BLOCK; index += 1) {
        const lost = lostBy(coefficients[block * BLOCK + index] as number, steps[index] as number);
        sum += lost * lost;
      }
      return sum;
    });
    values[block] = dipOf(changes);
  }
  return { width: columns, height: rows, values };
}

/** The quality of the sharpest local minimum: the change there is far below that of its neighbours; 0 for none. */
function dipOf(changes: readonly number[]): number {
  let best = { ratio: 0.7, quality: 0 };
  for (let index = 1; index + 1 < changes.length; index += 1) {
    const beside = Math.min(changes[index - 1] ?? 0, changes[index + 1] ?? 0);
    const ratio = (changes[index] ?? 0) / Math.max(1e-6, beside);
    if (ratio < best.ratio) best = { ratio, quality: GHOST_QUALITIES[index] ?? 0 };
  }
  return best.quality;
}
