import { boxMean, type Plane, shrinkPlane } from '../../../media/image/raster.ts';
import type { Component } from './components.ts';
import { type CopyMove, LEAST_CELLS } from './copy-move.ts';
import { squareTransform } from './fourier.ts';
import {
  CELL,
  type Details,
  type Displacement,
  drawMatchMap,
  matchAtShift,
  matchableCells,
  texturedCells,
} from './shift-matching.ts';

/**
 * Parts that stand in a picture twice where it is nearly even, such as sky: blocks look alike there, but the faint rest that
 * compression leaves is the same in both places. The picture is brought to the same contrast everywhere, each tile of it is
 * correlated with the whole (by Fourier transforms), and the best shifts are looked at as those of `copy-move.ts` are.
 */

/** The longer side at which shifts are looked at closely. */
const LOOKED_AT = 512;
/** Tiles are searched at half of that. */
const SEARCHED = LOOKED_AT / 2;
const TILE = 32;
const STEP = 16;
/** Nearer places are similar in any picture. */
const LEAST_SHIFT = 8;
/** Best places that are kept of each tile, and shifts of all tiles that are looked at closely. */
const PLACES_OF_TILE = 2;
const MOST_SHIFTS = 12;
/** Slow changes over more than so many pixels to each side are taken away, at both sizes. */
const SLOW = { searched: 3, lookedAt: 4 };
/** The contrast is evened over so many pixels to each side. */
const EVENED = 8;
/** Energy, in squared steps of brightness, that is no photo but a rendered gradient or the end of the range. */
const LEAST_ENERGY = 0.25;
/** Strong details count as so many times the usual ones at most. */
const MOST_DEVIATION = 2.5;
/** Evened windows whose mean energy is less hold little of a photo. */
const FLAT = 0.4;
/** The details of a tile agree at least so much with those of another place. */
const LEAST_AGREEMENT = 0.2;

/** The details of a picture, brought to the same contrast everywhere; 0 where it has none. */
function evened(plane: Plane, slow: number): Plane {
  const smooth = boxMean(plane, slow);
  const details = plane.values.map((value, at) => value - (smooth.values[at] as number));
  const energy = boxMean({ ...plane, values: details.map((value) => value * value) }, EVENED);
  const values = details.map((value, at) => {
    const around = energy.values[at] as number;
    if (around < LEAST_ENERGY) return 0;
    return Math.max(-MOST_DEVIATION, Math.min(MOST_DEVIATION, value / Math.sqrt(around)));
  });
  return { ...plane, values };
}

/** A tile by its corner. */
type Tile = Displacement;

/** A tile and a place that looks like it. */
interface Pair extends Displacement {
  readonly tile: Tile;
}

function tilesOf({ width, height }: Plane): Tile[] {
  const tiles: Tile[] = [];
  for (let y = 0; y + TILE <= height; y += STEP)
    for (let x = 0; x + TILE <= width; x += STEP) tiles.push({ x, y });
  return tiles;
}

/** The places at which a correlation is highest, beside the tile itself. */
function bestPlaces(correlation: Float32Array, { width, height }: Plane, tile: Tile): Pair[] {
  const best: { x: number; y: number; value: number }[] = [];
  for (let y = 0; y + TILE <= height; y += 1)
    for (let x = 0; x + TILE <= width; x += 1) {
      const value = correlation[y * SEARCHED + x] as number;
      const lowest = best.length < PLACES_OF_TILE ? 0 : (best.at(-1)?.value ?? 0);
      if (value <= lowest || (x - tile.x) ** 2 + (y - tile.y) ** 2 < LEAST_SHIFT ** 2) continue;
      const beside = best.findIndex((one) => Math.abs(one.x - x) <= 3 && Math.abs(one.y - y) <= 3);
      if (beside >= 0 && (best[beside]?.value ?? 0) >= value) continue;
      if (beside >= 0) best.splice(beside, 1);
      best.push({ x, y, value });
      best.sort((one, other) => other.value - one.value);
      best.length = Math.min(best.length, PLACES_OF_TILE);
    }
  return best.map(({ x, y }) => ({ x: x - tile.x, y: y - tile.y, tile }));
}

