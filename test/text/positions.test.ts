import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Positions, spanOf } from '../../src/text/positions.ts';
import { codePoint } from '../code-points.ts';

const anyText = fc.oneof(
  fc.string({ unit: codePoint }),
  fc
    .array(fc.constantFrom('a', 'ș', 's\u0326', '😀', '👩‍👩‍👧', '\ud83d', '\ude00', '\n', 'ț'), {
      maxLength: 30,
    })
    .map((parts) => parts.join('')),
);

describe('Positions', () => {
  it('agrees with iteration over the string at every boundary', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const positions = new Positions(text);
        const points = [...text];
        expect(positions.length).toBe(points.length);
        let utf16 = 0;
        points.forEach((point, index) => {
          expect(positions.codePoint(utf16)).toBe(index);
          expect(positions.utf16(index)).toBe(utf16);
          if (point.length === 2) expect(positions.codePoint(utf16 + 1)).toBe(index);
          utf16 += point.length;
        });
        expect(positions.codePoint(utf16)).toBe(points.length);
        expect(positions.utf16(points.length)).toBe(text.length);
      }),
    );
  });

  it('makes spans whose quote is verbatim in both counts and holds what was asked for', () => {
    fc.assert(
      fc.property(anyText, fc.nat(), fc.nat(), (text, one, two) => {
        const [start, end] = [
          Math.min(one, two) % (text.length + 1),
          Math.max(one, two) % (text.length + 1),
        ].sort((a, b) => a - b);
        const span = spanOf(text, start ?? 0, end ?? 0);
        expect(text.slice(span.start_utf16, span.end_utf16)).toBe(span.quote);
        expect([...text].slice(span.start, span.end).join('')).toBe(span.quote);
        expect(span.start_utf16).toBeLessThanOrEqual(start ?? 0);
        expect(span.end_utf16).toBeGreaterThanOrEqual(end ?? 0);
        expect(span.end_utf16 - span.start_utf16).toBeLessThanOrEqual((end ?? 0) - (start ?? 0) + 2);
      }),
    );
  });

  it('clamps indices that lie outside the text', () => {
    expect(spanOf('abc', -5, 99)).toEqual({ start: 0, end: 3, start_utf16: 0, end_utf16: 3, quote: 'abc' });
    expect(spanOf('abc', 2, 1).quote).toBe('');
  });
});
