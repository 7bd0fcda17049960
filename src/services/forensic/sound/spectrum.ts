/** The power of each frequency of a window of samples, from 0 up to half the sample rate. The values hold until the next call. */
export type Spectrum = (samples: Float32Array) => Float64Array;

/** A transform of windows of so many samples, a power of two, faded in and out (Blackman): its leaks lie far below what is measured. */
export function createSpectrum(window: number): Spectrum {
  const bits = Math.log2(window);
  const turn = (2 * Math.PI) / window;
  const order = Uint32Array.from({ length: window }, (_, index) => mirrored(index, bits));
  const cosines = Float64Array.from({ length: window / 2 }, (_, index) => Math.cos(turn * index));
  const sines = Float64Array.from({ length: window / 2 }, (_, index) => -Math.sin(turn * index));
  const fade = Float64Array.from({ length: window }, (_, index) => blackman(index / (window - 1)));
  const real = new Float64Array(window);
  const imaginary = new Float64Array(window);
  const power = new Float64Array(window / 2);
  return (samples) => {
    imaginary.fill(0);
    for (let index = 0; index < window; index += 1)
      real[order[index] ?? 0] = (samples[index] ?? 0) * (fade[index] ?? 0);
    for (let half = 1; half < window; half *= 2)
      butterflies({ real, imaginary, cosines, sines, half, stride: window / (2 * half) });
    for (let bin = 0; bin < power.length; bin += 1)
      power[bin] = (real[bin] ?? 0) ** 2 + (imaginary[bin] ?? 0) ** 2;
    return power;
  };
}

const blackman = (share: number): number =>
  0.42 - 0.5 * Math.cos(2 * Math.PI * share) + 0.08 * Math.cos(4 * Math.PI * share);

/** The place of a sample in the order that the transform begins with: its bits read backwards. */
function mirrored(index: number, bits: number): number {
  let result = 0;
  for (let bit = 0; bit < bits; bit += 1) result |= ((index >> bit) & 1) << (bits - 1 - bit);
  return result;
}

interface Round {
  readonly real: Float64Array;
  readonly imaginary: Float64Array;
  readonly cosines: Float64Array;
  readonly sines: Float64Array;
  readonly half: number;
  readonly stride: number;
}

/** One round of the fast Fourier transform, over blocks of twice so many values. */
function butterflies({ real, imaginary, cosines, sines, half, stride }: Round): void {
  for (let place = 0; place < half; place += 1) {
    const [cosine, sine] = [cosines[place * stride] ?? 0, sines[place * stride] ?? 0];
    for (let one = place; one < real.length; one += 2 * half) {
      const two = one + half;
      const r = real[two] ?? 0;
      const i = imaginary[two] ?? 0;
      const turnedReal = r * cosine - i * sine;
      const turnedImaginary = r * sine + i * cosine;
      real[two] = (real[one] ?? 0) - turnedReal;
      imaginary[two] = (imaginary[one] ?? 0) - turnedImaginary;
      real[one] = (real[one] ?? 0) + turnedReal;
      imaginary[one] = (imaginary[one] ?? 0) + turnedImaginary;
    }
  }
}
