/** Products that are summed side by side: a sum need not wait for the one before it. */
const LANES = 4;

/**
 * The dot product of two vectors of the same length; the cosine where both have length 1. For this kind of array alone: a loop that
 * also meets others, such as signed bytes, takes twice as long.
 */
export function dotProduct(one: Float32Array, other: Float32Array): number {
  const whole = one.length - (one.length % LANES);
  let [first, second, third, fourth] = [0, 0, 0, 0];
  for (let at = 0; at < whole; at += LANES) {
    first += (one[at] as number) * (other[at] as number);
    second += (one[at + 1] as number) * (other[at + 1] as number);
    third += (one[at + 2] as number) * (other[at + 2] as number);
    fourth += (one[at + 3] as number) * (other[at + 3] as number);
  }
  for (let at = whole; at < one.length; at += 1) first += (one[at] as number) * (other[at] as number);
  return first + second + third + fourth;
}
