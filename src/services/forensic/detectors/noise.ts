import type { Plane } from '../../../media/image/raster.ts';
import { medianOf } from './robust.ts';

const CELL = 32;
const LEVELS = 8;

/**
 * Noise of each 32 x 32 cell beside that of cells of the same brightness, as a ratio (1: the same): a part from elsewhere may be smoother
 * or rougher. The noise is the median of the finest diagonal details, over 0.6745 (Mahdian and Saic 2009). A picture for people.
 */
export function noiseRatios(brightness: Plane): Plane {
  const width = Math.floor(brightness.width / CELL);
  const height = Math.floor(brightness.height / CELL);
  const noise = new Float32Array(width * height);
  const level = new Uint8Array(width * height);
  for (let cell = 0; cell < noise.length; cell += 1) {
    const { deviation, mean } = measure(brightness, (cell % width) * CELL, Math.floor(cell / width) * CELL);
    noise[cell] = deviation;
    level[cell] = Math.min(LEVELS - 1, Math.floor((mean * LEVELS) / 256));
  }
  const usual = Array.from({ length: LEVELS }, (_, at) =>
    medianOf(noise.filter((_value, cell) => level[cell] === at)),
  );
  return { width, height, values: noise.map((value, cell) => ratio(value, usual[level[cell] ?? 0] ?? 0)) };
}

const ratio = (value: number, usual: number) => (usual > 0 ? value / usual : 1);

function measure({ width, values }: Plane, left: number, top: number): { deviation: number; mean: number } {
  const details = new Float32Array((CELL / 2) ** 2);
  let sum = 0;
  for (let y = 0; y < CELL; y += 2)
    for (let x = 0; x < CELL; x += 2) {
      const at = (top + y) * width + left + x;
      const [a, b] = [values[at] ?? 0, values[at + 1] ?? 0];
      const [c, d] = [values[at + width] ?? 0, values[at + width + 1] ?? 0];
      details[(y * CELL) / 4 + x / 2] = Math.abs(a - b - c + d) / 2;
      sum += a + b + c + d;
    }
  return { deviation: medianOf(details) / 0.6745, mean: sum / (CELL * CELL) };
}
