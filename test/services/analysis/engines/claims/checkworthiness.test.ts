import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { packageFile } from '../../../../../src/foundation/files.ts';
import { CheckworthinessScorer } from '../../../../../src/services/analysis/engines/claims/checkworthiness.ts';
import { claimText } from '../../../../../src/services/analysis/engines/claims/cues.ts';
import {
  combinedProbability,
  loadVectorHead,
  type VectorHead,
} from '../../../../../src/services/analysis/engines/claims/vector-head.ts';
import { loadLinear } from '../../../../../src/text/linear.ts';

const modelOf = (name: string) => loadLinear(readFileSync(packageFile('models', `${name}.bin`)));
const scorer = new CheckworthinessScorer({ words: modelOf('claims-words'), cues: modelOf('claims-cues') });
const share = (sentence: string, language: string) => scorer.score(claimText(sentence), language).checkworthy;

function labelled(file: string): { worthy: boolean; sentence: string }[] {
  const path = packageFile('test', 'services', 'analysis', 'engines', 'claims', 'fixtures', file);
  const lines = readFileSync(path, 'utf8').split('\n');
  return lines
    .filter((line) => /^[01]\|/.test(line))
    .map((line) => ({ worthy: line.startsWith('1'), sentence: line.slice(2) }));
}

/** F1 at the threshold of the model. */
function f1(rows: readonly { worthy: boolean; sentence: string }[]): number {
  const threshold = scorer.threshold('ro');
  const found = rows.filter((row) => share(row.sentence, 'ro') >= threshold);
  const hits = found.filter((row) => row.worthy).length;
  return (2 * hits) / (found.length + rows.filter((row) => row.worthy).length);
}

describe('CheckworthinessScorer', () => {
  it('keeps the quality that the model card states for Romanian', () => {
    expect(f1(labelled('romanian-sentences.txt'))).toBeGreaterThan(0.95);
    expect(f1(labelled('romanian-sentences-2.txt'))).toBeGreaterThan(0.75);
  });

  const pairs: [string, string, string][] = [
    [
      'en',
      'The deficit doubled to 700 billion dollars under the last administration.',
      'I think we can all do better.',
    ],
    ['en', 'He voted against the bill in 2005.', 'Good evening, and thank you for having me.'],
    ['ro', 'Deficitul s-a dublat la 120 de miliarde de lei în 2023.', 'Cred că putem mai mult, cu toții.'],
    ['ro', 'Senatorul a votat împotriva legii în 2005.', 'Bună seara și vă mulțumesc pentru invitație.'],
  ];
  it.each(pairs)('%s: ranks "%s" above "%s"', (language, fact, talk) => {
    expect(share(fact, language)).toBeGreaterThan(share(talk, language) + 0.3);
  });
});

describe('a sentence with its vector', () => {
  const own: [number, number] = [1, 1];
  const part = { own, encoder: [2, 0] as [number, number], bias: [0, 0] as [number, number], threshold: 0.9 };
  const weights = Float32Array.from({ length: 512 }, (_, index) => (index === 7 ? 3 : 0));
  const head: VectorHead = {
    name: 'made',
    version: '1',
    weights: [weights, weights],
    bias: [0.5, 0],
    words: part,
    cues: { ...part, threshold: 0.2 },
  };
  const models = { words: modelOf('claims-words'), cues: modelOf('claims-cues') };
  const withHead = new CheckworthinessScorer({ ...models, head });
  const vector = new Float32Array(512);
  vector[7] = 1;
  const text = claimText('He voted against the bill in 2005.');
  const odds = (chance: number) => Math.log(chance / (1 - chance));

  it('adds the log-odds of both', () => {
    const still = withHead.score(text, 'en', new Float32Array(512));
    const moved = withHead.score(text, 'en', vector);
    expect(odds(moved.checkworthy) - odds(still.checkworthy)).toBeCloseTo(6, 5);
    expect(moved.factual).toBeCloseTo(still.factual, 9);
  });

  it.each([
    ['en', 0.9],
    ['ro', 0.2],
  ])('%s has a threshold of its own', (language, threshold) => {
    expect(withHead.threshold(language, true)).toBe(threshold);
    expect(withHead.threshold(language)).toBe(scorer.threshold(language));
  });

  it.each([
    ['without weights for it', scorer, 'en', vector],
    ['without a vector', withHead, 'ro', undefined],
    ['in a language that the encoder does not read', withHead, 'fr', vector],
  ])('is judged by its wording alone %s', (_, judge, language, given) => {
    expect(judge.score(text, language, given)).toEqual(scorer.score(text, language));
    if (language === 'fr') expect(judge.threshold('fr', true)).toBe(scorer.threshold('fr'));
  });

  it('is read by weights that fit their model', () => {
    const shipped = loadVectorHead();
    const chance = combinedProbability(shipped, 'words', 0, 0, new Float32Array(512));
    expect(chance).toBeGreaterThan(0);
    expect(chance).toBeLessThan(1);
  });
});
