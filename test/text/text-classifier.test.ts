import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { packageFile } from '../../src/foundation/files.ts';
import { pairVector } from '../../src/services/analysis/engines/stance/perspective.ts';
import { FeatureHasher } from '../../src/text/features.ts';
import { loadTextClassifier, textFeatures } from '../../src/text/text-classifier.ts';

const load = (name: string) => loadTextClassifier(readFileSync(packageFile('models', `${name}.bin`)));

describe('a text classifier', () => {
  it.each([
    ['sentiment-en', 'What a wonderful day, I love it!', 'positive'],
    ['sentiment-en', 'This is the worst film I have ever seen, a terrible waste of time.', 'negative'],
    ['sentiment-ro', 'Sunt atât de fericit, vă iubesc pe toți!', 'positive'],
    ['sentiment-ro', 'Mi-e frică și sunt furios, totul este groaznic.', 'negative'],
  ])('%s reads %j as %s by words alone', (name, text, label) => {
    const said = load(name).classify(text);
    expect(said.label).toBe(label);
    expect(said.labels).toEqual([label]);
    expect(said.confidence).toBe(said.shares[label]);
    const sum = Object.values(said.shares).reduce((total, share) => total + share, 0);
    expect(sum).toBeCloseTo(1);
  });

  it('reads Romanian without diacritics, and with cedillas, as with them', () => {
    const model = load('sentiment-ro');
    const [comma, cedilla, bare] = [
      'ș ț ă î â țară și fără',
      'ş ţ ă î â ţară şi fără',
      's t a i a tara si fara',
    ];
    expect(model.classify(cedilla)).toEqual(model.classify(comma));
    expect(model.classify(bare)).toEqual(model.classify(comma));
  });

  it.each([
    ['emotion-en', 'I am so afraid, something terrible is out there.', 'fear'],
    ['emotion-ro', 'Sunt foarte fericit și vesel astăzi!', 'joy'],
  ])('%s may hear several feelings at once in %j, %s among them', (name, text, label) => {
    const said = load(name).classify(text);
    expect(said.labels).toContain(label);
    for (const share of Object.values(said.shares)) {
      expect(share).toBeGreaterThan(0);
      expect(share).toBeLessThan(1);
    }
  });

  it.each([
    ['clickbait-en', '21 Things You Will Only Understand If You Grew Up With Cats', 'listicle'],
    ['clickbait-en', 'Parliament approves budget after two days of talks', 'agency'],
    ['clickbait-en', 'What the mayor found in the cellar of the town hall', 'curiosity gap'],
    ['clickbait-ro', 'Ce a găsit primarul în pivnița primăriei', 'curiosity gap'],
    ['clickbait-ro', 'Consiliul local a votat bugetul cu 14 voturi pentru și 3 împotrivă', 'informative'],
    ['offence-ro', 'Ești un idiot și un prost, taci din gură.', 'abuse'],
    ['offence-ro', 'Meciul de aseară s-a terminat la egalitate.', 'other'],
  ])('%s reads %j as %s', (name, text, label) => {
    expect(load(name).classify(text).label).toBe(label);
  });

  it('counts characters within words where a model does, so that their order leaves only words', () => {
    const read = (text: string, characters: 'across words' | 'within words') => {
      const { indices } = textFeatures(new FeatureHasher(18), text, characters);
      return new Set(indices);
    };
    const shared = (characters: 'across words' | 'within words') => {
      const [one, other] = [read('aaa bbb', characters), read('bbb aaa', characters)];
      return one.size - [...one].filter((bucket) => other.has(bucket)).length;
    };
    // The pair of words alone differs; across words their borders do too.
    expect(shared('within words')).toBe(1);
    expect(shared('across words')).toBeGreaterThan(4);
  });

  it('reads a pair by a vector of its own width', () => {
    const model = load('perspective-en');
    const unit = new Float32Array(512).fill(512 ** -0.5);
    const pair = pairVector(
      unit,
      unit.map((value) => -value),
    );
    expect([pair.length, pair[0], pair[512], pair[1024]].map((value) => Number(value?.toFixed(4)))).toEqual([
      1536, -0.0442, 0.0884, -0.0442,
    ]);
    const said = model.classify('It violates the right of people to decide for themselves.', pair);
    expect((said.shares.SUPPORTS ?? 0) + (said.shares.REFUTES ?? 0)).toBeCloseTo(1);
  });

  it('takes a vector into account, and works on nothing', () => {
    const model = load('sentiment-en');
    const vector = new Float32Array(512).fill(512 ** -0.5);
    expect(model.classify('so it was', vector).shares).not.toEqual(model.classify('so it was').shares);
    expect(Number.isFinite(model.classify('').confidence)).toBe(true);
  });
});
