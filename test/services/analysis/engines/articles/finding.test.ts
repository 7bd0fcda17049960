import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { articleDirections } from '../../../../../src/services/analysis/engines/articles/article.ts';
import {
  createArticleClassifier,
  NO_ARTICLE,
} from '../../../../../src/services/analysis/engines/articles/finding.ts';
import { parseText } from '../../../../../src/services/analysis/engines/context/parsed-text.ts';
import { encodingOf } from '../../../../../src/services/analysis/engines/encoding/text-encoding.ts';
import { DIMENSIONS } from '../../../../../src/text/encoder/layers.ts';
import { packagedEncoder } from '../../../../../training/evaluate/task.ts';

const weights = (file: string) => () =>
  readFileSync(new URL(`../../../../../models/${file}`, import.meta.url));
const read = createArticleClassifier({
  articles: weights('articles-en.bin'),
  headlines: { en: weights('clickbait-en.bin'), ro: weights('clickbait-ro.bin') },
});
const finding = (text: string, { language = 'en', title = null as string | null, encoded = true } = {}) => {
  const encoding = encoded ? encodingOf(packagedEncoder(), { text, language }) : undefined;
  return read(parseText({ text, title, language, flags: [], satirical_source: false, encoding }));
};

const council =
  'The council met on Tuesday and heard the report of the auditor. Members asked how the costs of the bridge had risen, and the engineer explained that steel prices had gone up by a third. The vote was postponed until the figures are complete. '.repeat(
    5,
  );
const rant =
  'Liberals hate this country and everything it stands for. The corrupt mainstream media lies for them every day, and the radical left wants to take your guns, your money and your freedom. Obama and Hillary should be in jail, and real Americans know it. '.repeat(
    5,
  );

describe('a whole article', () => {
  it.each([
    [
      'with headlines',
      'Council postpones vote on costs of the bridge',
      'The Left Hates America and Here Is the Proof',
    ],
    ['without them', null, null],
  ])('is told from another %s', (_, calmTitle, loudTitle) => {
    const calm = finding(council, { title: calmTitle });
    const loud = finding(rant, { title: loudTitle });
    expect(loud.one_sided ?? 0).toBeGreaterThan((calm.one_sided ?? 1) + 0.2);
  });

  it.each([
    ['in another language', { language: 'fr' }],
    ['where nothing was encoded', { encoded: false }],
  ])('is not judged %s', (_, reading) => {
    expect(finding(council, reading)).toEqual(NO_ARTICLE);
  });

  it.each([
    ['Ce a găsit primarul în pivnița primăriei. Nimeni nu se aștepta', 0.8, 1],
    ['Consiliul local a votat bugetul cu 14 voturi pentru și 3 împotrivă', 0, 0.2],
  ])('has its Romanian headline judged: %s', (title, least, most) => {
    const { clickbait, one_sided } = finding('Scurt.', { title, language: 'ro' });
    expect(one_sided).toBeNull();
    expect(clickbait ?? -1).toBeGreaterThanOrEqual(least);
    expect(clickbait ?? 2).toBeLessThanOrEqual(most);
  });

  it('has a headline inside the text read with its vector, too', () => {
    const text = `What the mayor found in the cellar of the town hall\n\n${council}`;
    const [withVector, without] = [finding(text), finding(text, { encoded: false })];
    expect(withVector.clickbait ?? 0).toBeGreaterThan(0.8);
    expect(withVector.clickbait).not.toBe(without.clickbait);
  });

  it('has a headline that is told by itself where the body is short', () => {
    const teasing = finding('Short.', {
      title: '21 Things You Will Only Understand If You Grew Up In The 90s',
    });
    expect(teasing.one_sided).toBeNull();
    expect(teasing.clickbait ?? 0).toBeGreaterThan(0.9);
    const plain = finding('Short.', { title: 'Central bank of Norway raises key rate to 4.5 percent' });
    expect(plain.clickbait ?? 1).toBeLessThan(0.1);
  });
});

describe('the directions of an article', () => {
  const bounds = Uint32Array.of(0, 10, 12, 20, 21, 30);
  const vectors = new Float32Array(3 * DIMENSIONS);
  vectors[0] = 0.5;
  vectors[DIMENSIONS] = 0.6;
  vectors[2 * DIMENSIONS + 1] = 0.8;

  it('are those of its headline and of its body, of length 1', () => {
    const directions = articleDirections({ headline: { start: 0, end: 10 }, encoding: { bounds, vectors } });
    expect(directions?.headline[0]).toBe(1);
    expect(directions?.body[0]).toBeCloseTo(0.6, 6);
    expect(directions?.body[1]).toBeCloseTo(0.8, 6);
  });

  it('are none without a body or an encoding', () => {
    const encoding = { bounds, vectors };
    expect(articleDirections({ headline: { start: 0, end: 30 }, encoding })).toBeUndefined();
    expect(articleDirections({ headline: { start: 0, end: 10 }, encoding: undefined })).toBeUndefined();
  });
});
