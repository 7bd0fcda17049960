import { boxMean, type Plane, shrinkPlane, squareSum, sumsOf } from '../../../media/image/raster.ts';
import { type Component, componentsOf } from './components.ts';
import { blockFeatures, sortedBlocks, TERMS } from './copy-move-features.ts';

/**
 * Parts of a picture that stand in it twice: overlapping blocks are sorted by their low frequencies, and neighbours in that order
 * vote for the shift between them (Fridrich, Soukal and Lukas 2003; Christlein et al., TIFS 2012). A shift counts only when the
 * details of the two places correlate, and no longer do so a few pixels aside: straight edges and shelves fit at many shifts.
 */
export interface CopyMove {
  /** Cells of 8 x 8 pixels, at the size that was searched, in the largest part that was found again. */
  readonly cells: number;
  /** Whether that part is large enough to count. */
  readonly verified: boolean;
  /** Votes of the strongest shift, whether it held or not. */
  readonly votes: number;
  /** From the one place to the other, in pixels of the picture that was given. */
  readonly shift: { readonly x: number; readonly y: number } | null;
  /** 1 where a cell is found again or is found itself, else 0; row by row, of 8 x 8 pixels of the searched size. */
  readonly map: Plane;
  /** Pixels of the given picture for each cell of the map. */
  readonly cellSide: number;
}

/** The search is at most at this many pixels. */
const MOST_PIXELS = 1_000_000;
const LEAST_SHIFT = 32;
const LEAST_VOTES = 40;
/** Shifts that are looked at closely, the strongest first. */
const MOST_SHIFTS = 300;
/** Neighbours in the order of the features that are compared with a block. */
const NEIGHBOURS = 8;
const WINDOW = 16;
const CELL = 8;
const LEAST_CORRELATION = 0.5;
const LEAST_SHARPNESS = 0.6;
const ASIDE = 3;
/** A window is drawn when so much of it is within so many steps of its darkest or brightest value, which lie apart. */
const DRAWN_SHARE = 0.6;
const DRAWN_RANGE = 16;
const DRAWN_CONTRAST = 64;
/** A part of at least so many cells counts. */
export const LEAST_CELLS = 24;

interface Shift {
  readonly x: number;
  readonly y: number;
  readonly votes: number;
}

/** Votes for shifts, of which the second half of the plane is the mirror image of the first and not kept. */
function countVotes(plane: Plane): Shift[] {
  const { features, places } = blockFeatures(plane);
  const order = sortedBlocks(features, places.length);
  const span = 2 * plane.width + 1;
  const votes = new Uint32Array(span * (plane.height + 1));
  const alike = (one: number, other: number) => {
    for (let term = 0; term < TERMS; term += 1)
      if (features[one * TERMS + term] !== features[other * TERMS + term]) return false;
    return true;
  };
  for (let index = 0; index < order.length; index += 1)
    for (let next = 1; next <= NEIGHBOURS && index + next < order.length; next += 1) {
      const [one, other] = [order[index] ?? 0, order[index + next] ?? 0];
      if (!alike(one, other)) continue;
      let [from, to] = [places[one] ?? 0, places[other] ?? 0];
      if (from > to) [from, to] = [to, from];
      const y = Math.floor(to / plane.width) - Math.floor(from / plane.width);
      const x = (to % plane.width) - (from % plane.width);
      if (x * x + y * y < LEAST_SHIFT * LEAST_SHIFT) continue;
      const at = y * span + x + plane.width;
      votes[at] = (votes[at] ?? 0) + 1;
    }
  return strongest(votes, span, plane.width);
}

/** The shifts with most votes; those beside a stronger one are the same. */
function strongest(votes: Uint32Array, span: number, width: number): Shift[] {
  const candidates: Shift[] = [];
  votes.forEach((count, at) => {
    if (count >= LEAST_VOTES)
      candidates.push({ x: (at % span) - width, y: Math.floor(at / span), votes: count });
  });
  candidates.sort((one, other) => other.votes - one.votes);
  const kept: Shift[] = [];
  for (const shift of candidates) {
    if (kept.length === MOST_SHIFTS) break;
    if (!kept.some(({ x, y }) => Math.abs(x - shift.x) <= 2 && Math.abs(y - shift.y) <= 2)) kept.push(shift);
  }
  return kept;
}

/** Edges and texture of a picture, with the sums that each correlation needs. */
interface Details {
  readonly plane: Plane;
  readonly sums: Float64Array;
  readonly squares: Float64Array;
}

/** The picture without its slow changes. */
function detailsOf(plane: Plane): Details {
  const smooth = boxMean(plane, 2);
  const details = {
    ...plane,
    values: plane.values.map((value, index) => value - (smooth.values[index] ?? 0)),
  };
  return {
    plane: details,
    sums: sumsOf(details, (value) => value),
    squares: sumsOf(details, (value) => value * value),
  };
}

/** Correlation of two windows, -1 to 1; 0 when one of them is flat or lies outside. */
function correlation(
  { plane, sums, squares }: Details,
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
  if (spread <= count) return 0;
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
function drawnCells(plane: Plane): Uint8Array {
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
function verify(details: Details, drawn: Uint8Array, shift: Shift): Component {
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
  return componentsOf(holds, columns)[0] ?? { cells: [], columns };
}

/** Looks for parts of a picture that were copied within it. */
export function findCopyMove(brightness: Plane): CopyMove {
  const factor = Math.max(1, Math.ceil(Math.sqrt((brightness.width * brightness.height) / MOST_PIXELS)));
  const plane = shrinkPlane(brightness, factor);
  const shifts = countVotes(plane);
  const details = detailsOf(plane);
  const drawn = drawnCells(plane);
  let best: { shift: Shift; part: Component } | undefined;
  for (const shift of shifts) {
    const part = verify(details, drawn, shift);
    if (part.cells.length > (best?.part.cells.length ?? 0)) best = { shift, part };
  }
  const cells = best?.part.cells.length ?? 0;
  return {
    cells,
    verified: cells >= LEAST_CELLS,
    votes: shifts[0]?.votes ?? 0,
    shift: best === undefined ? null : { x: best.shift.x * factor, y: best.shift.y * factor },
    map: mapOf(plane, best),
    cellSide: CELL * factor,
  };
}

function mapOf(plane: Plane, best: { shift: Shift; part: Component } | undefined): Plane {
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
