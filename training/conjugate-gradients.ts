const product = (one: Float64Array, two: Float64Array) => {
  let sum = 0;
  for (let at = 0; at < one.length; at += 1) sum += (one[at] as number) * (two[at] as number);
  return sum;
};

/**
 * Solves A x = b for a symmetric positive definite A by conjugate gradients (Hestenes and Stiefel, 1952). `times` is A as a function; it ends
 * after `steps` steps or when the squared length of the residual is `least` or less. `guess` is where it begins; without one, at 0.
 */
export function conjugateGradients(
  times: (x: Float64Array) => Float64Array,
  b: Float64Array,
  { steps, least }: { readonly steps: number; readonly least: number },
  guess?: Float64Array,
): Float64Array {
  const x = guess?.slice() ?? new Float64Array(b.length);
  const known = guess === undefined ? undefined : times(guess);
  const rest = b.map((value, at) => value - (known?.[at] ?? 0));
  let direction = rest.slice();
  let size = product(rest, rest);
  for (let step = 0; step < steps && size > least; step += 1) {
    const image = times(direction);
    const along = size / Math.max(product(direction, image), Number.MIN_VALUE);
    for (let at = 0; at < x.length; at += 1) {
      x[at] = (x[at] as number) + along * (direction[at] as number);
      rest[at] = (rest[at] as number) - along * (image[at] as number);
    }
    const next = product(rest, rest);
    direction = direction.map((value, at) => (rest[at] as number) + (next / size) * value);
    size = next;
  }
  return x;
}
