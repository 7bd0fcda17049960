import { DIMENSIONS } from './layers.ts';

/** 32-bit words of a signature: one bit a number. */
export const SIGNATURE_WORDS = DIMENSIONS / 32;

/** Writes the signs of a vector, one bit each. Vectors that are near have signs in common. */
export function writeSignature(vector: Int8Array | Float32Array, into: Uint32Array, at: number): void {
  for (let word = 0; word < SIGNATURE_WORDS; word++) {
    let bits = 0;
    for (let bit = 0; bit < 32; bit++) if ((vector[word * 32 + bit] ?? 0) > 0) bits |= 1 << bit;
    into[at + word] = bits;
  }
}

/** Bits that are set. */
function countBits(word: number): number {
  let bits = word - ((word >>> 1) & 0x55555555);
  bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333);
  return Math.imul((bits + (bits >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

/** How many bits of one signature and of that in a row of many differ, 0 to 512; vectors at an angle of a differ in about 512 a / 180 degrees. */
export function signatureDistance(signatures: Uint32Array, row: number, signature: Uint32Array): number {
  const from = row * SIGNATURE_WORDS;
  let distance = 0;
  for (let word = 0; word < SIGNATURE_WORDS; word++)
    distance += countBits((signatures[from + word] as number) ^ (signature[word] as number));
  return distance;
}
