import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { foldGlossWord, glossText, glossWord, readGloss, stemOf } from '../../../src/text/encoder/gloss.ts';
import { readEncoderParts } from '../../../training/encoder/parts.ts';
import { codePoint } from '../../code-points.ts';

const { gloss: shipped } = readEncoderParts();
const small = readGloss(
  [
    '# a remark',
    'phrase\tdin cauza ca\tbecause',
    'phrase\tdin cauza\tdue to',
    'word\tploaie\train',
    'word\tguvernul\tgovernment',
    'word\tpodul\tbridge',
    'stem\tguvern\tgovernments',
    '',
  ].join('\n'),
);
const words = (text: string, gloss = small) =>
  glossText(gloss, text)
    .map(({ english }) => english)
    .join('');

describe('gloss', () => {
  it('puts English words in the place of Romanian ones and leaves the rest', () => {
    expect(words('Guvernul: 5 ploaie, Kraków!')).toBe('Government: 5 rain, Kraków!');
  });

  it('takes the longest phrase', () => {
    expect(words('Din cauză că ploaie')).toBe('Because rain');
    expect(words('din cauza ploaie')).toBe('due to rain');
  });

  it('drops words that only bind others', () => expect(words('pe ploaie')).toBe(' rain'));

  it('knows words without diacritics, with cedillas, and by their stem', () => {
    const gloss = readGloss('word\tstire\tnews\nword\ttara\tcountry\n');
    expect(words('Ştire știre stire țara ţara', gloss)).toBe('News news news country country');
    expect(glossWord(small, 'guvernelor')).toBe('governments');
    expect(glossWord(gloss, 'stirilor')).toBe('news');
    expect(glossWord(small, 'zborul')).toBeUndefined();
  });

  it('finds stems of at least four letters', () => {
    expect([stemOf('guvernului'), stemOf('guvern'), stemOf('casa')]).toEqual(['guvern', 'guvern', 'casa']);
  });

  it('says where each part of the text went: parts are in order and cover it', () => {
    fc.assert(
      fc.property(fc.string({ unit: codePoint }), (noise) => {
        for (const text of [noise, `Guvernul ${noise} a anunțat`]) {
          const parts = glossText(shipped, text);
          let passed = 0;
          for (const { start, end } of parts) {
            expect(start).toBe(passed);
            expect(end).toBeGreaterThan(start);
            passed = end;
          }
          expect(passed).toBe(text.length);
        }
      }),
    );
  });

  it('folds words', () => expect(foldGlossWord('Ținând')).toBe('tinand'));

  it('refuses a file that is none', () => {
    expect(() => readGloss('word only')).toThrow('no line');
    expect(() => readGloss('noun\ta\tb')).toThrow('no line');
  });
});

describe('the shipped gloss', () => {
  it('makes English of plain Romanian news', () => {
    const english = words('Ministrul Sănătății a anunțat că vaccinul este sigur.', shipped).toLowerCase();
    for (const word of ['minister', 'health', 'vaccine', 'sure']) expect(english).toContain(word);
  });
});
