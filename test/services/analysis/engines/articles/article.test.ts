import { describe, expect, it } from 'vitest';
import {
  ARTICLE_LABELS,
  type ArticleParameters,
  loadArticleModel,
} from '../../../../../src/services/analysis/engines/articles/article.ts';
import { DIMENSIONS } from '../../../../../src/text/encoder/layers.ts';
import { saveLinear } from '../../../../../src/text/linear.ts';
import { sigmoid } from '../../../../../src/text/logistic.ts';

const base64 = (...values: readonly number[]) =>
  Buffer.from(Int8Array.from(values).buffer).toString('base64');
/** One axis, the first number of a direction, and one article of training at 1 on it. */
const part = (weight: number): ArticleParameters['body'] => ({
  gamma: 1,
  axes: { scale: 1, bytes: base64(1, ...new Array<number>(DIMENSIONS - 1).fill(0)) },
  landmarks: { scale: 1, bytes: base64(1) },
  weights: [weight],
  centre: new Array<number>(DIMENSIONS).fill(0),
});
const parameters: ArticleParameters = {
  headline: part(3),
  body: part(-5),
  calibration: { slope: 0.5, intercept: 0.25 },
};
const model = loadArticleModel(
  saveLinear(
    {
      name: 'articles',
      version: '1.0.0',
      labels: [...ARTICLE_LABELS],
      bits: 4,
      quantisation: 'int8',
      scales: [],
      bias: [0.7],
      calibration: { link: 'logistic', slope: [1], intercept: [0] },
      thresholds: {},
      parameters: { ...parameters },
    },
    new Float32Array(2 ** 4),
  ),
);
const vectors = new Float32Array(2 * DIMENSIONS);
vectors[0] = 1;
vectors[DIMENSIONS + 1] = 1;
const encoding = { bounds: Uint32Array.of(0, 8, 10, 20), vectors };

describe('the model of whole articles', () => {
  it('adds the likeness of headline and body to the words', () => {
    const chance = model.oneSided({
      text: 'Headline\n\nThe body.',
      headline: { start: 0, end: 8 },
      encoding,
    });
    expect(chance).toBeCloseTo(sigmoid(0.5 * (0.7 + 3 - 5 * Math.exp(-1)) + 0.25), 6);
  });

  it('takes the first sentence for a headline where none stands inside', () => {
    const inside = { text: 'Headline\n\nThe body.', headline: { start: 0, end: 8 }, encoding };
    expect(model.oneSided({ ...inside, headline: undefined })).toBe(model.oneSided(inside));
  });

  it.each([
    ['nothing was encoded', undefined],
    [
      'only one sentence was encoded',
      { bounds: Uint32Array.of(0, 8), vectors: vectors.subarray(DIMENSIONS) },
    ],
  ])('says nothing where %s', (_, some) => {
    const chance = model.oneSided({ text: 'Headline\n\nThe body.', headline: undefined, encoding: some });
    expect(chance).toBeUndefined();
  });

  it('refuses a file without its parameters', () => {
    expect(() => loadArticleModel(new Uint8Array(12))).toThrow();
  });
});
