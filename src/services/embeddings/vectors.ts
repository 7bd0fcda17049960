/** The leading numbers of a vector, scaled to length 1 again; a vector of zeros stays. */
export function truncateVector(vector: Float32Array, dimensions: number): Float32Array {
  const short = vector.slice(0, dimensions);
  const length = Math.hypot(...short);
  return length > 0 ? short.map((number) => number / length) : short;
}

/** Bytes of a vector as little-endian 32-bit floats, in base64. */
export function toBase64(vector: Float32Array): string {
  const bytes = Buffer.alloc(vector.length * 4);
  vector.forEach((number, index) => {
    bytes.writeFloatLE(number, index * 4);
  });
  return bytes.toString('base64');
}

/** Reads what `toBase64` writes. */
export function fromBase64(text: string): Float32Array {
  const bytes = Buffer.from(text, 'base64');
  return Float32Array.from({ length: Math.floor(bytes.length / 4) }, (_, index) =>
    bytes.readFloatLE(index * 4),
  );
}

/** Digits that give a 32-bit float back exactly. */
const FLOAT_DIGITS = 9;

/** Numbers for JSON: the shortest that give the same 32-bit floats. */
export function toNumbers(vector: Float32Array): number[] {
  return Array.from(vector, (number) => Number(number.toPrecision(FLOAT_DIGITS)));
}
