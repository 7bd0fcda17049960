import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { packageFile } from '../../../src/foundation/files.ts';
import { plainTextOf } from '../../../src/text/plain/plain-text.ts';
import { loadVocabulary } from '../../../src/text/vocabulary.ts';
import { runs } from '../../campaign.ts';
import { codePoint } from '../../code-points.ts';

const vocabulary = loadVocabulary(readFileSync(packageFile('models', 'vocabulary.bin')));
const read = (text: string) => plainTextOf(text, vocabulary);

/** Everything that Unicode says shows nothing, and the marks that show nothing without being listed there. */
const INVISIBLE = Array.from({ length: 0x110000 }, (_, code) => code)
  .filter((code) => code < 0xd800 || code > 0xdfff)
  .map((code) => String.fromCodePoint(code))
  .filter((character) => /[\p{Default_Ignorable_Code_Point}\u2800\ufff9-\ufffb]/u.test(character));

describe('invisible characters', () => {
  it('are those of Unicode, in all planes', () => {
    expect(INVISIBLE.length).toBeGreaterThan(4000);
    const named = [
      0x61c, 0x180e, 0x2066, 0x206f, 0xe0020, 0xe007f, 0xe0100, 0x1d173, 0xfff9, 0xfffb, 0x1bca0, 0x115f,
      0x1160, 0x3164, 0xffa0, 0x2800,
    ];
    for (const code of named) expect(INVISIBLE).toContain(String.fromCodePoint(code));
  });

  it('each vanish from inside a word, which still points to what was sent', () => {
    for (const character of INVISIBLE) {
      const sent = `They hid${character}ing it`;
      const plain = read(sent);
      if (plain.text !== 'They hiding it') throw new Error(`U+${character.codePointAt(0)?.toString(16)}`);
      const span = plain.span(5, 11);
      expect(span.quote).toBe(`hid${character}ing`);
      expect([...sent].slice(span.start, span.end).join('')).toBe(span.quote);
    }
  });

  it('stand between any letters of any text without changing how it is read', () => {
    const words = fc.array(fc.constantFrom('They', 'are', 'hiding', 'the', 'truth', 'ascund', 'adevărul'), {
      minLength: 1,
      maxLength: 12,
    });
    const gap = fc.array(fc.constantFrom(...INVISIBLE), { maxLength: 3 }).map((all) => all.join(''));
    fc.assert(
      fc.property(words, fc.array(gap, { minLength: 8, maxLength: 8 }), (all, gaps) => {
        const text = all.join(' ');
        let at = 0;
        const sent = text.replace(/(?<=\p{L})(?=\p{L})/gu, () => gaps[at++ % gaps.length] ?? '');
        const plain = read(sent);
        expect(plain.text).toBe(text);
        for (const word of text.matchAll(/\S+/g)) {
          const { quote } = plain.span(word.index, word.index + word[0].length);
          expect(read(quote).text).toBe(word[0]);
          expect(sent).toContain(quote);
        }
      }),
      { numRuns: runs(300) },
    );
  });

  it.each([
    ['in an emoji', 'fine 👨‍👩‍👧 and ❤️ here'],
    ['as soft hyphens', 'un\u00adbe\u00adliev\u00adable'],
    ['as joiners of scripts that use them', 'می\u200cخواهم क्\u200dष'],
    ['between words', 'one \u200b two'],
    ['in the flag of Scotland', '🏴\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}'],
  ])('%s are no disguise', (_name, text) => {
    expect(read(text).disguises).toEqual([]);
  });

  it.each([
    ['one character in a word', 'They are hid\u200bing it', ['hid\u200bing']],
    ['two words', 'h\u2063i\u2063d a\u{e0101}b', ['h\u2063i\u2063d', 'a\u{e0101}b']],
    ['a message in tags', 'look 😀\u{e0068}\u{e0069}\u{e0021} here', ['\u{e0068}\u{e0069}\u{e0021}']],
  ])('%s are a disguise', (_name, text, words) => {
    const { disguises } = read(text);
    expect(disguises.map(({ start, end }) => text.slice(start, end))).toEqual(words);
    expect(new Set(disguises.map(({ kind }) => kind))).toEqual(new Set(['invisible_characters']));
  });

  it('as wide as a letter are blanks where they part words', () => {
    const blank = '\u2800';
    expect(read('They are hiding the truth from all of you'.replaceAll(' ', blank)).text).toBe(
      'They are hiding the truth from all of you',
    );
    expect(read(`so ${blank} it is`).text).toBe('so   it is');
  });
});

