import { describe, expect, it } from 'vitest';
import { loadClaimComparer } from '../../../../../src/services/analysis/engines/stance/claim-comparer.ts';
import { createEncoder, shareEncoder } from '../../../../../src/text/encoder/encoder.ts';
import { readEncoderParts } from '../../../../../training/encoder/parts.ts';

const encoder = createEncoder(shareEncoder(readEncoderParts(), 1), 0);
const reading = loadClaimComparer();

function judge(claim: string, ...passage: string[]) {
  const texts = [claim, ...passage];
  const encoded = encoder.encode(texts);
  const vectors = new Map(texts.map((text, index) => [text, encoded[index]?.vector ?? undefined]));
  const [supports, refutes, neither] = reading.stance(claim, passage, (text) => vectors.get(text));
  expect(supports + refutes + neither).toBeCloseTo(1, 6);
  return { supports, refutes, neither };
}

describe('the stance of a passage', () => {
  it('is told by a number in the place of another', () => {
    const opened = 'The bridge over the Danube was opened to traffic in 1992.';
    const [same, other] = [
      judge('The bridge was opened in 1992.', opened),
      judge('The bridge was opened in 1994.', opened),
    ];
    expect(same.supports).toBeGreaterThan(same.refutes);
    expect(other.refutes).toBeGreaterThan(other.supports);
  });

  it.each([
    ['Drinking bleach cures COVID-19.', 'Drinking bleach does not cure COVID-19 and is dangerous.'],
    ['The election was stolen.', 'Courts found no evidence that the election was stolen.'],
    ['Vaccines cause autism in children.', 'There is no evidence that vaccines cause autism in children.'],
    ['The earth is flat.', 'The claim that the earth is flat is false.'],
    [
      'The photo shows a protest in Paris.',
      'The photo does not show a protest in Paris but a concert in Lyon.',
    ],
    ['Vaccinurile provoacă autism la copii.', 'Vaccinurile nu provoacă autism la copii.'],
    ['Pământul este plat.', 'Este fals că pământul este plat.'],
  ])('is never support of "%s" where the passage denies it', (claim, passage) => {
    expect(judge(claim, passage).supports).toBeLessThanOrEqual(0.5);
  });

  it('may be support where both deny', () => {
    const text = 'Vaccines do not cause autism in children.';
    expect(judge(text, text).supports).toBeGreaterThan(0.5);
  });

  it('is neither of something else', () => {
    const { neither } = judge('The minister resigned.', 'The weather will be sunny in most counties.');
    expect(neither).toBeGreaterThan(0.5);
  });

  it('is told by the beginning of a sentence of a thousand words', () => {
    const words = (count: number) => Array.from({ length: count }, (_, at) => `waterfall${at}`).join(' ');
    const sentence = (count: number) => `The minister resigned ${words(count)}`;
    const vectors = new Float32Array(512);
    const answers = [200, 1000].map((count) =>
      reading.stance('The minister resigned.', [sentence(count)], () => vectors),
    );
    expect(answers[0]).toEqual(answers[1]);
  });

  it('is no support where nothing is said', () => {
    expect(judge('The minister resigned.').supports).toBeLessThan(0.5);
  });
});
