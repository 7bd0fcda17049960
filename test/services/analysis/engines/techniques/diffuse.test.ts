import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { packageFile } from '../../../../../src/foundation/files.ts';
import { encodingOf } from '../../../../../src/services/analysis/engines/encoding/text-encoding.ts';
import { densityOf, weightOf } from '../../../../../src/services/analysis/engines/techniques/diffuse.ts';
import { createTechniquesEngine } from '../../../../../src/services/analysis/engines/techniques/engine.ts';
import { summariseTechniques } from '../../../../../src/services/analysis/engines/techniques/summary.ts';
import { createEncoder, shareEncoder } from '../../../../../src/text/encoder/encoder.ts';
import { sigmoid } from '../../../../../src/text/logistic.ts';
import { countWords } from '../../../../../src/text/words.ts';
import { readEncoderParts } from '../../../../../training/encoder/parts.ts';

const encoder = createEncoder(shareEncoder(readEncoderParts(), 1), 0);
const engine = createTechniquesEngine(readFileSync(packageFile('models', 'techniques.bin')));

function analyse(text: string, language = 'en') {
  return engine.analyse(text, { language, encoding: encodingOf(encoder, { text, language }) });
}

const sentence = fc.record({
  chance: fc.double({ min: 0, max: 1, noNaN: true }),
  words: fc.integer({ min: 0, max: 40 }),
  listed: fc.boolean(),
});

describe('the density of diffuse evidence', () => {
  it('never rises when a calm sentence is added, wherever it stands', () => {
    const calm = fc.record({
      chance: fc.double({ min: 0, max: 0.6, noNaN: true }),
      words: fc.integer({ min: 0, max: 40 }),
      listed: fc.constant(false),
    });
    fc.assert(
      fc.property(fc.array(sentence), fc.array(calm), fc.nat(), (text, added, at) => {
        const place = at % (text.length + 1);
        const longer = [...text.slice(0, place), ...added, ...text.slice(place)];
        expect(densityOf(longer)).toBeLessThanOrEqual(densityOf(text));
      }),
    );
  });

  it('grows with each sentence above the floor, but not with one that is listed or too short', () => {
    const loud = { chance: 0.9, words: 12, listed: false };
    expect(densityOf([])).toBe(0);
    expect(densityOf([loud])).toBeCloseTo(0.3 / 9, 6);
    expect(densityOf([loud, loud])).toBeCloseTo(0.6 / 10, 6);
    expect(densityOf([{ ...loud, listed: true }])).toBe(0);
    expect(densityOf([{ ...loud, words: 4 }])).toBe(0);
  });

  it('has the weight that the formula of the score needs, whatever the length', () => {
    for (const words of [50, 250, 4000]) {
      const { manipulation_score: score } = summariseTechniques([], words, weightOf(0.05, words));
      expect(score).toBeCloseTo(100 * (1 - Math.exp(-9 * 0.05)), 2);
    }
  });
});

describe('diffuse evidence of a text', () => {
  const slanted =
    'The liberal elites have never cared about ordinary Americans. They want open borders because it keeps them in power. ' +
    'Democrats will say anything to destroy this president. The media went along with it, as they always do. ' +
    'Our country is being taken apart by people who hate everything it stands for.';
  const calm =
    'The council approved a plan to repair four bridges. Work will begin in May and should end before the winter. ' +
    'The first bridge was built in 1931. Buses will use another road until then.';

  it('counts what is too weak for the list, and the score can be redone from the record', () => {
    const found = analyse(slanted);
    const { diffuse_evidence: diffuse } = found;
    expect(diffuse?.sentences).toBeGreaterThan(0.2);
    expect(diffuse?.weight).toBeGreaterThan(0.1);
    const redone = summariseTechniques(found.techniques_detected, countWords(slanted), diffuse?.weight);
    expect(redone.manipulation_score).toBe(found.manipulation_score);
    for (const { start, end, quote, probability } of diffuse?.quotes ?? []) {
      expect([...slanted].slice(start, end).join('')).toBe(quote);
      expect(probability).toBeGreaterThan(0.6);
    }
  });

  it('lets findings count less in a text that reads calm, and the score is redone from the weights', () => {
    const text = `${calm} The mayor called the critics traitors and vermin. ${calm}`;
    const { techniques_detected: found, manipulation_score, diffuse_evidence } = analyse(text);
    const spans = found.flatMap((item) => item.spans);
    expect(spans.length).toBeGreaterThan(0);
    const redone = summariseTechniques(found, countWords(text), diffuse_evidence?.weight);
    expect(redone.manipulation_score).toBe(manipulation_score);
    const alone = engine.analyse(text, { language: 'en' });
    const heaviest = (weights: readonly { weight: number }[]) =>
      Math.max(...weights.map(({ weight }) => weight));
    expect(heaviest(spans)).toBeLessThan(heaviest(alone.techniques_detected.flatMap((item) => item.spans)));
    expect(manipulation_score).toBeGreaterThan(0.3 * alone.manipulation_score);
    expect(manipulation_score).toBeLessThan(alone.manipulation_score);
  });

  it('says nothing of calm text, of words between quotation marks, and of other languages', () => {
    expect(analyse(calm).diffuse_evidence?.weight).toBe(0);
    const said = analyse(slanted).diffuse_evidence?.quotes[0]?.quote ?? '';
    expect(said).not.toBe('');
    expect(analyse(said).diffuse_evidence?.weight).toBeGreaterThan(0);
    expect(analyse(`“${said.slice(0, -1)},” he said.`).diffuse_evidence?.weight).toBe(0);
    expect(analyse(slanted, 'fr').diffuse_evidence).toBeNull();
    expect(engine.analyse(slanted, { language: 'en' }).diffuse_evidence).toBeNull();
  });

  it('reads Romanian with comma, with cedilla and without diacritics as the same', () => {
    const text =
      'Trădătorii de la guvern și-au bătut joc de țara noastră și de pensionari. Ne mint în față și ne fură viitorul copiilor.';
    const proper = analyse(text, 'ro').diffuse_evidence;
    const cedilla = analyse(text.replaceAll('ș', 'ş').replaceAll('ț', 'ţ'), 'ro').diffuse_evidence;
    const bare = analyse(text.normalize('NFD').replace(/\p{M}/gu, ''), 'ro').diffuse_evidence;
    expect([cedilla?.weight, bare?.weight]).toEqual([proper?.weight, proper?.weight]);
    const sentences =
      'Trădătorii ne mint în față și ne fură viitorul copiilor. Consiliul local a votat bugetul pe anul viitor.';
    const encoding = encodingOf(encoder, { text: sentences, language: 'ro' });
    const signs = engine.signs(sentences, { language: 'ro', encoding });
    const [sharp = 0, plain = 0] = signs.map(({ slant }) => sigmoid(slant));
    expect(signs).toHaveLength(2);
    expect(sharp).toBeGreaterThan(plain + 0.2);
  });
});
