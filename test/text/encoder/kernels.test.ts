import { describe, expect, it } from 'vitest';
import { createKernels, type Kernels, supportsRelaxedSimd } from '../../../src/text/encoder/kernels.ts';
import { columnFacts, pack, quantiseDense } from '../../../training/encoder/quantise.ts';
import { randomStream } from '../../../training/rows.ts';

const memory = new WebAssembly.Memory({ initial: 64, maximum: 4096, shared: true });
/** Addresses far enough apart for all that the tests put there. */
const [A, B, C, D, E, F] = [0, 1, 2, 3, 4, 5].map((part) => part * 0x80000 + 64) as [
  number,
  number,
  number,
  number,
  number,
  number,
];
const kinds: [string, Kernels][] = [['plain', createKernels(memory, false)]];
if (supportsRelaxedSimd()) kinds.push(['relaxed', createKernels(memory, true)]);

const floatsAt = (address: number, length: number) => new Float32Array(memory.buffer, address, length);
function put(address: number, numbers: Float32Array | Int8Array | Int32Array): void {
  new Uint8Array(memory.buffer).set(
    new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength),
    address,
  );
}

function noise(length: number, seed: number, from = -1, to = 1): Float32Array {
  const random = randomStream(seed);
  return Float32Array.from({ length }, () => from + (to - from) * random());
}

function largestDifference(one: ArrayLike<number>, two: ArrayLike<number>): number {
  return Array.from(one).reduce(
    (most, value, index) => Math.max(most, Math.abs(value - (two[index] ?? 9e9))),
    0,
  );
}

function product(rows: Float32Array, weights: Float32Array, inputs: number, outputs: number): Float64Array {
  return Float64Array.from({ length: (rows.length / inputs) * outputs }, (_, at) => {
    const [row, output] = [Math.floor(at / outputs), at % outputs];
    let sum = 0;
    for (let input = 0; input < inputs; input++) {
      sum += (rows[row * inputs + input] ?? 0) * (weights[input * outputs + output] ?? 0);
    }
    return sum;
  });
}

const [ROWS, INPUTS, OUTPUTS] = [7, 64, 24];
const rows = noise(ROWS * INPUTS, 1, -2, 5);
const dense = { weights: noise(INPUTS * OUTPUTS, 2, -0.1, 0.1), biases: noise(OUTPUTS, 3) };
const expected = product(rows, dense.weights, INPUTS, OUTPUTS).map(
  (value, at) => value + (dense.biases[at % OUTPUTS] ?? 0),
);

/** Runs one product; returns the rows that it wrote. */
function multiply(kernels: Kernels, kernel: 'bytes_store' | 'bytes_relu' | 'bytes_add' | 'words_store') {
  const quantised = quantiseDense(dense, kernel !== 'words_store');
  put(A, rows);
  put(B, pack(quantised));
  put(C, columnFacts(dense, quantised, new Float32Array(INPUTS)));
  const words = kernel === 'words_store';
  kernels[words ? 'quantise_words' : 'quantise_bytes'](ROWS, INPUTS, A, D, E);
  put(F, new Float32Array(ROWS * OUTPUTS).fill(100));
  const stride = INPUTS * (words ? 2 : kernels.byteWidth);
  kernels[kernel](D, stride, ROWS, B, INPUTS, OUTPUTS, C, E, F, OUTPUTS * 4);
  return floatsAt(F, ROWS * OUTPUTS).slice();
}