/** Correlates tiles with the whole plane, two by one transform: the one is its real part, the other its imaginary one. */
function similarPlaces(plane: Plane): Pair[] {
  const transform = squareTransform(SEARCHED);
  const square = () => new Float32Array(SEARCHED * SEARCHED);
  const put = (into: Float32Array, { x: left, y: top }: Tile, width: number, height: number) => {
    for (let y = 0; y < height; y += 1) {
      const start = (top + y) * plane.width + left;
      into.set(plane.values.subarray(start, start + width), y * SEARCHED);
    }
  };
  const [wholeReal, wholeImaginary] = [square(), square()];
  put(wholeReal, { x: 0, y: 0 }, plane.width, plane.height);
  transform.forward(wholeReal, wholeImaginary);
  const [real, imaginary, productReal, productImaginary] = [square(), square(), square(), square()];
  const tiles = tilesOf(plane);
  const pairs: Pair[] = [];
  for (let at = 0; at < tiles.length; at += 2) {
    real.fill(0);
    imaginary.fill(0);
    const two = tiles.slice(at, at + 2);
    two.forEach((tile, index) => {
      put(index === 0 ? real : imaginary, tile, TILE, TILE);
    });
    transform.forward(real, imaginary, TILE);
    for (let y = 0; y < SEARCHED; y += 1)
      for (let x = 0; x < SEARCHED; x += 1) {
        const here = y * SEARCHED + x;
        // The mirrored frequency of two real tiles is the conjugate of each.
        const mirrored = ((SEARCHED - y) % SEARCHED) * SEARCHED + ((SEARCHED - x) % SEARCHED);
        const [a, b] = [real[mirrored] as number, imaginary[mirrored] as number];
        const [c, d] = [wholeReal[here] as number, wholeImaginary[here] as number];
        productReal[here] = a * c - b * d;
        productImaginary[here] = a * d + b * c;
      }
    transform.backward(productReal, productImaginary);
    two.forEach((tile, index) => {
      pairs.push(...bestPlaces(index === 0 ? productReal : productImaginary, plane, tile));
    });
  }
  return pairs;
}

/** How well a tile of the larger plane fits at a shift: the correlation of both places. */
function agreement({ width, height, values }: Plane, tile: Tile, shift: Displacement): number {
  let [product, energy, otherEnergy] = [0, 0, 0];
  for (let y = 2 * tile.y; y < Math.min(height, 2 * (tile.y + TILE)); y += 1) {
    const otherY = y + shift.y;
    if (otherY < 0 || otherY >= height) continue;
    for (let x = 2 * tile.x; x < Math.min(width, 2 * (tile.x + TILE)); x += 1) {
      const otherX = x + shift.x;
      if (otherX < 0 || otherX >= width) continue;
      const [value, other] = [values[y * width + x] as number, values[otherY * width + otherX] as number];
      product += value * other;
      energy += value * value;
      otherEnergy += other * other;
    }
  }
  return product / Math.max(1, Math.sqrt(energy * otherEnergy));
}

/** The shift of a pair in the larger plane, to the pixel. */
function exactShift(plane: Plane, { tile, ...half }: Pair): Displacement & { readonly agreement: number } {
  let best = { x: 2 * half.x, y: 2 * half.y, agreement: 0 };
  for (let y = 2 * half.y - 1; y <= 2 * half.y + 1; y += 1)
    for (let x = 2 * half.x - 1; x <= 2 * half.x + 1; x += 1) {
      const match = agreement(plane, tile, { x, y });
      if (match > best.agreement) best = { x, y, agreement: match };
    }
  return best;
}

/** The shifts at which tiles fit best; those beside a better one, or opposite to it, are the same. */
function bestShifts(plane: Plane, pairs: readonly Pair[]): Displacement[] {
  const shifts = pairs
    .map((pair) => exactShift(plane, pair))
    .filter((shift) => shift.agreement > LEAST_AGREEMENT)
    .sort((one, other) => other.agreement - one.agreement)
    .map(({ x, y }) => (y < 0 || (y === 0 && x < 0) ? { x: -x, y: -y } : { x, y }));
  const kept: Displacement[] = [];
  for (const shift of shifts) {
    if (kept.length === MOST_SHIFTS) break;
    if (!kept.some(({ x, y }) => Math.abs(x - shift.x) <= 1 && Math.abs(y - shift.y) <= 1)) kept.push(shift);
  }
  return kept;
}

/** Looks for parts of a picture that were copied within it, however faint they are. */
export function findFaintCopy(brightness: Plane): CopyMove {
  const longer = Math.max(brightness.width, brightness.height);
  const factor = Math.max(2, Math.ceil(longer / LOOKED_AT));
  const plane = shrinkPlane(brightness, factor);
  const evenedPlane = evened(plane, SLOW.lookedAt);
  const pairs = similarPlaces(evened(shrinkPlane(plane, 2), SLOW.searched));
  const details: Details = matchableCells(evenedPlane, FLAT);
  const drawn = texturedCells(plane);
  let best: { shift: Displacement; part: Component } | undefined;
  for (const shift of bestShifts(evenedPlane, pairs)) {
    const part = matchAtShift(details, drawn, shift);
    if (part.cells.length > (best?.part.cells.length ?? 0)) best = { shift, part };
  }
  const cells = best?.part.cells.length ?? 0;
  return {
    cells,
    verified: cells >= LEAST_CELLS,
    votes: 0,
    shift: best === undefined ? null : { x: best.shift.x * factor, y: best.shift.y * factor },
    map: drawMatchMap(plane, best),
    cellSide: CELL * factor,
  };
}
