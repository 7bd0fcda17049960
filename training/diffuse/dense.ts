/** Linear models over dense rows (vectors of the sentence encoder), by AdaGrad on standardised numbers. */
import { randomFrom } from '../techniques/rows.ts';

/** What is to be learned; `row` writes the numbers of an example. */
export interface DenseTask {
  readonly count: number;
  readonly width: number;
  row(index: number, out: Float32Array): void;
  /** For each example, the share of each output (0 to 1). */
  readonly targets: readonly (readonly number[])[] | readonly Uint8Array[] | readonly Float32Array[];
  readonly outputs: number;
  readonly link: 'logistic' | 'softmax';
  readonly epochs: number;
  readonly rate: number;
  /** Pull of the weights of standardised numbers towards 0. */
  readonly decay: number;
  readonly seed?: number;
}

/** Weights, output by output, and one bias an output. */
export interface DenseModel {
  readonly weights: Float32Array;
  readonly bias: Float64Array;
}

/** Rows from which mean and spread of each number are taken. */
const SAMPLE = 4000;

function standardOf(task: DenseTask): { mean: Float32Array; spread: Float32Array } {
  const { count, width } = task;
  const [sum, squares] = [new Float64Array(width), new Float64Array(width)];
  const row = new Float32Array(width);
  const step = Math.max(1, Math.floor(count / SAMPLE));
  let seen = 0;
  for (let index = 0; index < count; index += step) {
    task.row(index, row);
    seen += 1;
    for (let at = 0; at < width; at += 1) {
      const value = row[at] as number;
      sum[at] = (sum[at] as number) + value;
      squares[at] = (squares[at] as number) + value * value;
    }
  }
  const mean = Float32Array.from(sum, (total) => total / seen);
  const spread = Float32Array.from(squares, (total, at) =>
    Math.sqrt(Math.max(1e-8, total / seen - (mean[at] as number) ** 2)),
  );
  return { mean, spread };
}

/** Trains and answers weights for the numbers as they are (the standardising is folded in). */
export function trainDenseModel(task: DenseTask): DenseModel {
  const { count, width, outputs, epochs, rate, decay } = task;
  const { mean, spread } = standardOf(task);
  const weights = new Float32Array(width * outputs);
  const squares = new Float32Array(width * outputs).fill(1e-2);
  const bias = new Float64Array(outputs);
  const row = new Float32Array(width);
  const scores = new Float64Array(outputs);
  const random = randomFrom(task.seed ?? 29);
  const order = Uint32Array.from({ length: count }, (_, index) => index);
  for (let epoch = 0; epoch < epochs; epoch += 1) {
    for (let last = count - 1; last > 0; last -= 1) {
      const other = Math.floor(random() * (last + 1));
      const kept = order[last] as number;
      order[last] = order[other] as number;
      order[other] = kept;
    }
    const pace = rate * (1 - epoch / epochs);
    for (const index of order) {
      task.row(index, row);
      for (let at = 0; at < width; at += 1)
        row[at] = ((row[at] as number) - (mean[at] as number)) / (spread[at] as number);
      errorsOf(task, row, weights, bias, index, scores);
      for (let output = 0; output < outputs; output += 1) {
        const error = scores[output] as number;
        bias[output] = (bias[output] as number) + pace * 0.05 * error;
        const base = output * width;
        for (let at = 0; at < width; at += 1) {
          const weight = weights[base + at] as number;
          const gradient = error * (row[at] as number) - decay * weight;
          const square = (squares[base + at] as number) + gradient * gradient;
          squares[base + at] = square;
          weights[base + at] = weight + (pace * gradient) / Math.sqrt(square);
        }
      }
    }
  }
  for (let output = 0; output < outputs; output += 1) {
    for (let at = 0; at < width; at += 1) {
      const weight = (weights[output * width + at] as number) / (spread[at] as number);
      weights[output * width + at] = weight;
      bias[output] = (bias[output] as number) - weight * (mean[at] as number);
    }
  }
  return { weights, bias };
}

/** Leaves target minus probability of each output in `scores`. */
function errorsOf(
  task: DenseTask,
  row: Float32Array,
  weights: Float32Array,
  bias: Float64Array,
  index: number,
  scores: Float64Array,
): void {
  const { width, outputs, link } = task;
  for (let output = 0; output < outputs; output += 1) {
    const base = output * width;
    let sum = bias[output] as number;
    for (let at = 0; at < width; at += 1) sum += (weights[base + at] as number) * (row[at] as number);
    scores[output] = sum;
  }
  const targets = task.targets[index] ?? [];
  if (link === 'softmax') {
    const top = Math.max(...scores);
    let total = 0;
    for (let output = 0; output < outputs; output += 1) total += Math.exp((scores[output] as number) - top);
    for (let output = 0; output < outputs; output += 1)
      scores[output] = (targets[output] ?? 0) - Math.exp((scores[output] as number) - top) / total;
    return;
  }
  for (let output = 0; output < outputs; output += 1) {
    const target = targets[output] ?? 0;
    // Nobody looked for this output in this row.
    scores[output] = Number.isNaN(target) ? 0 : target - 1 / (1 + Math.exp(-(scores[output] as number)));
  }
}

/** Score of one output of a row. */
export function denseScore({ weights, bias }: DenseModel, output: number, row: ArrayLike<number>): number {
  const base = output * row.length;
  let sum = bias[output] as number;
  for (let at = 0; at < row.length; at += 1) sum += (weights[base + at] as number) * (row[at] as number);
  return sum;
}
