import { DIMENSIONS } from '../../../../text/encoder/layers.ts';

/** Products grow to the size of the other numbers by this. */
const PRODUCT_SCALE = Math.sqrt(DIMENSIONS);

/** What the model of perspectives reads of two vectors of length 1: products, sizes of the differences, the perspective itself. */
export function pairVector(claim: Float32Array, perspective: Float32Array): Float32Array {
  const pair = new Float32Array(3 * DIMENSIONS);
  for (let index = 0; index < DIMENSIONS; index++) {
    const [one, other] = [claim[index] ?? 0, perspective[index] ?? 0];
    pair[index] = one * other * PRODUCT_SCALE;
    pair[DIMENSIONS + index] = Math.abs(one - other);
    pair[2 * DIMENSIONS + index] = other;
  }
  return pair;
}
