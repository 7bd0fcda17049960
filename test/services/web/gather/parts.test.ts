import { describe, expect, it } from 'vitest';
import { createCredibility } from '../../../../src/services/web/gather/credibility.ts';
import { isCopy, shinglesOf } from '../../../../src/services/web/gather/duplicates.ts';
import { queriesFor } from '../../../../src/services/web/gather/queries.ts';

const { signal } = new AbortController();
type Check = NonNullable<Parameters<typeof createCredibility>[0]>['check'];

describe('credibility', () => {
  it('asks for each site once, without the network, and keeps unknown ones unknown', async () => {
    const asked: unknown[] = [];
    const scores: Record<string, number | null> = { 'a.example': 81.25, 'b.example': null, 'c.example': 20 };
    const check = (async ({ body }: { body: { url: string; live: boolean } }) => {
      asked.push(body);
      const host = new URL(body.url).hostname.replace(/^www\./, '');
      // A score by the name alone is a guess: nobody has rated the third.
      const basis = host === 'c.example' ? 'name' : 'rated';
      return host in scores ? { trust_score: scores[host], basis } : undefined;
    }) as unknown as Check;
    const urls = [
      'https://www.a.example/1',
      'https://www.a.example/2',
      'https://b.example/',
      'https://c.example/',
      'https://lost.example/',
      'urn:limpede:evidence:1',
    ];
    expect(await createCredibility({ check })(urls, signal)).toEqual([0.813, 0.813, null, null, null, null]);
    expect(asked).toHaveLength(4);
    for (const one of asked) expect(one).toMatchObject({ live: false });
  });

  it('knows nothing without the domain check', async () => {
    expect(await createCredibility(undefined)(['https://a.example/'], signal)).toEqual([null]);
  });
});

describe('copies', () => {
  const article = Array.from(
    { length: 60 },
    (_, number) => `cuvânt${number} despre subiect${number % 7} important`,
  ).join(' ');
  it.each<[string, string, string, boolean]>([
    ['the same text', article, article, true],
    [
      'a text with a frame around it',
      article,
      `Preluare de la agenție. ${article} Urmărește-ne și pe rețele.`,
      true,
    ],
    ['a text without diacritics', article, article.normalize('NFD').replace(/\p{M}/gu, ''), true],
    ['another text', article, article.split(' ').toReversed().join(' '), false],
    ['a short quotation', 'Podul a fost închis.', 'Podul a fost închis.', false],
  ])('%s', (_name, one, other, expected) => {
    expect(isCopy(shinglesOf(one), shinglesOf(other))).toBe(expected);
  });
});

describe('queries', () => {
  it('keep every number and name of a Romanian claim, in both languages', () => {
    const claim = 'În 2023 Nicușor Ionescu a cumpărat 1.250 de autobuze pentru Zalău.';
    const queries = queriesFor(claim);
    expect(queries.map(({ language }) => language)).toEqual(['ro', 'en']);
    for (const { query } of queries)
      for (const word of ['2023', 'Ionescu', '1.250', 'Zal']) expect(query).toContain(word);
  });

  it('ask for an English claim once', () => {
    expect(queriesFor('The bridge was closed in 2024.')).toEqual([
      { query: 'The bridge was closed in 2024.', language: 'auto' },
    ]);
  });

  it('cut what is too long between words', () => {
    const [first] = queriesFor('bridge '.repeat(100));
    expect(first?.query.length).toBeLessThanOrEqual(300);
    expect(first?.query.endsWith('bridge')).toBe(true);
  });
});
