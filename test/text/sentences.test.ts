import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sentencesOf } from '../../src/text/sentences.ts';
import { codePoint } from '../code-points.ts';

/** Each case is one text, written as the list of its sentences joined by a space (or by the given joint). */
const joined: string[][] = [
  ['The bridge was closed on Monday.', 'It opened again at noon.'],
  ['Dr. Smith met Mr. J. K. Jones in St. Louis.', 'They talked.'],
  ['Prices rose by 3.5 percent to 1,200.50 lei.', 'Nobody noticed.'],
  ['He asked: "Is it true?"', 'Nobody answered.'],
  ['"Is it true?" he asked.', '"It is."'],
  ['Wait... what happened?', 'I do not know!'],
  ['He stopped...', 'Then he ran.'],
  ['What?!', 'No way!!!', 'Yes.'],
  ['The U.S. Senate voted on Jan. 6 at 5 p.m. local time.', 'The bill passed.'],
  ['They moved to the U.S.', 'The family stayed there.'],
  ['It works on fruit, e.g. apples, i.e. Golden ones, etc. and pears.', 'Good.'],
  ['They sell apples, pears, etc.', 'Prices vary.'],
  ['So do I.', 'And you?'],
  ['See No. 5 on page 3.', 'There is no.', 'We looked.'],
  ['George W. Bush spoke (twice.)', 'Nobody listened.'],
  ['Visit www.example.com or example.org/a.b now.', 'Thanks.'],
  ['The firm, Acme Inc., grew.', 'Acme Inc. CEO Ann Lee left.'],
  ['Podul s-a închis luni.', 'S-a redeschis la prânz.'],
  ['Dl. Popescu și d-na Ionescu au votat.', 'Legea nr. 52 din 2003, art. 3 alin. 2 se aplică.'],
  ['Prof. univ. dr. I. L. Marin a vorbit.', 'Sala era plină.'],
  ['Prețul a crescut cu 12,5 la sută, la 1.200 de lei.', 'Sursa: INS.'],
  ['„Este adevărat?”, a întrebat el.', '„Da.”', 'Apoi a plecat.'],
  ['El a spus: „Nu știu.”', 'Nimeni nu l-a crezut.'],
  ['Au venit miniștri, primari, ș.a.', 'Ședința a durat mult.'],
  ['Pe str. Mihai Eminescu nr. 10 a fost un incendiu.', 'Pompierii au venit repede.'],
  ['S-a întâmplat în anul 50 î.Hr. după unii.', 'Alții neagă.'],
  ['S.U.A. au trimis ajutor.', 'Ajutorul a ajuns.'],
  ['Ce?', 'De ce?', 'Când…', 'Nimeni nu răspunde.'],
  ['Costă 5 lei.', '10 oameni au plătit.'],
  ['这是第一句。', '这是第二句！'],
];

const lines: [string, string[]][] = [
  [
    'Headline without stop\n\nFirst sentence. Second one.',
    ['Headline without stop', 'First sentence.', 'Second one.'],
  ],
  [
    'Reasons:\n- it is cheap\n- it is near\n1. Start here\n2. Go on',
    ['Reasons:', '- it is cheap', '- it is near', '1. Start here', '2. Go on'],
  ],
  ['Title\r\nBody of the text.\r\nMore.', ['Title', 'Body of the text.', 'More.']],
  [
    'The mayor of the town announced yesterday that the old pool\nin the centre will be sold to a private company that Ann Lee\nDavis and others own, while the council said that it had not\nbeen asked at all. It protested.',
    [
      'The mayor of the town announced yesterday that the old pool\nin the centre will be sold to a private company that Ann Lee\nDavis and others own, while the council said that it had not\nbeen asked at all.',
      'It protested.',
    ],
  ],
  ['   \n\n ', []],
  ['', []],
  ['...', ['...']],
];

