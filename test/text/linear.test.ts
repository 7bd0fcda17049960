import { describe, expect, it } from 'vitest';
import { FeatureHasher, hashText } from '../../src/text/features.ts';
import { type LinearHeader, loadLinear, margins, probabilities, saveLinear } from '../../src/text/linear.ts';

function header(over: Partial<LinearHeader>): LinearHeader {
  return {
    name: 'test',
    version: '1',
    labels: ['yes'],
    bits: 4,
    quantisation: 'float32',
    scales: [],
    bias: [0.5],
    calibration: { link: 'logistic', slope: [2], intercept: [-1] },
    thresholds: {},
    parameters: {},
    ...over,
  };
}

const features = { indices: Uint32Array.from([3, 7, 3]), values: Float32Array.from([1, 0.5, 1]) };

describe('linear model files', () => {
  it('come back from bytes with the same scores, also from an unaligned part of a larger buffer', () => {
    const weights = new Float32Array(16);
    weights[3] = 0.25;
    weights[7] = -1;
    const bytes = saveLinear(header({}), weights);
    const shifted = new Uint8Array(bytes.length + 1);
    shifted.set(bytes, 1);
    const model = loadLinear(shifted.subarray(1));
    expect(margins(model, features)[0]).toBeCloseTo(0.5, 6);
    expect(probabilities(model, features)[0]).toBeCloseTo(0.5, 6);
  });

  it('quantise to int8 within half a step of the largest weight', () => {
    const weights = Float32Array.from({ length: 32 }, (_, index) => Math.sin(index));
    const logistic = { link: 'logistic' as const, slope: [1, 1], intercept: [0, 0] };
    const spec = header({ labels: ['a', 'b'], bias: [0, 0], quantisation: 'int8', calibration: logistic });
    const model = loadLinear(saveLinear(spec, weights));
    const one = { indices: Uint32Array.from([5]), values: Float32Array.from([1]) };
    const scores = margins(model, one);
    expect(Math.abs((scores[0] ?? 9) - Math.sin(10))).toBeLessThan(1 / 254 + 1e-6);
    expect(Math.abs((scores[1] ?? 9) - Math.sin(11))).toBeLessThan(1 / 254 + 1e-6);
  });

  it('keep small weights beside large ones as signed squares', () => {
    const weights = new Float32Array(16);
    weights.set([100, -0.5, 0.02], 3);
    const read = (quantisation: 'int8' | 'int8 squares', bucket: number) => {
      const model = loadLinear(saveLinear(header({ bias: [0], quantisation }), weights));
      const one = { indices: Uint32Array.from([bucket]), values: Float32Array.from([1]) };
      return margins(model, one)[0] ?? 9;
    };
    expect(read('int8 squares', 3)).toBeCloseTo(100, 3);
    expect(Math.abs(read('int8 squares', 4) + 0.5)).toBeLessThan(0.06);
    expect(read('int8 squares', 5)).toBeGreaterThan(0);
    expect(read('int8', 5)).toBe(0);
  });

  it('share one probability under softmax', () => {
    const softmax = { link: 'softmax' as const, temperature: 0.5 };
    const spec = header({ labels: ['a', 'b', 'c'], bias: [0, 1, 2], calibration: softmax });
    const shares = probabilities(loadLinear(saveLinear(spec, new Float32Array(48))), features);
    expect([...shares].reduce((sum, share) => sum + share, 0)).toBeCloseTo(1, 9);
    expect((shares[2] ?? 0) / (shares[1] ?? 1)).toBeCloseTo(Math.exp(2), 6);
  });

  it('refuse other bytes and damaged parts', () => {
    expect(() => loadLinear(new Uint8Array(3))).toThrow('not a linear model');
    expect(() => loadLinear(saveLinear(header({}), new Float32Array(8)))).toThrow('damaged');
    expect(() => loadLinear(saveLinear(header({ bias: [] }), new Float32Array(16)))).toThrow('damaged');
  });
});

describe('FeatureHasher', () => {
  it('gives the same unit-length vector for the same words, and starts empty each time', () => {
    const hasher = new FeatureHasher(12);
    hasher.countWords(['one', 'two', 'one'], 1, 2);
    const first = hasher.finish();
    hasher.countWords(['one', 'two', 'one'], 1, 2);
    expect(hasher.finish()).toEqual(first);
    expect(first.indices.length).toBe(4);
    expect([...first.values].reduce((sum, value) => sum + value * value, 0)).toBeCloseTo(1, 5);
    expect(hasher.finish().indices.length).toBe(0);
  });

  it('tells word order, kinds of features and seeds apart', () => {
    const hasher = new FeatureHasher(16);
    const vectorOf = (fill: () => void) => {
      fill();
      return [...hasher.finish().indices].sort().join();
    };
    const vectors = [
      vectorOf(() => hasher.countWords(['a', 'b'], 2, 2)),
      vectorOf(() => hasher.countWords(['b', 'a'], 2, 2)),
      vectorOf(() => hasher.countCharacters('ab', 2, 2)),
      vectorOf(() => hasher.countName('ab')),
      vectorOf(() => hasher.countCharacters('ab', 2, 2, 7)),
    ];
    expect(new Set(vectors).size).toBe(vectors.length);
  });

  it('keeps exact features unscaled and ignores values that are not numbers', () => {
    const hasher = new FeatureHasher(12);
    hasher.countName('x');
    hasher.setExact('share', 0.25);
    hasher.setExact('nothing', Number.NaN);
    expect([...hasher.finish().values]).toEqual([1, 0.25]);
  });

  it('hashes like FNV-1a', () => {
    expect(hashText('') >>> 0).toBe(0x811c9dc5);
    expect(hashText('a') >>> 0).toBe(0xe40c292c);
    expect(hashText('foobar') >>> 0).toBe(0xbf9cf968);
  });
});
