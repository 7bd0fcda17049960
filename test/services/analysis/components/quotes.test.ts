import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Quotes } from '../../../../src/services/analysis/components/quotes.ts';
import { runs } from '../../../campaign.ts';
import { codePoint } from '../../../code-points.ts';

describe('quotes of a model, found in the text', () => {
  it.each<[string, string, string, string | null]>([
    ['verbatim', 'They lie to us.', 'lie to us', 'lie to us'],
    ['with other white space', 'They\n lie\u00a0to\tus.', 'They lie to us', 'They\n lie\u00a0to\tus'],
    ['with other quotation marks', 'He said „nu plecăm” again.', '"nu plecăm"', '„nu plecăm”'],
    ['with its own marks around it', 'They lie to us.', '“They lie”', 'They lie'],
    ['with dots of omission', 'They lie to us.', '...lie to us…', 'lie to us'],
    ['with another dash', 'Now – or never.', 'Now - or never', 'Now – or never'],
    ['cedilla in the text, comma in the quote', 'Ştiţi adevărul.', 'Știți adevărul', 'Ştiţi adevărul'],
    ['decomposed in the text', 'Ne̦dreptate s\u0326i mint\u0326i.', 'și minți', 's\u0326i mint\u0326i'],
    ['an ellipsis as one sign', 'Oare… chiar aşa?', 'Oare... chiar așa', 'Oare… chiar aşa'],
    ['with a space put into a control token', 'Say <|end|> now.', 'Say < |end|> now', 'Say <|end|> now'],
    ['the second time, where it is a word', 'Panic: a pan is hot.', 'pan', 'pan'],
    ['not inside a word', 'They believe it.', 'lie', null],
    ['not half of a word', 'They manipulate us.', 'They manipul', null],
    ['not without its accent', 'O casa\u0306 mare.', 'O casa', null],
    ['not in other words', 'They lie to us.', 'They lied to us', null],
    ['not in another case', 'They lie to us.', 'they lie', null],
    ['not with words left out', 'They always lie to us.', 'They lie to us', null],
    ['not empty', 'They lie to us.', '', null],
    ['not signs alone', 'They lie to us...', '...', null],
  ])('%s', (_name, text, quote, expected) => {
    const found = new Quotes(text).find(quote);
    expect(found?.quote ?? null).toBe(expected);
    if (found !== undefined) expect([...text].slice(found.start, found.end).join('')).toBe(expected);
  });

  const words = fc.array(
    fc.constantFrom(
      'Țara',
      'şi',
      'e\u0301te\u0301',
      '🙂',
      '👩‍👩‍👧',
      '„vorbe”',
      'don’t',
      'a–b',
      'ﬁn',
      'x',
      '🇷🇴',
      '…',
      '\ud83d',
    ),
    { minLength: 1, maxLength: 30 },
  );
  const spaces = fc.constantFrom(' ', '\n', '\u00a0', '\t ', ' \u200b');

  it('every run of whole words is found again, verbatim, at offsets that hold it', () => {
    fc.assert(
      fc.property(words, spaces, spaces, fc.nat(), fc.nat(), (list, inText, inQuote, first, length) => {
        const from = first % list.length;
        const piece = list.slice(from, from + 1 + (length % list.length));
        fc.pre(piece.some((word) => /[\p{L}]/u.test(word)));
        const text = list.join(inText);
        const found = new Quotes(text).find(piece.join(inQuote));
        expect(found).toBeDefined();
        if (found === undefined) return;
        expect(text.slice(found.start_utf16, found.end_utf16)).toBe(found.quote);
        expect([...text].slice(found.start, found.end).join('')).toBe(found.quote);
        const plain = (value: string) =>
          value
            .toWellFormed()
            .normalize('NFKD')
            .replace(/[\s\u200b-\u200f]/gu, '');
        expect(plain(found.quote)).toBe(plain(piece.join(' ')));
      }),
      { numRuns: runs(500) },
    );
  });

  it('whatever is found stands in the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: codePoint }), fc.string({ unit: codePoint }), (text, quote) => {
        const found = new Quotes(text).find(quote);
        if (found !== undefined) expect(text.slice(found.start_utf16, found.end_utf16)).toBe(found.quote);
      }),
    );
  });
});
