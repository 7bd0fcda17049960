import { boxMean, type Plane, shrinkPlane } from '../../../media/image/raster.ts';
import type { Component } from './components.ts';
import { blockFeatures, sortedBlocks, TERMS } from './copy-move-features.ts';
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
/** A part of at least so many cells counts. */
export const LEAST_CELLS = 24;

interface VotedShift extends Displacement {
  readonly votes: number;
}

/** Votes for shifts, of which the second half of the plane is the mirror image of the first and not kept. */
function countVotes(plane: Plane): VotedShift[] {
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
function strongest(votes: Uint32Array, span: number, width: number): VotedShift[] {
  const candidates: VotedShift[] = [];
  votes.forEach((count, at) => {
    if (count >= LEAST_VOTES)
      candidates.push({ x: (at % span) - width, y: Math.floor(at / span), votes: count });
  });
  candidates.sort((one, other) => other.votes - one.votes);
  const kept: VotedShift[] = [];
  for (const shift of candidates) {
    if (kept.length === MOST_SHIFTS) break;
    if (!kept.some(({ x, y }) => Math.abs(x - shift.x) <= 2 && Math.abs(y - shift.y) <= 2)) kept.push(shift);
  }
  return kept;
}

/** Details of less energy than this are noise of the compression. */
const FLAT = 1;

/** Edges and texture: the picture without its slow changes. */
function detailsOf(plane: Plane): Details {
  const smooth = boxMean(plane, 2);
  const values = plane.values.map((value, index) => value - (smooth.values[index] ?? 0));
  return matchableCells({ ...plane, values }, FLAT);
}

/** Looks for parts of a picture that were copied within it. */
export function findCopyMove(brightness: Plane): CopyMove {
  const factor = Math.max(1, Math.ceil(Math.sqrt((brightness.width * brightness.height) / MOST_PIXELS)));
  const plane = shrinkPlane(brightness, factor);
  const shifts = countVotes(plane);
  const details = detailsOf(plane);
  const drawn = texturedCells(plane);
  let best: { shift: Displacement; part: Component } | undefined;
  for (const shift of shifts) {
    const part = matchAtShift(details, drawn, shift);
    if (part.cells.length > (best?.part.cells.length ?? 0)) best = { shift, part };
  }
  const cells = best?.part.cells.length ?? 0;
  return {
    cells,
    verified: cells >= LEAST_CELLS,
    votes: shifts[0]?.votes ?? 0,
    shift: best === undefined ? null : { x: best.shift.x * factor, y: best.shift.y * factor },
    map: drawMatchMap(plane, best),
    cellSide: CELL * factor,
  };
}
