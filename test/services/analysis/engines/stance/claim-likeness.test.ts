import { describe, expect, it } from 'vitest';
import { loadClaimComparer } from '../../../../../src/services/analysis/engines/stance/claim-comparer.ts';
import {
  type LikenessWeights,
  likenessProbability,
  standardised,
} from '../../../../../src/services/analysis/engines/stance/claim-likeness.ts';
import { readStarterRows } from '../../../../../src/services/web/evidence-index/starter.ts';
import { packagedEncoder } from '../../../../../training/evaluate/task.ts';

const comparer = loadClaimComparer();
const wordings = (id: string, language: 'en' | 'ro') => {
  const row = readStarterRows().find((one) => one.id === id);
  return row === undefined ? [] : [row.claim[language], ...row.wordings[language]];
};
/** The likeness of a sentence to wordings, each read in the given language. */
function likeness(sentence: string, known: readonly string[], language: 'en' | 'ro') {
  const texts = [sentence, ...known];
  const vectors = packagedEncoder().encode(texts, language);
  return comparer.likeness(sentence, known, (text) => vectors[texts.indexOf(text)]?.vector ?? undefined);
}

describe('the likeness of a sentence to a reviewed claim', () => {
  it.each([
    [
      'en',
      'covid-vaccine-microchip',
      'Everyone who took the covid jab is walking around with a microchip in the arm.',
    ],
    ['en', 'covid-vaccine-microchip', 'No, the COVID shot does not put a chip in anybody.'],
    ['ro', 'vaccines-autism', 'După vaccin, copilul vecinei s-a ales cu autism, și nu e singurul.'],
    ['ro', 'vaccines-autism', 'Nicio legătură între vaccinuri și autism nu a fost găsită.'],
  ] as const)('is high where the sentence says or denies it: %s %s: %s', (language, id, sentence) => {
    expect(likeness(sentence, wordings(id, language), language)).toBeGreaterThan(0.7);
  });

  it.each([
    ['en', 'covid-vaccine-microchip', 'The library opens at nine and closes at five.'],
    ['ro', 'vaccines-autism', 'Biblioteca se deschide la nouă și se închide la cinci.'],
  ] as const)('is low where it speaks of other things: %s %s: %s', (language, id, sentence) => {
    expect(likeness(sentence, wordings(id, language), language)).toBeLessThan(0.1);
  });

  it('is unknown with few wordings, with those of another language, and without a vector', () => {
    const known = wordings('covid-vaccine-microchip', 'en');
    const sentence = 'The vaccine has a chip in it.';
    expect(likeness(sentence, known.slice(0, 3), 'en')).toBeUndefined();
    expect(likeness('Vaccinul are un cip în el, să știți de la mine.', known, 'ro')).toBeUndefined();
    expect(comparer.likeness(sentence, known, () => undefined)).toBeUndefined();
  });

  it('reads the wordings in the language of the sentence', () => {
    const both = [...wordings('vaccines-autism', 'en'), ...wordings('vaccines-autism', 'ro')];
    const read = comparer.inLanguageOf('Vaccinurile le fac rău copiilor noștri.', both);
    expect(read.length).toBeGreaterThan(10);
    expect(wordings('vaccines-autism', 'en').filter((wording) => read.includes(wording))).toEqual([]);
  });
});

describe('weights of likeness', () => {
  const model: LikenessWeights = {
    version: '1',
    mean: [1, ...new Array<number>(10).fill(0)],
    deviation: [2, ...new Array<number>(10).fill(1)],
    most: 3,
    weights: [1, ...new Array<number>(10).fill(0)],
    bias: 0,
  };

  it('take standardised features, cut at both ends', () => {
    const features = [5, 10, -10, ...new Array<number>(8).fill(0)];
    expect(standardised(features, model).slice(0, 3)).toEqual([2, 3, -3]);
    expect(likenessProbability(features, model)).toBeCloseTo(1 / (1 + Math.exp(-2)), 10);
  });
});
