/** Median of values; NaN for none. The values are put in order. */
export function medianOf(values: Float32Array): number {
  values.sort();
  return values[values.length >> 1] ?? Number.NaN;
}

/** Distance from the median in standard deviations, estimated by the median absolute deviation (1.4826 for normal noise). */
export function robustScores(values: Float32Array): Float32Array {
  const middle = medianOf(values.slice());
  const spread = 1.4826 * medianOf(values.map((value) => Math.abs(value - middle)));
  if (!(spread > 0)) return new Float32Array(values.length);
  return values.map((value) => (value - middle) / spread);
}

/** Mean of the largest values, a share of all of them. */
export function meanOfTop(values: Float32Array, share: number): number {
  const count = Math.max(1, Math.round(values.length * share));
  const top = values
    .slice()
    .sort()
    .subarray(values.length - count);
  return top.reduce((sum, value) => sum + value, 0) / count;
}
