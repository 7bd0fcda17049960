import type { Drawing } from './error-level.ts';

const WIDTH = 1024;
const HEIGHT = 128;
/** Grey of the wave, of its middle line, and of the ground. */
const SHADES = { wave: 60, middle: 160, ground: 250 } as const;

/** How loud a sound is over time: from the lowest to the highest sample of each column, full scale from edge to edge. */
export function waveform(samples: Float32Array): Drawing {
  const width = Math.min(WIDTH, Math.max(1, samples.length));
  const pixels = new Uint8Array(width * HEIGHT).fill(SHADES.ground);
  const row = (value: number) =>
    Math.min(HEIGHT - 1, Math.max(0, Math.round(((1 - value) * (HEIGHT - 1)) / 2)));
  pixels.fill(SHADES.middle, row(0) * width, (row(0) + 1) * width);
  for (let column = 0; column < width; column += 1) {
    const first = Math.floor((column * samples.length) / width);
    const last = Math.max(first + 1, Math.floor(((column + 1) * samples.length) / width));
    let [low, high] = [0, 0];
    for (let at = first; at < last; at += 1) {
      const value = samples[at] ?? 0;
      if (value < low) low = value;
      if (value > high) high = value;
    }
    if (low === 0 && high === 0) continue;
    for (let at = row(high); at <= row(low); at += 1) pixels[at * width + column] = SHADES.wave;
  }
  return { width, height: HEIGHT, pixels };
}
