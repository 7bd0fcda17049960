/** Sparse rows: the columns of each row, as often as they count, and one value for all of them. */
export interface SparseRows {
  readonly columns: readonly Int32Array[];
  readonly values: Float64Array;
  readonly width: number;
}

/** Sparse rows times a matrix of `outputs` numbers a column. */
export function timesMatrix(
  { columns, values }: SparseRows,
  matrix: Float64Array,
  outputs: number,
): Float64Array {
  const result = new Float64Array(columns.length * outputs);
  columns.forEach((row, index) => {
    const start = index * outputs;
    const value = values[index] ?? 0;
    for (const column of row) {
      const from = column * outputs;
      for (let at = 0; at < outputs; at++) {
        result[start + at] = (result[start + at] ?? 0) + value * (matrix[from + at] ?? 0);
      }
    }
  });
  return result;
}

function transposedTimes(
  { columns, values, width }: SparseRows,
  matrix: Float64Array,
  outputs: number,
): Float64Array {
  const result = new Float64Array(width * outputs);
  columns.forEach((row, index) => {
    const start = index * outputs;
    const value = values[index] ?? 0;
    for (const column of row) {
      const to = column * outputs;
      for (let at = 0; at < outputs; at++) {
        result[to + at] = (result[to + at] ?? 0) + value * (matrix[start + at] ?? 0);
      }
    }
  });
  return result;
}

/** Sums of products of two matrices, output by output. */
function dots(one: Float64Array, two: Float64Array, outputs: number): Float64Array {
  const sums = new Float64Array(outputs);
  for (let at = 0; at < one.length; at++)
    sums[at % outputs] = (sums[at % outputs] ?? 0) + (one[at] ?? 0) * (two[at] ?? 0);
  return sums;
}

/**
 * Ridge regression: the matrix B that makes |X B - Y|^2 + penalty * |B|^2 least, by conjugate gradients, each output by
 * itself. `targets` holds `outputs` numbers a row.
 */
export function ridge(
  rows: SparseRows,
  targets: Float64Array,
  { outputs, penalty, rounds }: { outputs: number; penalty: number; rounds: number },
): Float64Array {
  const solution = new Float64Array(rows.width * outputs);
  const rest = transposedTimes(rows, targets, outputs);
  const direction = rest.slice();
  let size = dots(rest, rest, outputs);
  for (let round = 0; round < rounds; round++) {
    const image = transposedTimes(rows, timesMatrix(rows, direction, outputs), outputs);
    for (let at = 0; at < image.length; at++) image[at] = (image[at] ?? 0) + penalty * (direction[at] ?? 0);
    const along = dots(direction, image, outputs);
    const steps = size.map((value, output) => value / Math.max(along[output] ?? 0, Number.MIN_VALUE));
    for (let at = 0; at < rest.length; at++) {
      const step = steps[at % outputs] ?? 0;
      solution[at] = (solution[at] ?? 0) + step * (direction[at] ?? 0);
      rest[at] = (rest[at] ?? 0) - step * (image[at] ?? 0);
    }
    const next = dots(rest, rest, outputs);
    const turns = next.map((value, output) => value / Math.max(size[output] ?? 0, Number.MIN_VALUE));
    for (let at = 0; at < direction.length; at++) {
      direction[at] = (rest[at] ?? 0) + (turns[at % outputs] ?? 0) * (direction[at] ?? 0);
    }
    size = next;
  }
  return solution;
}

/** The directions of most variance of vectors, orthonormal, the strongest first: subspace iteration on their covariance. */
export function principalDirections(
  vectors: readonly Float32Array[],
  count: number,
  random: () => number,
): Float64Array[] {
  const width = vectors[0]?.length ?? 0;
  const covariance = new Float64Array(width * width);
  for (const vector of vectors) {
    for (let row = 0; row < width; row++) {
      const value = vector[row] ?? 0;
      for (let column = 0; column < width; column++) {
        covariance[row * width + column] =
          (covariance[row * width + column] ?? 0) + value * (vector[column] ?? 0);
      }
    }
  }
  let basis: Float64Array[] = Array.from({ length: count }, () =>
    Float64Array.from({ length: width }, () => random() - 0.5),
  );
  for (let round = 0; round < 30; round++) {
    basis = orthonormal(basis.map((vector) => timesSquare(covariance, vector)));
  }
  return basis;
}

function timesSquare(matrix: Float64Array, vector: Float64Array): Float64Array {
  const width = vector.length;
  return vector.map((_, row) => {
    let sum = 0;
    for (let column = 0; column < width; column++)
      sum += (matrix[row * width + column] ?? 0) * (vector[column] ?? 0);
    return sum;
  });
}

/** Gram-Schmidt: vectors of length 1 at right angles that span the same space. */
function orthonormal(vectors: readonly Float64Array[]): Float64Array[] {
  const basis: Float64Array[] = [];
  for (const vector of vectors) {
    const rest = vector.slice();
    for (const one of basis) {
      const share = rest.reduce((sum, value, index) => sum + value * (one[index] ?? 0), 0);
      rest.forEach((value, index) => {
        rest[index] = value - share * (one[index] ?? 0);
      });
    }
    const length = Math.hypot(...rest);
    basis.push(rest.map((value) => value / length));
  }
  return basis;
}
