import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { packageFile } from '../../../../../src/foundation/files.ts';
import { createClaimsEngine } from '../../../../../src/services/analysis/engines/claims/engine.ts';
import {
  createNearClaims,
  loadNearClaims,
} from '../../../../../src/services/analysis/engines/claims/near-claims.ts';
import { createStarterClaims } from '../../../../../src/services/analysis/engines/claims/starter-claims.ts';
import { loadVectorHead } from '../../../../../src/services/analysis/engines/claims/vector-head.ts';
import { encodingOf } from '../../../../../src/services/analysis/engines/encoding/text-encoding.ts';
import { likenessWeights } from '../../../../../src/services/analysis/engines/stance/claim-likeness.ts';
import { loadLinear } from '../../../../../src/text/linear.ts';
import { packagedEncoder } from '../../../../../training/evaluate/task.ts';

type Language = 'en' | 'ro';

const starter = createStarterClaims();
const near = loadNearClaims(starter);
const vectorOf = (sentence: string, language: Language) =>
  packagedEncoder().encode([sentence], language)[0]?.vector ?? new Float32Array(512);
const likeness = (sentence: string, language: Language) =>
  near.likeness(sentence, language, vectorOf(sentence, language));

const modelOf = (name: string) => loadLinear(readFileSync(packageFile('models', `${name}.bin`)));
const models = { words: modelOf('claims-words'), cues: modelOf('claims-cues'), head: loadVectorHead() };
const withNear = createClaimsEngine(models, undefined, near);
const withoutNear = createClaimsEngine(models);
const inputOf = (text: string, language: Language) => ({
  text,
  language,
  encoding: encodingOf(packagedEncoder(), { text, language }),
});
const claimsOf = (engine: typeof withNear, text: string, language: Language) =>
  engine.extract(inputOf(text, language)).map((claim) => claim.text);

/** Sentences that say a known claim in words that none of its wordings has; no model of check-worthiness picks those of the second list. */
const SAID = [
  ['en', 'Drink okra water every morning and your diabetes is gone.'],
  ['en', 'The drug makers are sitting on a cure for cancer and will not let us have it.'],
  ['ro', 'Vecina și-a vindecat diabetul bând apă în care a ținut bame.'],
] as const;
const OVERLOOKED = [
  ['en', 'My neighbour swears the Moon landing was filmed by Kubrick on a set in Nevada.'],
  ['en', 'Folks will tell you the Earth is a ball, but it lies flat as a table.'],
  ['ro', 'Pământul e plat ca masa din bucătărie.'],
] as const;

const CALM = {
  en: ['We opened the shop at nine and sold bread until noon.', 'Afterwards we walked home by the river.'],
  ro: ['Am deschis prăvălia la nouă și am vândut pâine până la prânz.', 'Apoi am mers acasă pe lângă râu.'],
};

const textWith = (sentence: string, language: Language) =>
  [CALM[language][0], sentence, CALM[language][1]].join(' ');

describe('known claims by their meaning', () => {
  it.each([...SAID, ...OVERLOOKED])('know a sentence that says one: %s: %s', (language, sentence) => {
    expect(likeness(sentence, language)).toBeGreaterThan(0.7);
  });

  it.each([
    ...CALM.en.map((sentence) => ['en', sentence] as const),
    ...CALM.ro.map((sentence) => ['ro', sentence] as const),
  ])('know nothing of other things: %s: %s', (language, sentence) => {
    expect(likeness(sentence, language)).toBe(0);
  });

  it('do not know a claim in fewer than four wordings, or without vectors', () => {
    const { claims, vectors, ...tables } = starter();
    const weights = likenessWeights.parse(
      JSON.parse(readFileSync(packageFile('models', 'claim-likeness.json'), 'utf8')),
    );
    const [language, sentence] = SAID[0];
    const vector = vectorOf(sentence, language);
    const cut = (most: number) => claims.map(({ en, ro }) => ({ en: en.slice(0, most), ro }));
    const likenessOf = (own: typeof claims, bytes: typeof vectors) =>
      createNearClaims(own, { ...tables, vectors: bytes }, weights).likeness(sentence, language, vector);
    expect(likenessOf(cut(4), vectors)).toBeGreaterThan(0);
    expect(likenessOf(cut(3), vectors)).toBe(0);
    expect(likenessOf(claims, new Map())).toBe(0);
  });
});

describe('a text that says a known claim in other words', () => {
  it.each([...SAID, ...OVERLOOKED])(
    'has it among its claims, as a statement: %s: %s',
    (language, sentence) => {
      const claims = withNear.extract(inputOf(textWith(sentence, language), language));
      const found = claims.find((claim) => claim.text === sentence);
      expect(found?.status).toBe('unverified');
      expect(found?.queries).not.toEqual([]);
    },
  );

  it.each(OVERLOOKED)('is as worth checking as it is like the known one: %s: %s', (language, sentence) => {
    const claims = withNear.extract(inputOf(textWith(sentence, language), language));
    const found = claims.find((claim) => claim.text === sentence);
    expect(found?.checkworthiness).toBeCloseTo(likeness(sentence, language), 2);
  });

  it.each(OVERLOOKED)('is no claim without: %s: %s', (language, sentence) => {
    expect(claimsOf(withoutNear, textWith(sentence, language), language)).not.toContain(sentence);
  });

  it.each([
    ['en', 'Do you know whether the Moon landing was filmed by Kubrick on a set?'],
    ['ro', 'Chiar se ascunde leacul pentru cancer de către firmele de medicamente?'],
  ] as const)('has no claim where it asks: %s: %s', (language, sentence) => {
    expect(claimsOf(withNear, textWith(sentence, language), language)).not.toContain(sentence);
  });

  it('needs the vectors of the text', () => {
    const [language, sentence] = OVERLOOKED[2];
    const texts = withNear.extract({ text: textWith(sentence, language), language });
    expect(texts.map((claim) => claim.text)).not.toContain(sentence);
  });
});
