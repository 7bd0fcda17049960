/** A decoded picture: samples from 0 to 255, row by row from the top left, red, green and blue beside each other. */
export interface Raster {
  readonly width: number;
  readonly height: number;
  readonly rgb: Uint8Array;
}

/** One value for each pixel, row by row. */
export interface Plane {
  readonly width: number;
  readonly height: number;
  readonly values: Float32Array;
}

/** Brightness of a picture, 0 to 255 (Y' of ITU-R BT.601, the one that JPEG stores). */
export function brightnessOf({ width, height, rgb }: Raster): Plane {
  const values = new Float32Array(width * height);
  for (let index = 0, at = 0; index < values.length; index += 1, at += 3)
    values[index] = 0.299 * (rgb[at] ?? 0) + 0.587 * (rgb[at + 1] ?? 0) + 0.114 * (rgb[at + 2] ?? 0);
  return { width, height, values };
}

/** A part of a plane. */
export function cropPlane(plane: Plane, left: number, top: number, width: number, height: number): Plane {
  const values = new Float32Array(width * height);
  for (let row = 0; row < height; row += 1) {
    const start = (top + row) * plane.width + left;
    values.set(plane.values.subarray(start, start + width), row * width);
  }
  return { width, height, values };
}

/** A plane whose sides are divided by a whole number: each value is the mean of a square. */
export function shrinkPlane(plane: Plane, factor: number): Plane {
  if (factor === 1) return plane;
  const width = Math.floor(plane.width / factor);
  const height = Math.floor(plane.height / factor);
  const values = new Float32Array(width * height);
  for (let y = 0; y < height * factor; y += 1) {
    const source = y * plane.width;
    const target = Math.floor(y / factor) * width;
    for (let x = 0; x < width * factor; x += 1) {
      const cell = target + Math.floor(x / factor);
      values[cell] = (values[cell] ?? 0) + (plane.values[source + x] ?? 0);
    }
  }
  for (let index = 0; index < values.length; index += 1)
    values[index] = (values[index] ?? 0) / (factor * factor);
  return { width, height, values };
}

/** Mean over a square window of 2 * radius + 1 cells, cut off at the edges, by two passes of running sums. */
export function boxMean(plane: Plane, radius: number): Plane {
  return meanOfColumns(meanOfRows(plane, radius, radius), radius, radius);
}

/** Mean of each row over the cells from `before` to the left to `after` to the right. */
export function meanOfRows({ width, height, values }: Plane, before: number, after: number): Plane {
  const means = new Float32Array(values.length);
  for (let y = 0; y < height; y += 1) meanOfLine(values, means, y * width, 1, width, before, after);
  return { width, height, values: means };
}

/** Mean of each column over the cells from `before` above to `after` below. */
export function meanOfColumns({ width, height, values }: Plane, before: number, after: number): Plane {
  const means = new Float32Array(values.length);
  for (let x = 0; x < width; x += 1) meanOfLine(values, means, x, width, height, before, after);
  return { width, height, values: means };
}

function meanOfLine(
  from: Float32Array,
  to: Float32Array,
  start: number,
  step: number,
  length: number,
  before: number,
  after: number,
): void {
  let sum = 0;
  let first = 0;
  let next = 0;
  for (let index = 0; index < length; index += 1) {
    const last = Math.min(length - 1, index + after);
    for (; next <= last; next += 1) sum += from[start + next * step] ?? 0;
    for (; first < index - before; first += 1) sum -= from[start + first * step] ?? 0;
    to[start + index * step] = sum / (next - first);
  }
}

/** Sums over all rectangles from the top left corner, one row and one column larger than the plane: any other rectangle is four of them. */
export function integralImage({ width, height, values }: Plane, of: (value: number) => number): Float64Array {
  const sums = new Float64Array((width + 1) * (height + 1));
  for (let y = 0; y < height; y += 1) {
    let line = 0;
    for (let x = 0; x < width; x += 1) {
      line += of(values[y * width + x] ?? 0);
      sums[(y + 1) * (width + 1) + x + 1] = (sums[y * (width + 1) + x + 1] ?? 0) + line;
    }
  }
  return sums;
}

/** The sum over a square, from the sums of a plane that is `stride - 1` wide. */
export function squareSum(sums: Float64Array, stride: number, x: number, y: number, side: number): number {
  return (
    (sums[(y + side) * stride + x + side] as number) -
    (sums[y * stride + x + side] as number) -
    (sums[(y + side) * stride + x] as number) +
    (sums[y * stride + x] as number)
  );
}
