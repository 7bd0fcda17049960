import { integralImage, type Plane, squareSum } from '../../../media/image/raster.ts';

/** Low frequencies that describe a block of 16 x 16 pixels. */
export const TERMS = 9;

const SIDE = 16;
const CELL = 4;
const CELLS = SIDE / CELL;
/** Steps of a frequency that count as one value. */
const STEP = 8;
/** Variance of the brightness below which a block looks like any other sky. */
const LEAST_VARIANCE = 12;

const COSINES = Float64Array.from({ length: 3 * CELLS }, (_, index) => {
  const frequency = Math.floor(index / CELLS);
  const scale = frequency === 0 ? Math.sqrt(1 / CELLS) : Math.sqrt(2 / CELLS);
  return scale * Math.cos(((2 * (index % CELLS) + 1) * frequency * Math.PI) / (2 * CELLS));
});

/** Features of all blocks that are not flat, `TERMS` each, and where the blocks begin. */
export interface BlockFeatures {
  readonly features: Uint8Array;
  readonly places: Uint32Array;
}

/** Describes every block of a plane by the low frequencies of the means of its 4 x 4 cells, in steps of 8. */
export function blockFeatures(plane: Plane): BlockFeatures {
  const stride = plane.width + 1;
  const sums = integralImage(plane, (value) => value);
  const squares = integralImage(plane, (value) => value * value);
  const most = Math.max(0, (plane.width - SIDE + 1) * (plane.height - SIDE + 1));
  const features = new Uint8Array(most * TERMS);
  const places = new Uint32Array(most);
  const cells = new Float64Array(CELLS * CELLS);
  let count = 0;
  for (let y = 0; y + SIDE <= plane.height; y += 1)
    for (let x = 0; x + SIDE <= plane.width; x += 1) {
      const mean = squareSum(sums, stride, x, y, SIDE) / (SIDE * SIDE);
      if (squareSum(squares, stride, x, y, SIDE) / (SIDE * SIDE) - mean * mean <= LEAST_VARIANCE) continue;
      for (let cell = 0; cell < cells.length; cell += 1)
        cells[cell] =
          squareSum(sums, stride, x + (cell % CELLS) * CELL, y + (cell >> 2) * CELL, CELL) / (CELL * CELL);
      describe(cells, features, count * TERMS);
      places[count] = y * plane.width + x;
      count += 1;
    }
  return { features: features.subarray(0, count * TERMS), places: places.subarray(0, count) };
}

function describe(cells: Float64Array, into: Uint8Array, at: number): void {
  for (let v = 0; v < 3; v += 1)
    for (let u = 0; u < 3; u += 1) {
      let sum = 0;
      for (let cell = 0; cell < cells.length; cell += 1)
        sum +=
          (cells[cell] as number) *
          (COSINES[v * CELLS + (cell >> 2)] as number) *
          (COSINES[u * CELLS + (cell & 3)] as number);
      into[at + v * 3 + u] = Math.max(
        0,
        Math.min(255, Math.round(sum / STEP) + (u === 0 && v === 0 ? 0 : 128)),
      );
    }
}

/** The blocks in the order of their features: a radix sort, one pass for each term, the last term first. */
export function sortedBlocks(features: Uint8Array, count: number): Uint32Array {
  let order = Uint32Array.from({ length: count }, (_, index) => index);
  let next = new Uint32Array(count);
  for (let term = TERMS - 1; term >= 0; term -= 1) {
    const starts = new Uint32Array(257);
    for (let block = 0; block < count; block += 1) {
      const key = (features[block * TERMS + term] ?? 0) + 1;
      starts[key] = (starts[key] ?? 0) + 1;
    }
    for (let key = 1; key <= 256; key += 1) starts[key] = (starts[key] ?? 0) + (starts[key - 1] ?? 0);
    for (const block of order) {
      const key = features[block * TERMS + term] ?? 0;
      const place = starts[key] ?? 0;
      next[place] = block;
      starts[key] = place + 1;
    }
    [order, next] = [next, order];
  }
  return order;
}
