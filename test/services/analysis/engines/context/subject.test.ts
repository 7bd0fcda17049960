import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import genreData from '../../../../../data/context/genres.json' with { type: 'json' };
import topicData from '../../../../../data/context/topics.json' with { type: 'json' };
import { contextOf } from '../../../../../src/services/analysis/engines/context/context.ts';
import { parseText } from '../../../../../src/services/analysis/engines/context/parsed-text.ts';
import {
  createSubjectReader,
  temperedShares,
} from '../../../../../src/services/analysis/engines/context/subject.ts';
import { encodingOf } from '../../../../../src/services/analysis/engines/encoding/text-encoding.ts';
import { shippedVerdictRules } from '../../../../../src/services/analysis/resources/verdict-rules.ts';
import { packagedEncoder } from '../../../../../training/evaluate/task.ts';
import { TEXTS } from './texts.ts';

const weights = (file: string) => () =>
  readFileSync(new URL(`../../../../../models/${file}`, import.meta.url));
let subjectOf: ReturnType<typeof createSubjectReader>;
beforeAll(() => {
  subjectOf = createSubjectReader({ topic: weights('topic.bin'), genre: weights('genre.bin') });
});

function contextFor(text: string, language: string, encoded = true) {
  const encoding = encoded ? encodingOf(packagedEncoder(), { text, language }) : undefined;
  const parsed = parseText({ text, title: null, language, flags: [], satirical_source: false, encoding });
  return contextOf(parsed, shippedVerdictRules.sensitive_topics, undefined, subjectOf(parsed));
}

const sum = (shares: Readonly<Record<string, number>>) =>
  Object.values(shares).reduce((total, share) => total + share, 0);

describe('the chances of a long text', () => {
  it.each([
    [200, 0.8],
    [300, 0.7769],
    [400, 0.7519],
    [9000, 0.7519],
  ])('of %d words lie nearer to each other', (words, likeliest) => {
    const shares = temperedShares({ sport: 0.8, other: 0.2 }, words);
    expect(shares.sport).toBeCloseTo(likeliest, 4);
    expect(sum(shares)).toBeCloseTo(1, 9);
  });
});

describe('the subject of a text', () => {
  it.each<[string, string, string, string]>([
    ['en', TEXTS.calmNewsEn, 'local_affairs', 'news'],
    ['ro', TEXTS.calmNewsRo, 'local_affairs', 'news'],
    ['en', TEXTS.chainLetterEn, 'public_health', 'social_post'],
    ['en', TEXTS.recipeEn, 'lifestyle', 'recipe'],
    ['ro', TEXTS.recipeRo, 'lifestyle', 'recipe'],
    ['en', TEXTS.sportEn, 'sport', 'news'],
    [
      'ro',
      'Mamaie, de ieri nu mai pornește mașina de spălat. Vii duminică să te uiți la ea? Îți fac și sarmale. Te pup, ne vedem la prânz.',
      'lifestyle',
      'message',
    ],
    [
      'en',
      'The castle was begun in 1283 under Edward I, who wanted a fortress at the mouth of the river. Its walls were finished in six years, and the town grew inside them during the fourteenth century.',
      'history',
      'explanation',
    ],
  ])('is told in %s of %j', (language, text, topic, genre) => {
    const read = contextFor(text, language);
    expect([read.topic.code, read.genre.code]).toEqual([topic, genre]);
    expect(read.genre.confidence).toBeGreaterThan(0.35);
  });

  it('is told by words alone where nothing was encoded', () => {
    const { topic } = contextFor(TEXTS.healthRo, 'ro', false);
    expect(topic).toMatchObject({ code: 'public_health', sensitive: true });
  });

  it.each([
    ['of another language', TEXTS.recipeEn, 'fr'],
    ['of a few words', 'Blue stones lie quietly.', 'en'],
  ])('is left to phrases in a text %s', (_, text, language) => {
    const parsed = parseText({ text, title: null, language, flags: [], satirical_source: false });
    expect(subjectOf(parsed)).toBeNull();
  });

  it('has chances that add up to 1, of every code that has a name', () => {
    const read = subjectOf(
      parseText({ text: TEXTS.healthRo, title: null, language: 'ro', flags: [], satirical_source: false }),
    );
    expect(sum(read?.topics ?? {})).toBeCloseTo(1, 6);
    expect(sum(read?.genres ?? {})).toBeCloseTo(1, 6);
    expect(Object.keys(read?.topics ?? {})).toEqual([...topicData.topics.map(({ code }) => code), 'other']);
    expect(Object.keys(read?.genres ?? {})).toEqual([...genreData.genres.map(({ code }) => code), 'other']);
  });

  it('never calls a text satire in its own name', () => {
    const text =
      'The city council has voted to replace all potholes with slightly larger potholes. "Drivers asked for consistency," said the mayor from inside one of them. A ribbon will be cut as soon as somebody climbs out with the scissors. Residents who miss the old holes may visit them in a museum.';
    const { genre } = contextFor(text, 'en');
    expect(genre).toEqual({ code: 'satire', confidence: expect.any(Number), labelled: false });
  });
});
