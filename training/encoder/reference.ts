import { type Dense, type Original, type OriginalLayer, positions } from './package.ts';

/** Rows of equal width, one after the other. */
export type Rows = Float32Array;

/** Sees the inputs of each matrix, by its name in the encoder file. */
export type Observer = (name: string, inputs: Rows) => void;

const HEADS = 4;
const EPSILON = 1e-6;

/** rows x inputs times inputs x outputs, plus the biases. */
function multiply(rows: Rows, { weights, biases }: Dense): Rows {
  const outputs = biases.length;
  const inputs = weights.length / outputs;
  const count = rows.length / inputs;
  const result = new Float32Array(count * outputs);
  const sums = new Float64Array(outputs);
  for (let row = 0; row < count; row++) {
    sums.set(biases);
    for (let input = 0; input < inputs; input++) {
      const value = rows[row * inputs + input] ?? 0;
      if (value === 0) continue;
      const start = input * outputs;
      for (let output = 0; output < outputs; output++) {
        sums[output] = (sums[output] ?? 0) + value * (weights[start + output] ?? 0);
      }
    }
    result.set(sums, row * outputs);
  }
  return result;
}

function normalise(rows: Rows, [scales, biases]: readonly [Float32Array, Float32Array]): Rows {
  const width = scales.length;
  const result = new Float32Array(rows.length);
  for (let start = 0; start < rows.length; start += width) {
    const row = rows.subarray(start, start + width);
    const mean = row.reduce((sum, value) => sum + value, 0) / width;
    const variance = row.reduce((sum, value) => sum + (value - mean) ** 2, 0) / width;
    const factor = 1 / Math.sqrt(variance + EPSILON);
    for (let index = 0; index < width; index++) {
      result[start + index] =
        ((row[index] ?? 0) - mean) * factor * (scales[index] ?? 0) + (biases[index] ?? 0);
    }
  }
  return result;
}

/** Attention of four heads over rows of query, key and value. */
function attend(source: Rows, width: number): Rows {
  const count = source.length / (3 * width);
  const head = width / HEADS;
  const result = new Float32Array(count * width);
  for (let start = 0; start < width; start += head) {
    for (let row = 0; row < count; row++) {
      const query = source.subarray(row * 3 * width + start, row * 3 * width + start + head);
      const scores = Float64Array.from({ length: count }, (_, other) => {
        const key = other * 3 * width + width + start;
        return (
          query.reduce((sum, value, index) => sum + value * (source[key + index] ?? 0), 0) / Math.sqrt(head)
        );
      });
      const highest = Math.max(...scores);
      const powers = scores.map((score) => Math.exp(score - highest));
      const total = powers.reduce((sum, power) => sum + power, 0);
      powers.forEach((power, other) => {
        const value = other * 3 * width + 2 * width + start;
        for (let index = 0; index < head; index++) {
          const at = row * width + start + index;
          result[at] = (result[at] ?? 0) + (power / total) * (source[value + index] ?? 0);
        }
      });
    }
  }
  return result;
}

const sum = (one: Rows, two: Rows): Rows => one.map((value, index) => value + (two[index] ?? 0));

function meanOf(rows: Rows, width: number): Rows {
  const mean = new Float32Array(width);
  for (let index = 0; index < rows.length; index++) {
    mean[index % width] = (mean[index % width] ?? 0) + (rows[index] ?? 0) / (rows.length / width);
  }
  return mean;
}

function runLayer(layer: OriginalLayer, prefix: string, rows: Rows, observe: Observer): Rows {
  const dense = (name: string, inputs: Rows, part: Dense): Rows => {
    observe(`${prefix}.${name}`, inputs);
    return multiply(inputs, part);
  };
  const inner = dense('attention_in', normalise(rows, layer.attentionNorm), layer.attentionIn);
  const context = dense('attention_out', attend(inner, layer.width), layer.attentionOut);
  const state = sum(layer.skip === null ? rows : dense('skip', rows, layer.skip), context);
  const hidden = dense('feed_in', normalise(state, layer.feedNorm), layer.feedIn).map((value) =>
    Math.max(0, value),
  );
  return sum(state, dense('feed_out', hidden, layer.feedOut));
}

/** The network in floats: the vectors of the pieces, and the sentence vector of length 1. */
export function runReference(
  original: Original,
  ids: readonly number[],
  observe: Observer = () => undefined,
) {
  const places = positions();
  const rows = new Float32Array(ids.length * 256);
  ids.forEach((id, place) => {
    for (let index = 0; index < 256; index++) {
      const at = place * 256 + index;
      rows[at] = 2 * (original.embedding[id * 256 + index] ?? 0) + (places[at] ?? 0);
    }
  });
  const [first, second] = original.layers;
  const pieces = runLayer(second, '1', runLayer(first, '0', rows, observe), observe);
  const mean = meanOf(pieces, 512);
  observe('summary', mean);
  const bounded = multiply(mean, original.summary).map(Math.tanh);
  const length = Math.hypot(...bounded);
  return { pieces, sentence: bounded.map((value) => value / length) };
}
