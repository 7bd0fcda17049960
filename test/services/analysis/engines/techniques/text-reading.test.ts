import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { packageFile } from '../../../../../src/foundation/files.ts';
import { encodingOf } from '../../../../../src/services/analysis/engines/encoding/text-encoding.ts';
import { createTechniquesEngine } from '../../../../../src/services/analysis/engines/techniques/engine.ts';
import { wordsBySentence } from '../../../../../src/services/analysis/engines/techniques/whole-text.ts';
import { packagedEncoder } from '../../../../../training/evaluate/task.ts';
import { calmForty } from '../../../../../training/judgement/sets.ts';

const engine = createTechniquesEngine(readFileSync(packageFile('models', 'techniques.bin')));
const readingOf = (text: string, language: string) =>
  engine.analyse(text, { language, encoding: encodingOf(packagedEncoder(), { text, language }) });
const mean = (numbers: readonly number[]) => numbers.reduce((sum, one) => sum + one, 0) / numbers.length;

const LOUD = {
  en: [
    'They will tell you the new meters are only there to read the power.',
    'Ask who reads the rest of it, and where it is kept.',
    'My brother worked for the firm that put them in, and he tore his own out the same week.',
    'Every house in our street has had one since spring, and every house has a headache.',
    'The council knows, the doctors know, and nobody will write it down.',
    'When they come to your door, do not let them in, and tell your neighbours.',
    'People who spoke up have lost their jobs, one after the other.',
    'This is how a free people is put under watch, room by room.',
  ],
  ro: [
    'O să vă spună că noile contoare doar citesc curentul.',
    'Întrebați cine citește restul și unde se păstrează.',
    'Fratele meu a lucrat la firma care le-a montat și și l-a smuls pe al lui în aceeași săptămână.',
    'Fiecare casă de pe strada noastră are unul din primăvară și în fiecare casă doare capul.',
    'Primăria știe, doctorii știu și nimeni nu vrea să scrie negru pe alb.',
    'Când vă bat la ușă, nu-i lăsați înăuntru și spuneți-le și vecinilor.',
    'Cei care au vorbit și-au pierdut slujbele, unul după altul.',
    'Așa ajunge un popor liber să fie supravegheat, cameră cu cameră.',
  ],
} as const;
const CALM = {
  en: [
    'The new meters read the power every quarter of an hour and send the numbers once a day.',
    'They are kept by the network operator for three years and then removed.',
    'Whoever does not want the daily numbers may ask for one a month.',
    'Installation takes about forty minutes, during which the power is off.',
    'The fitters carry a card with a photograph and a number to call.',
    'Of 2,100 households in the district 1,840 have one by now.',
    'The radio of a meter is weaker than that of a telephone.',
    'Questions are answered at the town hall on Thursday from four to six.',
  ],
  ro: [
    'Noile contoare citesc curentul la fiecare sfert de oră și trimit valorile o dată pe zi.',
    'Operatorul rețelei le păstrează trei ani, apoi le șterge.',
    'Cine nu dorește valorile zilnice poate cere una pe lună.',
    'Montarea durează circa patruzeci de minute, timp în care curentul este oprit.',
    'Montatorii poartă o legitimație cu fotografie și un număr la care se poate suna.',
    'Din 2.100 de gospodării din cartier, 1.840 au deja unul.',
    'Semnalul radio al contorului este mai slab decât al unui telefon.',
    'La întrebări se răspunde joi, la primărie, între orele 16 și 18.',
  ],
} as const;
const languages = ['en', 'ro'] as const;

describe('the words of a whole text', () => {
  it.each(languages)(
    'speak for pressing in a loud text, and not in a calm one of the same matter: %s',
    (code) => {
      expect(mean(wordsBySentence(LOUD[code]))).toBeGreaterThan(1);
      expect(mean(wordsBySentence(CALM[code]))).toBeLessThan(0.5);
    },
  );

  it('say nothing more because a text is longer, and leave no sentence out', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 12 }), (times) => {
        const sentences = new Array<readonly string[]>(times).fill(LOUD.en).flat();
        const scores = wordsBySentence(sentences);
        expect(scores).toHaveLength(sentences.length);
        expect(mean(scores)).toBeGreaterThan(0);
        expect(Math.abs(mean(scores))).toBeLessThan(12);
      }),
    );
    expect(wordsBySentence([])).toEqual([]);
  });
});

describe('a text read as a whole', () => {
  it.each(languages)('presses where no sentence shows a technique: %s', (code) => {
    const { techniques_detected, diffuse_evidence } = readingOf(LOUD[code].join(' '), code);
    expect(techniques_detected).toEqual([]);
    expect(diffuse_evidence?.weight).toBeGreaterThan(0.5);
    expect(diffuse_evidence?.quotes.length).toBeGreaterThan(0);
  });

  it.each(languages)('presses as well where it is typed without capitals, or without stops: %s', (code) => {
    const small = LOUD[code].join(' ').toLowerCase();
    const weightOf = (text: string) => readingOf(text, code).diffuse_evidence?.weight ?? 0;
    expect(weightOf(small)).toBeGreaterThan(0.5);
    expect(weightOf(small.replace(/[.!?]/g, ''))).toBeGreaterThan(0.5);
    const calm = CALM[code].join(' ').toLowerCase();
    expect(weightOf(calm)).toBeLessThan(0.2);
    expect(weightOf(calm.replace(/[.!?]/g, ''))).toBeLessThan(0.2);
  });

  it.each(languages)('does not where it informs on the same matter: %s', (code) => {
    expect(readingOf(CALM[code].join(' '), code).diffuse_evidence?.weight).toBeLessThan(0.2);
  });

  it('is calm in a passage of each of twenty registers, in both languages', () => {
    const heavy = calmForty().filter(
      ({ text, lang }) => (readingOf(text, lang).diffuse_evidence?.weight ?? 0) > 0.5,
    );
    expect(heavy.map(({ id }) => id)).toEqual([]);
  });
});
