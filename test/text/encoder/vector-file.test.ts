import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DIMENSIONS } from '../../../src/text/encoder/layers.ts';
import { quantisedCosine, quantiseVector } from '../../../src/text/encoder/quantised-vectors.ts';
import { readVectors, vectorKey, writeVectors } from '../../../src/text/encoder/vector-file.ts';
import { runs } from '../../campaign.ts';

const vector = fc
  .float32Array({ minLength: DIMENSIONS, maxLength: DIMENSIONS, noNaN: true, min: -1, max: 1 })
  .filter((numbers) => numbers.some((number) => Math.abs(number) > 0.01));

describe('a file of vectors', () => {
  it('gives back the direction of every vector by its text', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.tuple(fc.string(), vector), { selector: ([text]) => text, maxLength: 5 }),
        (rows) => {
          const read = readVectors(writeVectors(new Map(rows)));
          expect(read.size).toBe(rows.length);
          for (const [text, numbers] of rows) {
            const bytes = Int8Array.from(quantiseVector(numbers).map((byte) => (byte << 24) >> 24));
            expect(quantisedCosine(read.get(vectorKey(text)) ?? new Int8Array(0), bytes)).toBeCloseTo(1);
          }
        },
      ),
      { numRuns: runs(20) },
    );
  });

  it('is the same in any order of the texts', () => {
    const rows = ['a', 'b', 'c'].map(
      (text, at) => [text, new Float32Array(DIMENSIONS).fill(at + 1)] as const,
    );
    expect(writeVectors(new Map(rows))).toEqual(writeVectors(new Map(rows.toReversed())));
  });

  it('is refused where it is cut off', () => {
    const file = writeVectors(new Map([['a', new Float32Array(DIMENSIONS).fill(1)]]));
    expect(() => readVectors(file.subarray(1))).toThrow('not a file of vectors');
  });
});
