import type { Plane } from './raster.ts';

/** Coefficients of a block: 8 rows of 8, the mean first. */
export const BLOCK = 64;

/** Natural index of the coefficients in the zig-zag order of JPEG (ITU-T T.81, figure A.6). */
export const ZIGZAG: readonly number[] = zigzag();

function zigzag(): number[] {
  const order: number[] = [];
  for (let diagonal = 0; diagonal < 15; diagonal += 1) {
    const cells: number[] = [];
    for (let row = Math.max(0, diagonal - 7); row <= Math.min(7, diagonal); row += 1)
      cells.push(row * 8 + diagonal - row);
    order.push(...(diagonal % 2 === 0 ? cells.reverse() : cells));
  }
  return order;
}

const COSINES = Float32Array.from({ length: 64 }, (_, index) => {
  const frequency = index >> 3;
  const scale = frequency === 0 ? Math.SQRT1_2 / 2 : 0.5;
  return scale * Math.cos(((2 * (index & 7) + 1) * frequency * Math.PI) / 16);
});
const rows = new Float32Array(64);

/** The orthonormal discrete cosine transform of 8 x 8 values that begin at `start` and lie `stride` apart (T.81, A.3.3). */
export function transformBlock(
  values: Float32Array,
  start: number,
  stride: number,
  into: Float32Array,
  at = 0,
): void {
  for (let y = 0; y < 8; y += 1) transformLine(values, start + y * stride, 1, rows, y * 8, 1);
  for (let x = 0; x < 8; x += 1) transformLine(rows, x, 8, into, at + x, 8);
}

/** One line of eight values: the sums and differences of opposite values halve the multiplications. */
export function transformLine(
  from: Float32Array,
  start: number,
  step: number,
  into: Float32Array,
  at: number,
  apart: number,
): void {
  const v0 = from[start] as number;
  const v1 = from[start + step] as number;
  const v2 = from[start + 2 * step] as number;
  const v3 = from[start + 3 * step] as number;
  const v4 = from[start + 4 * step] as number;
  const v5 = from[start + 5 * step] as number;
  const v6 = from[start + 6 * step] as number;
  const v7 = from[start + 7 * step] as number;
  const s0 = v0 + v7;
  const s1 = v1 + v6;
  const s2 = v2 + v5;
  const s3 = v3 + v4;
  const d0 = v0 - v7;
  const d1 = v1 - v6;
  const d2 = v2 - v5;
  const d3 = v3 - v4;
  into[at] = (s0 + s1 + s2 + s3) * C0;
  into[at + 4 * apart] = (s0 - s1 - s2 + s3) * C0;
  into[at + 2 * apart] = (s0 - s3) * C2 + (s1 - s2) * C6;
  into[at + 6 * apart] = (s0 - s3) * C6 - (s1 - s2) * C2;
  into[at + apart] = d0 * C1 + d1 * C3 + d2 * C5 + d3 * C7;
  into[at + 3 * apart] = d0 * C3 - d1 * C7 - d2 * C1 - d3 * C5;
  into[at + 5 * apart] = d0 * C5 - d1 * C1 + d2 * C7 + d3 * C3;
  into[at + 7 * apart] = d0 * C7 - d1 * C5 + d2 * C3 - d3 * C1;
}
const cosine = (index: number) => Math.cos((index * Math.PI) / 16) / 2;
const C0 = Math.SQRT1_2 / 2;
const [C1, C2, C3, C5, C6, C7] = [1, 2, 3, 5, 6, 7].map(cosine) as [
  number,
  number,
  number,
  number,
  number,
  number,
];

/** The inverse of `transformBlock`: 64 coefficients that begin at `at` become 8 x 8 values. */
export function restoreBlock(coefficients: Float32Array, at: number, into: Float32Array): void {
  for (let row = 0; row < 8; row += 1)
    for (let x = 0; x < 8; x += 1) {
      let sum = 0;
      for (let u = 0; u < 8; u += 1)
        sum += (coefficients[at + row * 8 + u] as number) * (COSINES[u * 8 + x] as number);
      rows[row * 8 + x] = sum;
    }
  for (let x = 0; x < 8; x += 1)
    for (let y = 0; y < 8; y += 1) {
      let sum = 0;
      for (let v = 0; v < 8; v += 1) sum += (rows[v * 8 + x] as number) * (COSINES[v * 8 + y] as number);
      into[y * 8 + x] = sum;
    }
}

/** The coefficients of all whole blocks of a plane, block after block, row by row; `left` and `top` shift the grid. */
export interface BlockGrid {
  readonly columns: number;
  readonly rows: number;
  readonly coefficients: Float32Array;
}

/** Transforms a plane block by block. */
export function transformPlane({ width, height, values }: Plane, left = 0, top = 0): BlockGrid {
  const columns = Math.max(0, (width - left) >> 3);
  const rowCount = Math.max(0, (height - top) >> 3);
  const coefficients = new Float32Array(columns * rowCount * BLOCK);
  let at = 0;
  for (let row = 0; row < rowCount; row += 1)
    for (let column = 0; column < columns; column += 1, at += BLOCK)
      transformBlock(values, (top + row * 8) * width + left + column * 8, width, coefficients, at);
  return { columns, rows: rowCount, coefficients };
}
