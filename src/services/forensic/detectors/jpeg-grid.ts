import { transformLine } from '../../../media/image/dct.ts';
import type { Plane } from '../../../media/image/raster.ts';
import { logBinomialTail } from './binomial.ts';

/**
 * The grid of 8 x 8 blocks that JPEG leaves in a picture, and parts whose grid is another one (ZERO: Nikoukhah et al., IPOL 11, 2021,
 * written after the paper). It also shows that a lossless file was a JPEG once, and that a picture was cropped.
 */
export interface JpegGrid {
  /** The grid of the whole picture, as its first column and row; null when no grid is there beyond chance. */
  readonly main: { readonly x: number; readonly y: number } | null;
  /** Decimal logarithm of the number of false alarms to expect for it; below 0 it is there. */
  readonly logFalseAlarms: number;
  /** Windows whose grid is another one. */
  readonly conflicts: readonly GridConflict[];
  /** 1 for each cell of `STRIDE` pixels in a conflict, else 0. */
  readonly map: Plane;
}

/** A window whose grid is not that of the picture, in pixels. */
export interface GridConflict {
  readonly x: number;
  readonly y: number;
  readonly size: number;
  readonly grid: { readonly x: number; readonly y: number };
  readonly logFalseAlarms: number;
}

const GRIDS = 64;
const WINDOW = 128;
/** Pixels from one window to the next. */
export const STRIDE = 32;
const NO_VOTE = 255;
/** A coefficient below half a step was rounded away. */
const ZERO = 0.5;
/**
 * Decimal logarithm of the false alarms that a conflicting window may have. Real conflicts stand far below (-135 and less); even surfaces
 * out of focus reach -13 at half a grid, because their blocks are no chance at all.
 */
const CONFLICT = -30;

/** Zeros among the 63 coefficients of the block at each pixel; 0 where its rows or columns are all alike. */
function countZeros({ width, height, values }: Plane): Uint8Array {
  const counts = new Uint8Array(width * height);
  const lines = new Float32Array(8 * 8);
  const block = new Float32Array(64);
  const row = new Float32Array(8);
  for (let x = 0; x + 8 <= width; x += 1) {
    for (let y = 0; y < height; y += 1) {
      // The rows of a block are those of the block above, but one: each is transformed once for eight blocks.
      transformLine(values, y * width + x, 1, row, 0, 1);
      lines.set(row, (y & 7) * 8);
      if (y < 7) continue;
      const top = y - 7;
      counts[top * width + x] = zerosOf(lines, top & 7, block);
    }
  }
  return counts;
}

const column = new Float32Array(8);

/** `first` is where the top row stands in the ring of eight transformed rows. */
function zerosOf(lines: Float32Array, first: number, block: Float32Array): number {
  for (let u = 0; u < 8; u += 1) {
    for (let y = 0; y < 8; y += 1) column[y] = lines[((first + y) & 7) * 8 + u] as number;
    transformLine(column, 0, 1, block, u, 8);
  }
  let zeros = 0;
  let [across, down] = [0, 0];
  for (let index = 1; index < 64; index += 1) {
    if (Math.abs(block[index] as number) < ZERO) zeros += 1;
    else if (index < 8) across += 1;
    else if (index % 8 === 0) down += 1;
    else {
      across += 1;
      down += 1;
    }
  }
  return across === 0 || down === 0 ? 0 : zeros;
}

/** For each pixel the grid of the block with most zeros that it lies in, or `NO_VOTE` when two grids are equal. */
function voteForGrids(counts: Uint8Array, width: number, height: number): Uint8Array {
  const best = new Uint8Array(width * height);
  const votes = new Uint8Array(width * height).fill(NO_VOTE);
  for (let y = 0; y + 8 <= height; y += 1)
    for (let x = 0; x + 8 <= width; x += 1) {
      const zeros = counts[y * width + x] as number;
      if (zeros === 0) continue;
      const grid = (y & 7) * 8 + (x & 7);
      for (let row = 0; row < 8; row += 1) {
        const start = (y + row) * width + x;
        for (let at = start; at < start + 8; at += 1) {
          const most = best[at] as number;
          if (zeros > most) {
            best[at] = zeros;
            votes[at] = grid;
          } else if (zeros === most) votes[at] = NO_VOTE;
        }
      }
    }
  return votes;
}

