/** The largest byte of a quantised vector: one signed byte per number. */
const LARGEST_BYTE = 127;

/** Quantises a vector to signed bytes; its length is lost, its direction kept to about a hundredth. */
export function quantiseVector(vector: ArrayLike<number>): Buffer {
  const numbers = Array.from(vector);
  const largest = numbers.reduce((most, number) => Math.max(most, Math.abs(number)), 0);
  const scale = largest > 0 ? LARGEST_BYTE / largest : 0;
  const bytes = Buffer.alloc(vector.length);
  numbers.forEach((number, index) => {
    bytes.writeInt8(Math.round(number * scale), index);
  });
  return bytes;
}

/** The cosine of two quantised vectors, -1 to 1; 0 when one of them is all zero or they differ in length. */
export function quantisedCosine(one: Int8Array, other: Int8Array): number {
  if (one.length !== other.length) return 0;
  let [product, first, second] = [0, 0, 0];
  for (let index = 0; index < one.length; index++) {
    const [a, b] = [one[index] ?? 0, other[index] ?? 0];
    product += a * b;
    first += a * a;
    second += b * b;
  }
  return first === 0 || second === 0 ? 0 : product / Math.sqrt(first * second);
}

/** A view of stored bytes as signed numbers. */
export const asSignedBytes = (bytes: Uint8Array) =>
  new Int8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
