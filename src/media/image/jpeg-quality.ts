/** Steps of brightness at quality 50, row by row (T.81, table K.1); libjpeg scales them. */
const STANDARD = [
  16, 11, 10, 16, 24, 40, 51, 61, 12, 12, 14, 19, 26, 58, 60, 55, 14, 13, 16, 24, 40, 57, 69, 56, 14, 17, 22,
  29, 51, 87, 80, 62, 18, 22, 37, 56, 68, 109, 103, 77, 24, 35, 55, 64, 81, 104, 113, 92, 49, 64, 78, 87, 103,
  121, 120, 101, 72, 92, 95, 98, 112, 100, 103, 99,
];

/** The steps of brightness that libjpeg uses at a quality of 1 to 100. */
export function standardSteps(quality: number): readonly number[] {
  const scale = quality < 50 ? Math.floor(5000 / quality) : 200 - 2 * quality;
  return STANDARD.map((step) => Math.min(255, Math.max(1, Math.floor((step * scale + 50) / 100))));
}

/** How near a table is to those of libjpeg: the quality, and the mean distance of a step (0: the very table). */
export interface NearestQuality {
  readonly quality: number;
  readonly distance: number;
}

/** The quality of libjpeg whose table is nearest. */
export function nearestQuality(steps: readonly number[]): NearestQuality {
  let best: NearestQuality = { quality: 1, distance: Number.POSITIVE_INFINITY };
  for (let quality = 1; quality <= 100; quality += 1) {
    const standard = standardSteps(quality);
    const sum = standard.reduce((total, step, index) => total + Math.abs(step - (steps[index] ?? 0)), 0);
    if (sum / 64 < best.distance) best = { quality, distance: sum / 64 };
  }
  return best;
}
