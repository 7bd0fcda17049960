import { describe, expect, it } from 'vitest';
import {
  confidenceFactor,
  confidenceInputs,
  scaleConfidence,
} from '../../../../../src/services/analysis/engines/stance/confidence-scaling.ts';

const scale = { mean: [0, 10], deviation: [1, 2], bias: 0 };
const word = { folded: 'stone', stem: 'stone', isNumber: false, isName: false };
const sentence = (count: number) => ({ words: new Array(count).fill(word) });

describe('how sure a stance is', () => {
  it('is what was said where the factor is 1', () => {
    const said = scaleConfidence([0.2, 0.5, 0.3], 1);
    expect(said[0]).toBeCloseTo(0.2, 9);
    expect(said[1]).toBeCloseTo(0.5, 9);
  });

  it('is less below 1 and more above, and which stance is likeliest stays', () => {
    const [less, more] = [scaleConfidence([0.1, 0.8, 0.1], 0.5), scaleConfidence([0.1, 0.8, 0.1], 1.2)];
    expect(less[1]).toBeLessThan(0.8);
    expect(more[1]).toBeGreaterThan(0.8);
    for (const list of [less, more]) {
      expect(list.reduce((sum, value) => sum + value, 0)).toBeCloseTo(1, 9);
      expect(Math.max(...list)).toBe(list[1]);
    }
  });

  it('stays a number where a probability is 0', () => {
    for (const value of scaleConfidence([0, 1, 0], 0.4)) expect(Number.isFinite(value)).toBe(true);
  });

  it('follows what tells of a pair, standardised', () => {
    const scaling = { ...scale, weights: [0, 0.1] };
    expect(confidenceFactor(scaling, [0, 10])).toBe(1);
    expect(confidenceFactor(scaling, [0, 12])).toBeCloseTo(Math.exp(0.1), 9);
    expect(confidenceFactor(scaling, [0, 8])).toBeCloseTo(Math.exp(-0.1), 9);
  });

  it('is bounded, whatever somebody writes', () => {
    const scaling = { ...scale, weights: [1, 0] };
    expect(confidenceFactor(scaling, [1e6, 0])).toBeLessThan(1.5);
    expect(confidenceFactor(scaling, [-1e6, 0])).toBeGreaterThan(0.3);
  });

  it.each([
    { claim: 4, passage: [10], lengths: [4, 0, Math.log(11), Math.log(2)] },
    { claim: 12, passage: [10, 20], lengths: [9, 3, Math.log(31), Math.log(3)] },
    { claim: 0, passage: [], lengths: [0, 0, 0, 0] },
  ])('sees features and lengths: $claim words, $passage', ({ claim, passage, lengths }) => {
    expect(confidenceInputs([7], sentence(claim), passage.map(sentence))).toEqual([7, ...lengths]);
  });
});
