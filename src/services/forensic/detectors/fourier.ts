/** Turns a square of complex values into its frequencies, or back, in place; both are scaled by nothing. */
export interface SquareTransform {
  readonly side: number;
  /** `filledRows`: from that row on all values are zero. */
  forward(real: Float32Array, imaginary: Float32Array, filledRows?: number): void;
  /** The inverse, without the division by the number of values. */
  backward(real: Float32Array, imaginary: Float32Array): void;
}

interface Tables {
  readonly side: number;
  readonly reversed: Uint32Array;
  readonly cosines: Float32Array;
  readonly sines: Float32Array;
}

function tablesOf(side: number): Tables {
  const bits = Math.log2(side);
  return {
    side,
    reversed: Uint32Array.from({ length: side }, (_, index) => {
      let mirrored = 0;
      for (let bit = 0; bit < bits; bit += 1) mirrored |= ((index >> bit) & 1) << (bits - 1 - bit);
      return mirrored;
    }),
    cosines: Float32Array.from({ length: side / 2 }, (_, index) => Math.cos((2 * Math.PI * index) / side)),
    sines: Float32Array.from({ length: side / 2 }, (_, index) => -Math.sin((2 * Math.PI * index) / side)),
  };
}

/** One line, by the algorithm of Cooley and Tukey. */
function transformLine(
  { side, reversed, cosines, sines }: Tables,
  real: Float32Array,
  imaginary: Float32Array,
): void {
  for (let index = 0; index < side; index += 1) {
    const other = reversed[index] as number;
    if (other <= index) continue;
    const [a, b] = [real[index] as number, imaginary[index] as number];
    real[index] = real[other] as number;
    imaginary[index] = imaginary[other] as number;
    real[other] = a;
    imaginary[other] = b;
  }
  for (let half = 1; half < side; half *= 2) {
    const stride = side / (2 * half);
    for (let start = 0; start < side; start += 2 * half)
      for (let step = 0; step < half; step += 1) {
        const cosine = cosines[step * stride] as number;
        const sine = sines[step * stride] as number;
        const low = start + step;
        const high = low + half;
        const a = (real[high] as number) * cosine - (imaginary[high] as number) * sine;
        const b = (real[high] as number) * sine + (imaginary[high] as number) * cosine;
        real[high] = (real[low] as number) - a;
        imaginary[high] = (imaginary[low] as number) - b;
        real[low] = (real[low] as number) + a;
        imaginary[low] = (imaginary[low] as number) + b;
      }
  }
}

/** Squares of this side are exchanged at once, so that they stay in the processor's cache. */
const EXCHANGED = 16;

function transpose(values: Float32Array, side: number): void {
  for (let top = 0; top < side; top += EXCHANGED)
    for (let left = top; left < side; left += EXCHANGED)
      for (let y = top; y < Math.min(side, top + EXCHANGED); y += 1)
        for (let x = Math.max(left, y + 1); x < Math.min(side, left + EXCHANGED); x += 1) {
          const value = values[y * side + x] as number;
          values[y * side + x] = values[x * side + y] as number;
          values[x * side + y] = value;
        }
}

/** Makes the transform of squares of a side, which is a power of two. */
export function squareTransform(side: number): SquareTransform {
  const tables = tablesOf(side);
  const forward = (real: Float32Array, imaginary: Float32Array, filledRows = side) => {
    for (const rows of [filledRows, side]) {
      for (let row = 0; row < rows; row += 1)
        transformLine(
          tables,
          real.subarray(row * side, (row + 1) * side),
          imaginary.subarray(row * side, (row + 1) * side),
        );
      transpose(real, side);
      transpose(imaginary, side);
    }
  };
  return { side, forward, backward: (real, imaginary) => forward(imaginary, real) };
}
