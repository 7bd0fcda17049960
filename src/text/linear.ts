import { z } from 'zod';
import type { Features } from './features.ts';
import { sigmoid } from './logistic.ts';

/**
 * The JSON header of a model file. `logistic`: each label has its own yes-or-no probability, calibrated by
 * 1 / (1 + exp(-(slope * margin + intercept))) (Platt). `softmax`: the labels share one probability, softened by
 * `temperature`. `scales` turn the stored weights of a label into numbers (1 for float32); of `int8 squares` the
 * square is stored by its root with the sign of the weight, which keeps small weights beside large ones.
 */
const headerSchema = z.object({
  name: z.string(),
  version: z.string(),
  labels: z.array(z.string()).min(1),
  bits: z.int().min(1).max(24),
  quantisation: z.enum(['int8', 'int8 squares', 'float32']),
  scales: z.array(z.number()),
  bias: z.array(z.number()),
  calibration: z.discriminatedUnion('link', [
    z.object({ link: z.literal('logistic'), slope: z.array(z.number()), intercept: z.array(z.number()) }),
    z.object({ link: z.literal('softmax'), temperature: z.number().positive() }),
  ]),
  /** Named operating points, measured at training. */
  thresholds: z.record(z.string(), z.number()).default({}),
  /** Constants that the feature builder of this model needs (means, spreads, word lists by name). */
  parameters: z.record(z.string(), z.unknown()).default({}),
});

/** Header of a linear model file. */
export type LinearHeader = z.infer<typeof headerSchema>;

/** A hashed linear model; weights lie feature by feature: `weights[bucket * labels + label]`. */
export interface LinearModel {
  header: LinearHeader;
  weights: Int8Array | Float32Array;
}

/** The bytes LLM1: Limpede linear model, form 1. */
const MAGIC = 0x314d4c4c;
const PREFIX_BYTES = 8;

/** Reads a model file: magic number, header length, JSON header, weights (all little-endian). */
export function loadLinear(bytes: Uint8Array): LinearModel {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.byteLength < PREFIX_BYTES || view.getUint32(0, true) !== MAGIC) {
    throw new Error('This is not a linear model file.');
  }
  const start = PREFIX_BYTES + view.getUint32(4, true);
  const header = headerSchema.parse(
    JSON.parse(new TextDecoder().decode(bytes.subarray(PREFIX_BYTES, start))),
  );
  // A copy: the weights must start on a four-byte boundary, which a slice of a pooled Buffer may not.
  const body = new Uint8Array(bytes.subarray(start)).buffer;
  const weights = storedWeights(header.quantisation, body);
  checkShape(header, weights.length);
  return { header, weights };
}

function storedWeights(
  quantisation: LinearHeader['quantisation'],
  body: ArrayBuffer,
): LinearModel['weights'] {
  if (quantisation === 'float32') return new Float32Array(body);
  const stored = new Int8Array(body);
  return quantisation === 'int8' ? stored : Float32Array.from(stored, (root) => root * Math.abs(root));
}

function checkShape(header: LinearHeader, weightCount: number): void {
  const labels = header.labels.length;
  const lists = [header.scales, header.bias];
  if (header.calibration.link === 'logistic')
    lists.push(header.calibration.slope, header.calibration.intercept);
  if (lists.some((list) => list.length !== labels) || weightCount !== labels * 2 ** header.bits) {
    throw new Error(`The model ${header.name} is damaged: its parts differ in size.`);
  }
}

/** Writes a model file; `weights` are the real weights, quantised here as the header says (scales are filled in). */
export function saveLinear(header: LinearHeader, weights: Float32Array): Uint8Array {
  const labels = header.labels.length;
  const { quantisation } = header;
  const largest = quantisation === 'int8 squares' ? INT8_LIMIT ** 2 : INT8_LIMIT;
  const scales =
    quantisation === 'float32' ? header.labels.map(() => 1) : labelScales(weights, labels, largest);
  const json = JSON.stringify({ ...header, scales });
  // The padding keeps the weights on a four-byte boundary.
  const head = new TextEncoder().encode(json.padEnd(json.length + ((4 - (Buffer.byteLength(json) % 4)) % 4)));
  const body =
    quantisation === 'float32'
      ? weights
      : Int8Array.from(weights, (weight, index) => {
          const scaled = weight / (scales[index % labels] ?? 1);
          return quantise(quantisation === 'int8' ? scaled : Math.sign(scaled) * Math.sqrt(Math.abs(scaled)));
        });
  const bytes = new Uint8Array(PREFIX_BYTES + head.length + body.byteLength);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, MAGIC, true);
  view.setUint32(4, head.length, true);
  bytes.set(head, PREFIX_BYTES);
  bytes.set(new Uint8Array(body.buffer, body.byteOffset, body.byteLength), PREFIX_BYTES + head.length);
  return bytes;
}

const INT8_LIMIT = 127;

function labelScales(weights: Float32Array, labels: number, most: number): number[] {
  const largest = new Array<number>(labels).fill(0);
  for (let index = 0; index < weights.length; index++) {
    const label = index % labels;
    largest[label] = Math.max(largest[label] ?? 0, Math.abs(weights[index] ?? 0));
  }
  return largest.map((limit) => (limit > 0 ? limit / most : 1));
}

function quantise(scaled: number): number {
  return Math.max(-INT8_LIMIT, Math.min(INT8_LIMIT, Math.round(scaled)));
}

/** Raw score of each label: bias + sum of weight times value. */
export function margins(model: LinearModel, features: Features): Float64Array {
  const { scales, bias, labels } = model.header;
  const sums = new Float64Array(labels.length);
  const { weights } = model;
  for (let position = 0; position < features.indices.length; position++) {
    const row = (features.indices[position] ?? 0) * labels.length;
    const value = features.values[position] ?? 0;
    for (let label = 0; label < sums.length; label++) {
      sums[label] = (sums[label] ?? 0) + (weights[row + label] ?? 0) * value;
    }
  }
  return sums.map((sum, label) => sum * (scales[label] ?? 1) + (bias[label] ?? 0));
}

/** Calibrated probability of each label, 0 to 1; they add up to 1 for a softmax model only. */
export function probabilities(model: LinearModel, features: Features): Float64Array {
  const raw = margins(model, features);
  const { calibration } = model.header;
  if (calibration.link === 'softmax') return softmax(raw, calibration.temperature);
  return raw.map((margin, label) =>
    sigmoid(margin * (calibration.slope[label] ?? 1) + (calibration.intercept[label] ?? 0)),
  );
}

/** Shares of one probability in proportion to exp(score / temperature). */
export function softmax(scores: Float64Array, temperature = 1): Float64Array {
  const highest = Math.max(...scores);
  const powers = scores.map((score) => Math.exp((score - highest) / temperature));
  const sum = powers.reduce((total, power) => total + power, 0);
  return powers.map((power) => power / sum);
}