describe.each(kinds)('kernels with %s SIMD', (_name, kernels) => {
  it('multiply quantised rows with packed matrices', () => {
    // 64 products, each off by at most half a step of either side.
    expect(largestDifference(multiply(kernels, 'bytes_store'), expected)).toBeLessThan(0.1);
    expect(largestDifference(multiply(kernels, 'words_store'), expected)).toBeLessThan(0.06);
    const cut = expected.map((value) => Math.max(0, value));
    expect(largestDifference(multiply(kernels, 'bytes_relu'), cut)).toBeLessThan(0.1);
    const added = expected.map((value) => value + 100);
    expect(largestDifference(multiply(kernels, 'bytes_add'), added)).toBeLessThan(0.1);
  });

  it('do not overflow on the largest inputs and weights that quantisation lets through', () => {
    const weights = Float32Array.from({ length: INPUTS * OUTPUTS }, (_, at) => (at % OUTPUTS < 12 ? 1 : -1));
    const quantised = quantiseDense({ weights, biases: new Float32Array(OUTPUTS) }, true);
    put(
      A,
      Float32Array.from({ length: INPUTS }, (_, at) => (at === 0 ? 0 : 1)),
    );
    put(B, pack(quantised));
    put(C, columnFacts({ weights, biases: new Float32Array(OUTPUTS) }, quantised, new Float32Array(INPUTS)));
    kernels.quantise_bytes(1, INPUTS, A, D, E);
    kernels.bytes_store(D, INPUTS * kernels.byteWidth, 1, B, INPUTS, OUTPUTS, C, E, F, OUTPUTS * 4);
    // Rounding takes up to one part in a hundred; a sum that overflows would be far off.
    expect(Math.abs((floatsAt(F, OUTPUTS)[0] ?? 0) - (INPUTS - 1))).toBeLessThan(0.7);
    expect(Math.abs((floatsAt(F, OUTPUTS)[OUTPUTS - 1] ?? 0) - (1 - INPUTS))).toBeLessThan(0.7);
  });

  it('normalise a row to mean 0 and variance 1, scaled and shifted', () => {
    const source = noise(2 * INPUTS, 5, 3, 9);
    const scales = noise(INPUTS, 6, 0.5, 2);
    const shifts = noise(INPUTS, 7);
    put(A, source);
    put(B, Float32Array.from([...scales, ...shifts]));
    kernels.normalise_bytes(2, INPUTS, A, B, C, D, E);
    // The spare row holds the last one before it is quantised.
    const last = source.subarray(INPUTS);
    const mean = last.reduce((sum, value) => sum + value, 0) / INPUTS;
    const variance = last.reduce((sum, value) => sum + (value - mean) ** 2, 0) / INPUTS;
    const wanted = last.map(
      (value, at) => ((value - mean) / Math.sqrt(variance + 1e-6)) * (scales[at] ?? 0) + (shifts[at] ?? 0),
    );
    expect(largestDifference(floatsAt(C, INPUTS), wanted)).toBeLessThan(1e-5);
  });

  it('multiply sparse rows with signed bytes exactly, also a row of zeros', () => {
    const [inputs, outputs] = [32, 64];
    const source = noise(3 * inputs, 8, -3, 1).map((value) => Math.max(0, value));
    source.fill(0, inputs, 2 * inputs);
    const quantised = quantiseDense(
      { weights: noise(inputs * outputs, 9), biases: noise(outputs, 10) },
      false,
    );
    const real = Float32Array.from(
      quantised.bytes,
      (byte, at) => byte * (quantised.scales[at % outputs] ?? 0),
    );
    const biases = noise(outputs, 10);
    put(A, source);
    put(B, quantised.bytes);
    put(C, Float32Array.from([...quantised.scales, ...new Float32Array(outputs), ...biases]));
    put(F, new Float32Array(3 * outputs).fill(1));
    kernels.sparse_add(3, A, inputs, B, outputs, C, D, F);
    const wanted = product(source, real, inputs, outputs).map(
      (value, at) => value + (biases[at % outputs] ?? 0) + 1,
    );
    expect(largestDifference(floatsAt(F, 3 * outputs), wanted)).toBeLessThan(1e-3);
  });

  it.each([1, 2, 5, 12])('attend over a sentence of %d rows', (length) => {
    const width = 128;
    const head = width / 4;
    const source = noise(length * 3 * width, 11 + length, -0.5, 0.5);
    // What lies behind the sentence must not matter.
    floatsAt(A, (length + 4) * 3 * width).fill(Number.NaN);
    put(A, source);
    kernels.attend(length, width, A, B, C);
    const at = (row: number, part: number, index: number) =>
      source[row * 3 * width + part * width + index] ?? 0;
    const wanted = Float64Array.from({ length: length * width }, (_, place) => {
      const [row, column] = [Math.floor(place / width), place % width];
      const first = Math.floor(column / head) * head;
      const powers = Array.from({ length }, (_, other) => {
        let score = 0;
        for (let index = first; index < first + head; index++)
          score += at(row, 0, index) * at(other, 1, index);
        return Math.exp(score);
      });
      const total = powers.reduce((sum, power) => sum + power, 0);
      return powers.reduce((sum, power, other) => sum + (power / total) * at(other, 2, column), 0);
    });
    expect(largestDifference(floatsAt(C, length * width), wanted)).toBeLessThan(1e-6);
  });

  it('embed pieces and add up rows', () => {
    const table = Int8Array.from({ length: 3 * 16 }, (_, at) => at - 20);
    put(A, table);
    put(B, Float32Array.from([1, 0.5, 0.25]));
    put(C, noise(2 * 16, 20));
    put(D, Int32Array.from([2, 1]));
    kernels.embed(2, 16, D, A, B, C, E);
    const places = noise(2 * 16, 20);
    expect(floatsAt(E, 32)[3]).toBeCloseTo(2 * 0.25 * (2 * 16 + 3 - 20) + (places[3] ?? 0), 5);
    expect(floatsAt(E, 32)[16 + 9]).toBeCloseTo(2 * 0.5 * (16 + 9 - 20) + (places[25] ?? 0), 5);
    put(F, new Float32Array(16));
    kernels.add_rows(2, 16, E, F);
    expect(floatsAt(F, 16)[5]).toBeCloseTo((floatsAt(E, 32)[5] ?? 0) + (floatsAt(E, 32)[21] ?? 0), 5);
  });
});

describe('both kinds of kernels', () => {
  it('give the same bits', () => {
    for (const kernel of ['bytes_store', 'bytes_relu', 'bytes_add'] as const) {
      const [plain, ...others] = kinds.map(([, kernels]) => multiply(kernels, kernel));
      for (const other of others) expect(other).toEqual(plain);
    }
  });
});