describe('disguised words', () => {
  it.each([
    ['spaced letters', 'They are H I D I N G it', 'They are HIDING it', 'spaced_letters'],
    ['spaced words', 'H I D I N G   t h e   t r u t h', 'HIDING the truth', 'spaced_letters'],
    ['spaced words without a wider gap', 'h i d i n g t h e t r u t h', 'hiding the truth', 'spaced_letters'],
    ['letters with dashes', 'they l-i-e-d, a d e v ă r u l', 'they lied, adevărul', 'spaced_letters'],
    [
      'letters of a word that short words spell, too',
      'guvernul de l a ș i',
      'guvernul de lași',
      'spaced_letters',
    ],
    ['dots between all letters', 'h.i.d.i.n.g it', 'hiding it', 'inner_marks'],
    ['a dot inside', 'the vac.cine kills, min.ciuna', 'the vaccine kills, minciuna', 'inner_marks'],
    ['other marks', 'un*believ*able tru_th', 'unbelievable truth', 'inner_marks'],
    ['empty tags', 'the va<b></b>ccine', 'the vaccine', 'markup'],
    ['comments', 'the va<!-- x -->ccine', 'the vaccine', 'markup'],
    ['entities', 'the v&#97;cc&#x69;ne', 'the vaccine', 'markup'],
    ['an entity that shows nothing', 'the vac&#8203;cine', 'the vaccine', 'markup'],
    ['digits for letters', 'the v4cc1ne, m1nc1un1', 'the vaccine, minciuni', 'digits_for_letters'],
    ['signs for letters', 'a $cam and l!es', 'a scam and lies', 'digits_for_letters'],
  ])('%s are read', (_name, sent, text, kind) => {
    const plain = read(sent);
    expect(plain.text).toBe(text);
    expect(new Set(plain.disguises.map((disguise) => disguise.kind))).toEqual(new Set([kind]));
    for (const { start, end } of plain.disguises) expect(read(sent.slice(start, end)).text).not.toBe('');
  });

  it('in letters of another cut are read, which is no disguise', () => {
    expect(read('𝐡𝐢𝐝𝐢𝐧𝐠 ｈｉｄｉｎｇ ⓗⓘⓓⓘⓝⓖ')).toMatchObject({ text: 'hiding hiding hiding', disguises: [] });
  });

  it.each([
    'COVID-19, F-16, B2B, H1N1, MP3, G20, 5G, CO2, A4, KN95, C3PO, 4chan, 7up, iPhone4',
    'U.S. U.S.A. U.S.S.R. U.K. N.A.T.O. e.g. i.e. a.k.a. p.m. a.s.a.p. Ph.D. J.K. Rowling J. R. R. Tolkien',
    'ș.a.m.d. s.a. d.hr. î.Hr. dl. nr.crt art.5 P.S.D. P N L',
    '+40 721 123 456, 0721.123.456, 12.30, 12:30, 3,5 %, 1.000.000, 10km, 50mg, 11am, 80th, 2nd, 1990s',
    'digi24.ro, example.com, user@example.com, https://a.b/c.d?e=f_g, main.ts, #tag_name, @user_name',
    'într-un, s-a dus, de-a lungul, re-election, e-mail, and/or, AT&T, R&D, C++, x < y > z, a <b and c> d',
    'A B C D E, x y z, I a m, vitamina A, B, C',
    'It ended.Then it began again, yes,no',
  ])('%s stays as it is', (text) => {
    expect(read(text)).toMatchObject({ text, disguises: [] });
  });

  it('give spans that lie in what was sent, whatever was sent', () => {
    const pieces = fc.constantFrom(
      ...[
        'h i d e n',
        'vac.cine',
        'v4ccine',
        '<b></b>',
        '&#97;',
        '&amp;',
        '\u200b',
        '\u2800',
        '😀',
        ' ',
        '\n',
        'word',
      ],
      ...['<!--', '-->', '<a href="', '&', '.', '\ud83d', 'é', 'e\u0301', '$', '0'],
    );
    const any = fc.oneof(
      fc.string({ unit: codePoint }),
      fc.array(pieces, { maxLength: 40 }).map((all) => all.join('')),
    );
    fc.assert(
      fc.property(any, fc.nat(200), fc.nat(200), (sent, one, other) => {
        const plain = read(sent);
        const start = Math.min(one, other, plain.text.length);
        const end = Math.min(Math.max(one, other), plain.text.length);
        const span = plain.span(start, end);
        expect(sent.slice(span.start_utf16, span.end_utf16)).toBe(span.quote);
        expect([...sent].slice(span.start, span.end).join('')).toBe(span.quote);
        for (const disguise of plain.disguises) expect(disguise.end).toBeGreaterThan(disguise.start);
      }),
      { numRuns: runs(1000) },
    );
  });
});
