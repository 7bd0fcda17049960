import type { Drawing } from './error-level.ts';
import { powerSpectrum } from './fourier.ts';

/** Samples of a window, and the most samples from one to the next. */
const WINDOW = 1024;
const STEP = 512;
/** Most columns of the drawing: of longer sounds several windows share one. */
const MOST_COLUMNS = 1024;
/** Looks of one column at most: those of hours need not all be taken. */
const MOST_LOOKS = 16;
/** Decibels below full scale that are black and white. */
const DARKEST = -110;
const LIGHTEST = -20;

const HANN = Float32Array.from(
  { length: WINDOW },
  (_, at) => 0.5 - 0.5 * Math.cos((2 * Math.PI * at) / WINDOW),
);

/** Frequencies over time: time to the right, low frequencies below, lighter is louder. */
export function spectrogram(samples: Float32Array): Drawing {
  const windows = Math.max(1, Math.floor((samples.length - WINDOW) / STEP) + 1);
  const width = Math.min(MOST_COLUMNS, windows);
  const height = WINDOW / 2;
  const pixels = new Uint8Array(width * height);
  for (let column = 0; column < width; column += 1) {
    const [first, last] = [
      Math.floor((column * windows) / width),
      Math.floor(((column + 1) * windows) / width),
    ];
    const stride = Math.max(1, Math.ceil((last - first) / MOST_LOOKS));
    const sum = new Float32Array(height);
    let count = 0;
    for (let look = first; look < Math.max(last, first + 1); look += stride, count += 1) {
      const start = look * STEP;
      const cut = Float32Array.from(
        { length: WINDOW },
        (_, at) => (samples[start + at] ?? 0) * (HANN[at] ?? 0),
      );
      const power = powerSpectrum(cut);
      for (let at = 0; at < height; at += 1) sum[at] = (sum[at] ?? 0) + (power[at] ?? 0);
    }
    for (let at = 0; at < height; at += 1) {
      const decibels = 10 * Math.log10((sum[at] ?? 0) / count + 1e-15);
      const shade = Math.round((255 * (decibels - DARKEST)) / (LIGHTEST - DARKEST));
      pixels[(height - 1 - at) * width + column] = Math.max(0, Math.min(255, shade));
    }
  }
  return { width, height, pixels };
}
