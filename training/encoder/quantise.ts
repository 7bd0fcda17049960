import type { Dense } from './package.ts';

const INT8_LIMIT = 127;
/**
 * The products with bytes add four of them in 16 bits: 127 times the absolute weights of such a group must stay below 2^15.
 * The group is four inputs of two halves: inputs 0, 1 with 4, 5 and 2, 3 with 6, 7 of each eight.
 */
const LARGEST_GROUP = 258;

/** A matrix of signed bytes; a weight is its byte times the scale of its column. */
export interface QuantisedDense {
  readonly bytes: Int8Array;
  readonly scales: Float32Array;
  readonly inputs: number;
  readonly outputs: number;
}

/** Quantises a matrix with one scale an output column, for the quick product or for the exact ones. */
export function quantiseDense({ weights, biases }: Dense, quick: boolean): QuantisedDense {
  const outputs = biases.length;
  const inputs = weights.length / outputs;
  const bytes = new Int8Array(weights.length);
  const scales = new Float32Array(outputs);
  for (let output = 0; output < outputs; output++) {
    const column = Float32Array.from(
      { length: inputs },
      (_, input) => weights[input * outputs + output] ?? 0,
    );
    const largest = column.reduce((most, weight) => Math.max(most, Math.abs(weight)), 0) / INT8_LIMIT;
    const least = Math.max(largest, quick ? largestGroup(column) / LARGEST_GROUP : 0) || 1;
    const { scale, rounded } = roundColumn(column, least, quick ? LARGEST_GROUP : Number.POSITIVE_INFINITY);
    scales[output] = scale;
    rounded.forEach((byte, input) => {
      bytes[input * outputs + output] = byte;
    });
  }
  return { bytes, scales, inputs, outputs };
}

/** Rounds a column; rounding may lift a group above the limit, so the scale grows until it does not. */
function roundColumn(column: Float32Array, least: number, limit: number) {
  for (let scale = Math.fround(least); ; scale = Math.fround(scale * 1.002)) {
    const rounded = column.map((weight) => Math.round(weight / scale));
    if (largestGroup(rounded) <= limit) return { scale, rounded };
  }
}

function largestGroup(column: Float32Array): number {
  let most = 0;
  for (let start = 0; start < column.length; start += 8) {
    for (const pair of [0, 2]) {
      const group = [0, 1, 4, 5].map((index) => Math.abs(column[start + pair + index] ?? 0));
      most = Math.max(
        most,
        group.reduce((sum, weight) => sum + weight, 0),
      );
    }
  }
  return most;
}

/** The order in which the products read a matrix: eight columns together, four inputs of each at a time. */
export function pack({ bytes, inputs, outputs }: QuantisedDense): Int8Array {
  const packed = new Int8Array(bytes.length);
  let next = 0;
  for (let block = 0; block < outputs; block += 8) {
    for (let input = 0; input < inputs; input += 4) {
      for (let column = 0; column < 8; column++) {
        for (let step = 0; step < 4; step++) {
          packed[next++] = bytes[(input + step) * outputs + block + column] ?? 0;
        }
      }
    }
  }
  return packed;
}

/**
 * What the products need of the columns: scales, sums of the quantised weights, and biases. `mean` is the mean input: what
 * quantisation takes from its product is given back in the bias.
 */
export function columnFacts(dense: Dense, quantised: QuantisedDense, mean: Float32Array): Float32Array {
  const { bytes, scales, inputs, outputs } = quantised;
  const facts = new Float32Array(3 * outputs);
  for (let output = 0; output < outputs; output++) {
    const scale = scales[output] ?? 0;
    let sum = 0;
    let lost = 0;
    for (let input = 0; input < inputs; input++) {
      const at = input * outputs + output;
      sum += bytes[at] ?? 0;
      lost += (mean[input] ?? 0) * ((dense.weights[at] ?? 0) - (bytes[at] ?? 0) * scale);
    }
    facts[output] = scale;
    facts[outputs + output] = sum * scale;
    facts[2 * outputs + output] = (dense.biases[output] ?? 0) + lost;
  }
  return facts;
}
