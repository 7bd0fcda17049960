import { integralImage, type Plane, squareSum } from '../../../media/image/raster.ts';
import { type Component, connectedComponents } from './components.ts';

/** A way from one place of a picture to another, in pixels. */
export interface Displacement {
  readonly x: number;
  readonly y: number;
}

const WINDOW = 16;
/** The side of the cells in which parts are counted. */
export const CELL = 8;
const LEAST_CORRELATION = 0.5;
const LEAST_SHARPNESS = 0.6;
const ASIDE = 3;
/** A window is drawn when so much of it is within so many steps of its darkest or brightest value, which lie apart. */
const DRAWN_SHARE = 0.6;
const DRAWN_RANGE = 16;
const DRAWN_CONTRAST = 64;

/** Edges and texture of a picture, with the sums that each correlation needs. */
export interface Details {
  readonly plane: Plane;
  readonly flat: number;
  readonly sums: Float64Array;
  readonly squares: Float64Array;
}

/** A plane with the sums that correlations need; windows whose mean energy is at most `flat` fit nothing. */
export function matchableCells(plane: Plane, flat: number): Details {
  return {
    plane,
    flat,
    sums: integralImage(plane, (value) => value),
    squares: integralImage(plane, (value) => value * value),
  };
}

/** Correlation of two windows, -1 to 1; 0 when one of them is flat or lies outside. */
function correlation(
  { plane, flat, sums, squares }: Details,
  x: number,
  y: number,
  otherX: number,
  otherY: number,
): number {
  const { width, height, values } = plane;
  if (otherX < 0 || otherY < 0 || otherX + WINDOW > width || otherY + WINDOW > height) return 0;
  const count = WINDOW * WINDOW;
  const sum = squareSum(sums, width + 1, x, y, WINDOW);
  const otherSum = squareSum(sums, width + 1, otherX, otherY, WINDOW);
  const energy = squareSum(squares, width + 1, x, y, WINDOW) - (sum * sum) / count;
  const otherEnergy = squareSum(squares, width + 1, otherX, otherY, WINDOW) - (otherSum * otherSum) / count;
  const spread = Math.sqrt(Math.max(0, energy * otherEnergy));
  if (spread <= flat * count) return 0;
  let product = 0;
  for (let row = 0; row < WINDOW; row += 1) {
    const first = (y + row) * width + x;
    const second = (otherY + row) * width + otherX;
    for (let column = 0; column < WINDOW; column += 1)
      product += (values[first + column] as number) * (values[second + column] as number);
  }
  return (product - (sum * otherSum) / count) / spread;
}

/**
 * Whether a window is drawn rather than photographed: most of its pixels are near its darkest or its brightest. Letters, bars and
 * logos rightly stand in a picture many times.
 */
function isDrawn({ width, values }: Plane, x: number, y: number): boolean {
  let [darkest, brightest] = [255, 0];
  const each = (visit: (value: number) => void) => {
    for (let row = y; row < y + WINDOW; row += 1)
      for (let at = row * width + x; at < row * width + x + WINDOW; at += 1) visit(values[at] as number);
  };
  each((value) => {
    darkest = Math.min(darkest, value);
    brightest = Math.max(brightest, value);
  });
  let near = 0;
  each((value) => {
    if (value - darkest < DRAWN_RANGE || brightest - value < DRAWN_RANGE) near += 1;
  });
  return brightest - darkest > DRAWN_CONTRAST && near >= DRAWN_SHARE * WINDOW * WINDOW;
}

/** For each cell of 8 x 8 pixels whether the window that begins there is drawn. */
export function texturedCells(plane: Plane): Uint8Array {
  const { columns, rows } = cellsOf(plane);
  return Uint8Array.from({ length: columns * rows }, (_, cell) =>
    isDrawn(plane, (cell % columns) * CELL, Math.floor(cell / columns) * CELL) ? 1 : 0,
  );
}

const cellsOf = ({ width, height }: Plane) => ({
  columns: Math.max(0, Math.floor((width - WINDOW) / CELL) + 1),
  rows: Math.max(0, Math.floor((height - WINDOW) / CELL) + 1),
});

const AROUND = [-ASIDE, 0, ASIDE]
  .flatMap((y) => [-ASIDE, 0, ASIDE].map((x) => [x, y] as const))
  .filter(([x, y]) => x !== 0 || y !== 0);

/** The largest connected part of the picture that is found again at a shift, sharply. */
export function matchAtShift(details: Details, drawn: Uint8Array, shift: Displacement): Component {
  const { columns, rows } = cellsOf(details.plane);
  const holds = new Uint8Array(columns * rows);
  for (let row = 0; row < rows; row += 1)
    for (let column = 0; column < columns; column += 1) {
      if (drawn[row * columns + column] === 1) continue;
      const [x, y] = [column * CELL, row * CELL];
      const here = correlation(details, x, y, x + shift.x, y + shift.y);
      if (here <= LEAST_CORRELATION) continue;
      const aside = Math.max(
        ...AROUND.map(([dx, dy]) => correlation(details, x, y, x + shift.x + dx, y + shift.y + dy)),
      );
      if (aside < LEAST_SHARPNESS * here) holds[row * columns + column] = 1;
    }
  return connectedComponents(holds, columns)[0] ?? { cells: [], columns };
}

/** Marks the cells of a part, and those that it is found again in, on a map of a picture. */
export function drawMatchMap(
  plane: Plane,
  best: { shift: Displacement; part: Component } | undefined,
): Plane {
  const map = {
    width: Math.ceil(plane.width / CELL),
    height: Math.ceil(plane.height / CELL),
    values: new Float32Array(Math.ceil(plane.width / CELL) * Math.ceil(plane.height / CELL)),
  };
  const mark = (x: number, y: number) => {
    for (const [dx, dy] of [
      [0, 0],
      [CELL, 0],
      [0, CELL],
      [CELL, CELL],
    ] as const) {
      const [column, row] = [Math.floor((x + dx) / CELL), Math.floor((y + dy) / CELL)];
      if (column < map.width && row < map.height) map.values[row * map.width + column] = 1;
    }
  };
  for (const cell of best?.part.cells ?? []) {
    const [x, y] = [
      (cell % (best?.part.columns ?? 1)) * CELL,
      Math.floor(cell / (best?.part.columns ?? 1)) * CELL,
    ];
    mark(x, y);
    mark(x + (best?.shift.x ?? 0), y + (best?.shift.y ?? 0));
  }
  return map;
}
