import sharp from 'sharp';
import type { Plane, Raster } from '../../../src/media/image/raster.ts';

/** Numbers between 0 and 1 that look like chance and are the same at every run (mulberry32). */
export function chance(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

/** A picture with slow and fast changes and noise, as photos have them: sums of smoothed noise of several sizes. */
export function photoLike(width: number, height: number, seed: number): Raster {
  const random = chance(seed);
  const grey = new Float32Array(width * height).fill(128);
  for (const [cell, strength] of [
    [96, 70],
    [32, 40],
    [11, 30],
    [4, 22],
    [1, 9],
  ] as const) {
    const columns = Math.ceil(width / cell) + 2;
    const knots = Float32Array.from(
      { length: columns * (Math.ceil(height / cell) + 2) },
      () => random() - 0.5,
    );
    for (let y = 0; y < height; y += 1)
      for (let x = 0; x < width; x += 1) {
        const [column, row] = [Math.floor(x / cell), Math.floor(y / cell)];
        const [u, v] = [x / cell - column, y / cell - row];
        const at = row * columns + column;
        const top = (knots[at] ?? 0) * (1 - u) + (knots[at + 1] ?? 0) * u;
        const bottom = (knots[at + columns] ?? 0) * (1 - u) + (knots[at + columns + 1] ?? 0) * u;
        const place = y * width + x;
        grey[place] = (grey[place] ?? 0) + strength * (top * (1 - v) + bottom * v);
      }
  }
  const rgb = new Uint8Array(3 * width * height);
  grey.forEach((value, index) => {
    for (const [channel, shade] of [1.04, 1, 0.93].entries())
      rgb[3 * index + channel] = Math.max(0, Math.min(255, Math.round(value * shade)));
  });
  return { width, height, rgb };
}

/** Saves a picture as a JPEG. */
export function saved({ width, height, rgb }: Raster, quality: number): Promise<Buffer> {
  return sharp(rgb, { raw: { width, height, channels: 3 } })
    .jpeg({ quality })
    .toBuffer();
}

/** Reads a picture. */
export async function opened(file: Buffer): Promise<Raster> {
  const { data, info } = await sharp(file).removeAlpha().raw().toBuffer({ resolveWithObject: true });
  return { width: info.width, height: info.height, rgb: data };
}

/** Puts a rectangle of one picture into another. */
export function pasted(
  into: Raster,
  from: Raster,
  { x, y, width, height }: { x: number; y: number; width: number; height: number },
  source: { x: number; y: number },
): Raster {
  const rgb = Uint8Array.from(into.rgb);
  for (let row = 0; row < height; row += 1) {
    const start = 3 * ((source.y + row) * from.width + source.x);
    rgb.set(from.rgb.subarray(start, start + 3 * width), 3 * ((y + row) * into.width + x));
  }
  return { ...into, rgb };
}

/** Mean of the cells of a map inside and outside a rectangle of the picture. */
export function insideOutside(
  map: Plane,
  cellSide: number,
  { x, y, width, height }: { x: number; y: number; width: number; height: number },
): { inside: number; outside: number } {
  const sums = { inside: [0, 0], outside: [0, 0] };
  map.values.forEach((value, cell) => {
    const [left, top] = [(cell % map.width) * cellSide, Math.floor(cell / map.width) * cellSide];
    const isInside = left >= x && top >= y && left + cellSide <= x + width && top + cellSide <= y + height;
    const sum = sums[isInside ? 'inside' : 'outside'];
    sum[0] = (sum[0] ?? 0) + value;
    sum[1] = (sum[1] ?? 0) + 1;
  });
  const mean = ([sum = 0, count = 0]: number[]) => sum / Math.max(1, count);
  return { inside: mean(sums.inside), outside: mean(sums.outside) };
}
