/** Principal axes of vectors, by subspace iteration. */

const ROUNDS = 40;

/** Makes rows orthogonal and of length 1 (Gram and Schmidt). */
function orthonormal(rows: readonly Float64Array[]): Float64Array[] {
  const done: Float64Array[] = [];
  for (const row of rows) {
    const own = row.slice();
    for (const axis of done) {
      const share = own.reduce((sum, value, at) => sum + value * (axis[at] as number), 0);
      axis.forEach((value, at) => {
        own[at] = (own[at] as number) - share * value;
      });
    }
    const length = Math.sqrt(own.reduce((sum, value) => sum + value * value, 0)) || 1;
    done.push(own.map((value) => value / length));
  }
  return done;
}

/** The axes of unit length along which vectors of mean 0 vary most. */
export function principalAxes(vectors: readonly Float32Array[], count: number): Float64Array[] {
  const width = vectors[0]?.length ?? 0;
  const covariance = Array.from({ length: width }, () => new Float64Array(width));
  for (const vector of vectors)
    covariance.forEach((row, one) => {
      const own = vector[one] as number;
      for (let other = 0; other < width; other += 1)
        row[other] = (row[other] as number) + own * (vector[other] as number);
    });
  let axes = orthonormal(vectors.slice(0, count).map((vector) => Float64Array.from(vector)));
  for (let round = 0; round < ROUNDS; round += 1)
    axes = orthonormal(
      axes.map((axis) =>
        Float64Array.from(covariance, (row) =>
          row.reduce((sum, value, at) => sum + value * (axis[at] as number), 0),
        ),
      ),
    );
  return axes;
}
