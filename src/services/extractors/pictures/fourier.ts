/** Power of the frequencies of samples whose number is a power of two, from none to half of the rate (Cooley and Tukey). */
export function powerSpectrum(samples: Float32Array): Float32Array {
  const size = samples.length;
  const real = Float64Array.from(samples);
  const imaginary = new Float64Array(size);
  swapReversed(real);
  for (let span = 2; span <= size; span *= 2) {
    const half = span / 2;
    for (let start = 0; start < size; start += span)
      for (let step = 0; step < half; step += 1) {
        const angle = (-2 * Math.PI * step) / span;
        const [cosine, sine] = [Math.cos(angle), Math.sin(angle)];
        const [one, other] = [start + step, start + step + half];
        const [a, b] = [real[other] ?? 0, imaginary[other] ?? 0];
        const [turnedReal, turnedImaginary] = [a * cosine - b * sine, a * sine + b * cosine];
        const [keptReal, keptImaginary] = [real[one] ?? 0, imaginary[one] ?? 0];
        real[one] = keptReal + turnedReal;
        imaginary[one] = keptImaginary + turnedImaginary;
        real[other] = keptReal - turnedReal;
        imaginary[other] = keptImaginary - turnedImaginary;
      }
  }
  return Float32Array.from(
    { length: size / 2 },
    (_, at) => ((real[at] ?? 0) ** 2 + (imaginary[at] ?? 0) ** 2) / size ** 2,
  );
}

/** Reorders the values by bit-reversed index. */
function swapReversed(values: Float64Array): void {
  for (let at = 1, reversed = 0; at < values.length; at += 1) {
    let bit = values.length >> 1;
    for (; (reversed & bit) !== 0; bit >>= 1) reversed ^= bit;
    reversed ^= bit;
    if (at >= reversed) continue;
    const kept = values[at] ?? 0;
    values[at] = values[reversed] ?? 0;
    values[reversed] = kept;
  }
}
