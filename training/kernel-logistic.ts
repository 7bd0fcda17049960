/** Logistic regression in the space of a kernel, in its dual form. */
import { conjugateGradients } from './conjugate-gradients.ts';

/** What a row is an example of, and how much it counts. */
interface KernelRow {
  readonly truth: boolean;
  readonly weight: number;
}

const NEWTON_STEPS = 8;
const MOST_STEPS = 160;
/** Squared length of what is left of an equation, as a share of its right side: weights of texts are kept in three digits. */
const LEAST_LEFT = 1e-8;
const squareOf = (list: Float64Array) => list.reduce((sum, value) => sum + value * value, 0);

function times(matrix: readonly Float32Array[], vector: Float64Array): Float64Array {
  return Float64Array.from(matrix, (row) => {
    let sum = 0;
    for (let at = 0; at < row.length; at += 1) sum += (row[at] as number) * (vector[at] as number);
    return sum;
  });
}

/** Row weights, so that both truths weigh alike in sum. */
function balanced(rows: readonly KernelRow[]): number[] {
  const sumOf = (wanted: boolean) =>
    rows.reduce((sum, { truth, weight }) => sum + (truth === wanted ? weight : 0), 0);
  const [yes, no] = [sumOf(true), sumOf(false)];
  return rows.map(({ truth, weight }) => (weight * (yes + no)) / 2 / (truth ? yes : no));
}

/**
 * One weight a row and a bias: the score of a text is the bias and the sum of the weights times its kernels with the rows. By Newton's
 * method, under a penalty of half of `penalty` times the squared norm of the score in the space of the kernel.
 */
export function fitKernelLogistic(
  kernel: readonly Float32Array[],
  rows: readonly KernelRow[],
  penalty: number,
): { readonly weights: Float64Array; readonly bias: number } {
  const counts = balanced(rows);
  let weights = new Float64Array(rows.length);
  let bias = 0;
  /** Both solutions of the step before, where the next one begins. */
  let solved: { readonly wanted?: Float64Array; readonly one?: Float64Array } = {};
  for (let step = 0; step < NEWTON_STEPS; step += 1) {
    const scores = times(kernel, weights).map((score) => score + bias);
    const chances = scores.map((score) => 1 / (1 + Math.exp(-score)));
    const curve = chances.map((chance, at) => (counts[at] as number) * Math.max(1e-6, chance * (1 - chance)));
    const wanted = scores.map((score, at) => {
      const truth = rows[at]?.truth === true ? 1 : 0;
      return score + ((counts[at] as number) * (truth - (chances[at] as number))) / (curve[at] as number);
    });
    // (K + penalty / curve) x = b, scaled on both sides so that its smallest eigenvalue is 1.
    const roots = curve.map((value) => Math.sqrt(value / penalty));
    const solve = (b: Float64Array, known?: Float64Array) => {
      const image = (x: Float64Array) => {
        const inner = times(
          kernel,
          x.map((value, at) => value * (roots[at] as number)),
        );
        return x.map((value, at) => value + (roots[at] as number) * (inner[at] as number));
      };
      const scaled = b.map((value, at) => value * (roots[at] as number));
      const guess = known?.map((value, at) => value / (roots[at] as number));
      const solver = { steps: MOST_STEPS, least: LEAST_LEFT * squareOf(scaled) };
      return conjugateGradients(image, scaled, solver, guess).map(
        (value, at) => value * (roots[at] as number),
      );
    };
    const forWanted = solve(wanted, solved.wanted);
    const forOne = solve(
      wanted.map(() => 1),
      solved.one,
    );
    solved = { wanted: forWanted, one: forOne };
    const total = (list: Float64Array) => list.reduce((sum, value) => sum + value, 0);
    bias = total(forWanted) / total(forOne);
    weights = forWanted.map((value, at) => value - bias * (forOne[at] as number));
  }
  return { weights, bias };
}