/** Decimal logarithm of the false alarms to expect when `votes` of `pixels` vote alike: neighbours vote together, 64 at a time. */
function logFalseAlarms(votes: number, pixels: number, area: number): number {
  const tests = Math.log10(GRIDS * area * Math.sqrt(area));
  return (
    tests + logBinomialTail(Math.floor(votes / GRIDS), Math.floor(pixels / GRIDS), 1 / GRIDS) / Math.LN10
  );
}

/**
 * Votes for other grids, without those over blocks of the main grid that hold nothing but an even surface or a plain gradient: such
 * blocks have no vote themselves, and the steps between them make half a grid look like one.
 */
function votesBesideMain(
  votes: Uint8Array,
  counts: Uint8Array,
  { width, height }: Pick<Plane, 'width' | 'height'>,
  main: number,
): Uint8Array {
  const informativeVotes = votes.slice();
  for (let top = main >> 3; top + 8 <= height; top += 8)
    for (let left = main & 7; left + 8 <= width; left += 8) {
      if (counts[top * width + left] !== 0) continue;
      for (let y = top; y < top + 8; y += 1)
        informativeVotes.fill(NO_VOTE, y * width + left, y * width + left + 8);
    }
  return informativeVotes;
}

function strongestGrid(histogram: Uint32Array): number {
  let best = 0;
  for (let grid = 1; grid < GRIDS; grid += 1)
    if ((histogram[grid] ?? 0) > (histogram[best] ?? 0)) best = grid;
  return best;
}

const placeOf = (grid: number) => ({ x: grid & 7, y: grid >> 3 });

/** Looks for the grid of a picture, and for windows of another grid. */
export function findJpegGrid(brightness: Plane): JpegGrid {
  const { width, height } = brightness;
  const counts = countZeros(brightness);
  const votes = voteForGrids(counts, width, height);
  const area = width * height;
  const whole = new Uint32Array(256);
  for (const vote of votes) whole[vote] = (whole[vote] ?? 0) + 1;
  const grid = strongestGrid(whole);
  const log = logFalseAlarms(whole[grid] ?? 0, area, area);
  const main = log < 0 ? grid : undefined;
  const conflicts =
    main === undefined
      ? []
      : findConflicts(votesBesideMain(votes, counts, brightness, main), width, height, main);
  const map = { width: Math.ceil(width / STRIDE), height: Math.ceil(height / STRIDE) };
  return {
    main: main === undefined ? null : placeOf(main),
    logFalseAlarms: log,
    conflicts,
    map: { ...map, values: markConflicts(conflicts, map.width, map.height) },
  };
}

function findConflicts(votes: Uint8Array, width: number, height: number, main: number): GridConflict[] {
  const conflicts: GridConflict[] = [];
  for (let y = 0; y + WINDOW <= height; y += STRIDE)
    for (let x = 0; x + WINDOW <= width; x += STRIDE) {
      const histogram = new Uint32Array(256);
      for (let row = y; row < y + WINDOW; row += 1)
        for (let at = row * width + x; at < row * width + x + WINDOW; at += 1) {
          const vote = votes[at] as number;
          histogram[vote] = (histogram[vote] as number) + 1;
        }
      const grid = strongestGrid(histogram);
      if (grid === main) continue;
      const log = logFalseAlarms(histogram[grid] ?? 0, WINDOW * WINDOW, width * height);
      if (log < CONFLICT) conflicts.push({ x, y, size: WINDOW, grid: placeOf(grid), logFalseAlarms: log });
    }
  return conflicts;
}

function markConflicts(conflicts: readonly GridConflict[], width: number, height: number): Float32Array {
  const values = new Float32Array(width * height);
  for (const { x, y, size } of conflicts)
    for (let row = y / STRIDE; row < (y + size) / STRIDE && row < height; row += 1)
      for (let cell = x / STRIDE; cell < (x + size) / STRIDE && cell < width; cell += 1)
        values[row * width + cell] = 1;
  return values;
}
