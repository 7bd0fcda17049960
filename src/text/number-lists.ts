import { z } from 'zod';

interface Bounds {
  readonly least?: number;
  readonly most?: number;
  /** How many numbers a list must have; any number of them where it is left out. */
  readonly count?: number;
}

/**
 * Schema of a long list of whole numbers, as weights stand in model files: one loop over the list itself, where z.array() takes a
 * call for each number and copies the list.
 */
export function wholeNumbers({
  least = Number.MIN_SAFE_INTEGER,
  most = Number.MAX_SAFE_INTEGER,
  count,
}: Bounds = {}) {
  const isOne = (value: unknown) =>
    typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most;
  return z.custom<readonly number[]>(
    (list) =>
      Array.isArray(list) &&
      (count === undefined || list.length === count) &&
      list.every((one) => isOne(one)),
    `must be a list of ${count === undefined ? '' : `${count} `}whole numbers from ${least} to ${most}`,
  );
}

/** Schema of so many weights for the numbers of a vector, kept as vectors are (dot-product.ts). */
export const vectorWeights = (count: number) =>
  z
    .array(z.number())
    .length(count)
    .transform((list) => Float32Array.from(list));

/** Schema of the weights of a model: one signed byte each, the lowest left out. */
export const signedBytes = (count?: number) =>
  wholeNumbers({ least: -127, most: 127, ...(count !== undefined && { count }) });
