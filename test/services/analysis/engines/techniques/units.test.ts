import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mergeOverlapping } from '../../../../../src/services/analysis/engines/techniques/confidence-adjustment.ts';
import { marginals } from '../../../../../src/services/analysis/engines/techniques/crf.ts';
import { explainTechnique } from '../../../../../src/services/analysis/engines/techniques/explaining.ts';
import { findRepetition } from '../../../../../src/services/analysis/engines/techniques/repetition.ts';
import { sentenceRanges, tokenise } from '../../../../../src/services/analysis/engines/techniques/tokens.ts';
import { codePoint } from '../../../../code-points.ts';

describe('tokens', () => {
  it.each([
    ['Ne-au mințit!', ['ne', 'au', 'mintit', '!']],
    ["don't SHOUT", ["don't", 'shout']],
    ['trădătоrii', ['tradatorii']],
    ['as\u00adcund ze\u200bro', ['ascund', 'zero']],
    ['„Da”, a zis', ['„', 'da', '”', ',', 'a', 'zis']],
    ['🔥 foc', ['🔥', 'foc']],
  ])('%s', (text, forms) => {
    expect(tokenise(text).map((token) => token.form)).toEqual(forms);
  });

  it('lie inside the text, in order, and sentences cover only whole tokens', () => {
    fc.assert(
      fc.property(fc.string({ unit: codePoint, maxLength: 80 }), (text) => {
        const tokens = tokenise(text);
        let end = 0;
        for (const token of tokens) {
          expect(token.start).toBeGreaterThanOrEqual(end);
          expect(token.end).toBeGreaterThan(token.start);
          end = token.end;
        }
        expect(end).toBeLessThanOrEqual(text.length);
        let last = 0;
        for (const range of sentenceRanges(text, tokens)) {
          expect(range.from).toBeGreaterThanOrEqual(last);
          expect(range.to).toBeGreaterThan(range.from);
          last = range.to;
        }
        expect(last).toBeLessThanOrEqual(tokens.length);
      }),
    );
  });
});

describe('chain', () => {
  /** Sums over all labellings: the definition that the recursion must equal. */
  function byEnumeration(enter: number[], stay: number[], leave: number) {
    const length = enter.length;
    let total = 0;
    const inside = new Array<number>(length).fill(0);
    for (let labels = 0; labels < 2 ** length; labels += 1) {
      const at = (index: number) => (index >= 0 ? (labels >> index) & 1 : 0);
      const score = enter.reduce((sum, value, index) => {
        if (at(index) === 1) return sum + (at(index - 1) === 1 ? (stay[index] ?? 0) : value);
        return sum + (at(index - 1) === 1 ? leave : 0);
      }, 0);
      total += Math.exp(score);
      for (let index = 0; index < length; index += 1)
        if (at(index) === 1) inside[index] = (inside[index] ?? 0) + Math.exp(score);
    }
    return { logTotal: Math.log(total), inside: inside.map((value) => value / total) };
  }

  it('equals the sum over all labellings', () => {
    const score = fc.double({ min: -4, max: 4, noNaN: true });
    fc.assert(
      fc.property(fc.array(fc.tuple(score, score), { minLength: 1, maxLength: 7 }), score, (pairs, leave) => {
        const [enter, stay] = [pairs.map(([value]) => value), pairs.map(([, value]) => value)];
        const expected = byEnumeration(enter, stay, leave);
        const found = marginals({
          length: pairs.length,
          enter: Float64Array.from(enter),
          stay: Float64Array.from(stay),
          leave,
        });
        expect(found.logTotal).toBeCloseTo(expected.logTotal, 8);
        expected.inside.forEach((value, index) => {
          expect(found.inside[index]).toBeCloseTo(value, 8);
        });
      }),
    );
  });
});

describe('repetition', () => {
  it.each([
    ['Never, never, never again.', ['Never, never, never']],
    ['Minciuni, minciuni și iar minciuni!', ['Minciuni, minciuni și iar minciuni']],
    ['He said that they want what they want when they want.', []],
    ['The ministry met. The council met. The court met.', []],
    [
      'They lied about this. They lied about that. They lied about all.',
      ['They lied', 'They lied', 'They lied'],
    ],
    ['He was born in Kirkwall. He was a baker. He was loved.', []],
    ['Au știut adevărul. Au știut totul. Au știut mereu.', ['Au știut', 'Au știut', 'Au știut']],
  ])('%s', (text, expected) => {
    const tokens = tokenise(text);
    const found = findRepetition(tokens, sentenceRanges(text, tokens));
    expect(found.map(({ from, to }) => text.slice(tokens[from]?.start, tokens[to - 1]?.end))).toEqual(
      expected,
    );
  });
});

describe('joining', () => {
  const item = (from: number, to: number, confidence: number, origin: 'rule' | 'model', code = 'doubt') => ({
    from,
    to,
    anchor: from,
    confidence,
    origin,
    code,
    sentence: 0,
  });

  it('keeps the words of the rule and lets the trained stages add to its confidence', () => {
    const [only, ...rest] = mergeOverlapping([item(0, 9, 0.4, 'model'), item(2, 4, 0.6, 'rule')]);
    expect(rest).toEqual([]);
    expect(only).toMatchObject({ from: 2, to: 4 });
    expect(only?.confidence).toBeGreaterThan(0.6);
  });

  it('never leaves overlapping passages of one code', () => {
    const candidate = fc.tuple(
      fc.nat(30),
      fc.integer({ min: 1, max: 8 }),
      fc.double({ min: 0.1, max: 0.9, noNaN: true }),
      fc.constantFrom('rule' as const, 'model' as const),
    );
    fc.assert(
      fc.property(fc.array(candidate, { maxLength: 20 }), (rows) => {
        const kept = mergeOverlapping(
          rows.map(([from, size, confidence, origin]) => item(from, from + size, confidence, origin)),
        );
        const sorted = kept.toSorted((a, b) => a.from - b.from);
        expect(sorted.slice(1).every((next, index) => next.from >= (sorted[index]?.to ?? 0))).toBe(true);
      }),
    );
  });
});

describe('explanations', () => {
  it('quote at most three different passages, shortened at a word', () => {
    const pair = explainTechnique('doubt', ['unu', 'unu', 'doi', 'trei', 'patru']);
    expect(pair.explanation_ro).toContain('„unu”, „doi”, „trei”');
    expect(pair.explanation_ro).not.toContain('patru');
    expect(explainTechnique('doubt', ['cuvânt '.repeat(40)]).explanation_en).toMatch(/cuvânt…”/u);
  });
});
