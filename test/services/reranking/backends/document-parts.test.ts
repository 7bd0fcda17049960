import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { partGroups, partsOf } from '../../../../src/services/reranking/backends/document-parts.ts';

const part = (text: string, document = 0) => ({ text, document, mostPassages: 1 });

describe('parts of a document', () => {
  it('hold the whole text, none of them too long', () => {
    const words = fc.constantFrom('word ', 'End. ', '\n', '😀', 'a'.repeat(900));
    fc.assert(
      fc.property(fc.array(words, { maxLength: 60 }), (all) => {
        const text = all.join('');
        const parts = partsOf(text);
        expect(parts.join('')).toBe(text);
        expect(Math.max(...parts.map(({ length }) => length))).toBeLessThanOrEqual(4000);
        // No character is cut in two.
        expect(parts.every((one) => one.isWellFormed())).toBe(text.isWellFormed());
      }),
    );
  });

  it('end where a sentence does', () => {
    const [first, second] = partsOf(`${'One sentence of some words. '.repeat(150)}`);
    expect(first?.endsWith('words. ')).toBe(true);
    expect(second?.startsWith('One')).toBe(true);
  });

  it('are put together as long as they are short', () => {
    expect(partGroups([])).toEqual([]);
    const pieces = partGroups([part('a'), part('b', 1), part('c'.repeat(4000), 2), part('d', 3)]);
    expect(pieces.map((piece) => piece.map(({ document }) => document))).toEqual([[0, 1], [2], [3]]);
  });
});
