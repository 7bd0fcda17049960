/** Cells that touch each other, as numbers of cells in a grid of so many columns. */
export interface Component {
  readonly cells: readonly number[];
  readonly columns: number;
}

/** All sets of marked cells that touch at their sides, the largest first. */
export function connectedComponents(marked: Uint8Array, columns: number): Component[] {
  const seen = new Uint8Array(marked.length);
  const components: Component[] = [];
  for (let start = 0; start < marked.length; start += 1) {
    if (marked[start] !== 1 || seen[start] === 1) continue;
    const cells = [start];
    seen[start] = 1;
    for (let index = 0; index < cells.length; index += 1)
      for (const next of neighbours(cells[index] ?? 0, columns, marked.length))
        if (marked[next] === 1 && seen[next] === 0) {
          seen[next] = 1;
          cells.push(next);
        }
    components.push({ cells, columns });
  }
  return components.sort((one, other) => other.cells.length - one.cells.length);
}

function neighbours(cell: number, columns: number, count: number): number[] {
  const column = cell % columns;
  return [
    ...(column > 0 ? [cell - 1] : []),
    ...(column < columns - 1 ? [cell + 1] : []),
    ...(cell >= columns ? [cell - columns] : []),
    ...(cell + columns < count ? [cell + columns] : []),
  ];
}

/** A rectangle of a picture, in its pixels. */
export interface Region {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Rectangles are named up to this number, the largest parts first. */
const MOST_REGIONS = 8;

/** The rectangles around the parts of a grid of cells that are marked; parts of fewer cells are passed over. */
export function componentBounds(
  marked: Uint8Array,
  columns: number,
  cellSide: number,
  leastCells: number,
): Region[] {
  return connectedComponents(marked, columns)
    .filter(({ cells }) => cells.length >= leastCells)
    .slice(0, MOST_REGIONS)
    .map(({ cells }) => {
      const xs = cells.map((cell) => cell % columns);
      const ys = cells.map((cell) => Math.floor(cell / columns));
      const [left, top] = [xs.reduce((a, b) => Math.min(a, b)), ys.reduce((a, b) => Math.min(a, b))];
      return {
        x: left * cellSide,
        y: top * cellSide,
        width: (xs.reduce((a, b) => Math.max(a, b)) - left + 1) * cellSide,
        height: (ys.reduce((a, b) => Math.max(a, b)) - top + 1) * cellSide,
      };
    });
}
