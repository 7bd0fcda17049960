import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DIMENSIONS } from '../../../src/text/encoder/layers.ts';
import { SIGNATURE_WORDS, signatureDistance, writeSignature } from '../../../src/text/encoder/signature.ts';
import { runs } from '../../campaign.ts';

const signs = fc.array(fc.boolean(), { minLength: DIMENSIONS, maxLength: DIMENSIONS });
const vectorOf = (positive: readonly boolean[]) => Float32Array.from(positive, (one) => (one ? 0.3 : -0.2));

describe('signatures of vectors', () => {
  it('differ in as many bits as the vectors do in signs, in any row', () => {
    fc.assert(
      fc.property(fc.array(signs, { minLength: 1, maxLength: 4 }), signs, (rows, other) => {
        const list = new Uint32Array(rows.length * SIGNATURE_WORDS);
        rows.forEach((row, at) => {
          writeSignature(vectorOf(row), list, at * SIGNATURE_WORDS);
        });
        const own = new Uint32Array(SIGNATURE_WORDS);
        writeSignature(vectorOf(other), own, 0);
        rows.forEach((row, at) => {
          const differing = row.filter((sign, place) => sign !== other[place]).length;
          expect(signatureDistance(list, at, own)).toBe(differing);
        });
      }),
      { numRuns: runs(30) },
    );
  });
});