describe('sentencesOf', () => {
  it.each(joined)('parts %s | %s', (...sentences) => {
    const parts = sentences.filter((sentence) => sentence !== undefined);
    const glue = parts[0]?.startsWith('这') ? '' : ' ';
    expect(sentencesOf(parts.join(glue)).map((sentence) => sentence.text)).toEqual(parts);
  });

  it.each(lines)('parts lines of %j', (text, sentences) => {
    expect(sentencesOf(text).map((sentence) => sentence.text)).toEqual(sentences);
  });

  it('covers every visible character once, in order, with verbatim text', () => {
    const pieces = fc.constantFrom(
      'Dr. ',
      'a',
      'Ă',
      '. ',
      '...',
      '!',
      '"',
      '”',
      '\n',
      ' ',
      '5',
      'U.S.',
      '😀',
      '\ud800',
      '- ',
      ', ',
      'nr. ',
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: codePoint }),
          fc.array(pieces).map((parts) => parts.join('')),
        ),
        (text) => {
          let end = 0;
          let kept = '';
          for (const sentence of sentencesOf(text)) {
            expect(sentence.start).toBeGreaterThanOrEqual(end);
            expect(sentence.text).toBe(text.slice(sentence.start, sentence.end));
            end = sentence.end;
            kept += sentence.text;
          }
          expect(kept.replace(/\s/g, '')).toBe(text.replace(/\s/g, ''));
        },
      ),
    );
  });
});

describe('a text that is typed without capitals', () => {
  it.each([
    ['the climate has not warmed since 1941. they moved the stations. who pays them? nobody asks.', 4],
    ['vaccinul dă gripă. virusul este viu și stă în corp cam cinci luni. nu vă spune nimeni!', 3],
    ['Chemtrails are back. my phone lost signal again. they spray at night. look up.', 4],
    ['dr. popescu a scris lui j. k. rowling. asta e. nu a primit răspuns.', 3],
    ['it was "really?" strange, e.g. at night. we went home.', 2],
    ['they lie!! nobody says it!! it is all paid!! wait... what', 4],
  ])('has sentences: %s', (text, count) => expect(sentencesOf(text)).toHaveLength(count));

  it.each([
    ['He quoted the univ. of Cluj and the fac. of law in one breath.', 1],
    ['The price is approx. five euros. It rose.', 2],
    ['wait... what... no', 1],
    ['iPhone sales fell. Apple said so. Shares fell, too.', 3],
  ])('is none where capitals begin sentences or nothing shows it: %s', (text, count) =>
    expect(sentencesOf(text)).toHaveLength(count),
  );

  it('has as many where there are very many', () => {
    expect(sentencesOf('nobody asks. '.repeat(20_000))).toHaveLength(20_000);
  });
});

describe('a text that is typed without stops', () => {
  const words = (count: number) => Array.from({ length: count }, (_, at) => `cuvânt${at}`);
  const lengths = (text: string) => sentencesOf(text).map((part) => part.text.split(/\s+/).length);

  it('is read in parts of about thirteen words', () => {
    expect(lengths(words(36).join(' '))).toEqual([36]);
    expect(lengths(words(65).join(' '))).toEqual([13, 13, 13, 13, 13]);
  });

  it('is cut behind a mark, or before a word that may begin a sentence, where one is near', () => {
    const text = words(52).with(14, 'marcă,').with(27, 'dar').with(40, 'tot').join(' ');
    const parts = sentencesOf(text).map((part) => part.text.split(' '));
    expect(parts.map(([first]) => first)).toEqual(['cuvânt0', 'cuvânt15', 'dar', 'cuvânt39']);
  });

  it('is none where long sentences have their stops, or lines are items', () => {
    expect(lengths(`${words(70).join(' ')}. Da.`)).toEqual([70, 1]);
    expect(lengths(`${words(35).join(' ')}. `.repeat(9).trim())).toEqual(Array(9).fill(35));
    expect(sentencesOf(words(200).join('\n'))).toHaveLength(200);
  });

  it('keeps every part in place where words are very many', () => {
    const text = `  ${words(52_000).join('\t ')} `;
    const parts = sentencesOf(text);
    expect(parts).toHaveLength(4000);
    for (const { start, end, text: own } of parts) expect(text.slice(start, end)).toBe(own);
  });
});
