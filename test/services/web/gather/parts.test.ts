import { describe, expect, it } from 'vitest';
import { candidatesOf } from '../../../../src/services/web/gather/candidates.ts';
import { createCredibility } from '../../../../src/services/web/gather/credibility.ts';
import { isCopy, shinglesOf } from '../../../../src/services/web/gather/duplicates.ts';
import { queriesFor } from '../../../../src/services/web/gather/queries.ts';
import type { QueryAngle } from '../../../../src/services/web/search/provider.ts';

const { signal } = new AbortController();
type Check = NonNullable<Parameters<typeof createCredibility>[0]>['check'];

describe('credibility', () => {
  it('asks for each site once, without the network, and keeps unknown ones unknown', async () => {
    const asked: unknown[] = [];
    const scores: Record<string, number | null> = { 'a.example': 81.25, 'b.example': null, 'c.example': 20 };
    const check = (async ({ body }: { body: { url: string; live: boolean } }) => {
      asked.push(body);
      const host = new URL(body.url).hostname.replace(/^www\./, '');
      // A score by the name alone is a guess: the third is not rated.
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

describe('the candidates of several queries', () => {
  const list = (angle: QueryAngle, ...names: string[]) => ({
    ...{ query: angle, angle },
    pages: names.map((name) => ({
      ...{ url: `https://${name}.example/`, title: name, snippet: '', published_at: null, providers: [] },
    })),
  });
  const letters = [...'abcdefghij'];
  const namesOf = (...lists: ReturnType<typeof list>[]) =>
    candidatesOf(lists, 10).map(({ page }) => page.title);

  it('are mostly those of the sentence, then those of other angles', () => {
    const found = namesOf(list('sentence', ...letters), list('key_words', 'x', 'y'), list('fact_check', 'z'));
    expect(found).toEqual([...letters.slice(0, 8), 'x', 'z']);
    expect(namesOf(list('sentence', 'a'), list('key_words', 'x', 'y'))).toEqual(['a', 'x', 'y']);
  });

  it('come once, with the query that ranked it best; key words say nothing new of what their sentence found', () => {
    const both = [list('sentence', 'a', 'b'), list('key_words', 'b', 'c')];
    expect(namesOf(...both)).toEqual(['a', 'b', 'c']);
    expect(candidatesOf(both, 2)[1]?.query).toBe('sentence');
  });

  it('come first where both languages found them', () => {
    expect(namesOf(list('sentence', 'a', 'b'), list('translation', 'c', 'b'))).toEqual(['b', 'a', 'c']);
  });

  it('take turns where a claim is asked in two languages', () => {
    const found = namesOf(list('sentence', 'a', 'b'), list('translation', 'x', 'y'));
    expect(found).toEqual(['a', 'x', 'b', 'y']);
  });
});

describe('queries', () => {
  const asked = (claim: string) =>
    Object.fromEntries(queriesFor(claim).map(({ angle, query }) => [angle, query]));

  it('keep every number and name of a Romanian claim, in both languages', () => {
    const claim = 'În 2023 Nicușor Ionescu a cumpărat 1.250 de autobuze pentru Zalău.';
    const queries = queriesFor(claim);
    const languages = new Map(queries.map(({ angle, language }) => [angle, language]));
    expect([languages.get('sentence'), languages.get('translation')]).toEqual(['ro', 'en']);
    const { sentence, translation } = asked(claim);
    for (const query of [sentence, translation])
      for (const word of ['2023', 'Ionescu', '1.250', 'Zal']) expect(query).toContain(word);
  });

  it.each<[string, string, string[]]>([
    // A claim, its key words, and words of it that are no key words.
    ['Vaccines cause autism.', 'Vaccines cause autism', []],
    ['The Earth is flat.', 'Earth flat', ['is']],
    ['5G masts spread the coronavirus.', '5G masts spread coronavirus', ['the']],
    [
      'Bill Gates said that vaccines will reduce the world population by 15 percent.',
      'Bill Gates vaccines reduce 15 percent',
      ['said', 'will'],
    ],
    [
      'Unemployment in Germany fell to 5.4 % in March 2023, the lowest level since 1990.',
      'Unemployment Germany 5.4 %',
      ['since'],
    ],
    [
      'The US government spent $2.3 trillion on the war in Afghanistan.',
      'US spent $2.3 trillion Afghanistan',
      ['on'],
    ],
    ['Drinking bleach cures COVID-19 within twelve hours.', 'Drinking bleach cures COVID-19', ['within']],
    ['Barack Obama was not born in Hawaii.', 'Barack Obama born Hawaii', ['not', 'was']],
    ['More than 40 million people voted twice in the 2020 election.', '40 million voted twice', ['than']],
    ['NASA never landed on the Moon.', 'NASA landed Moon', ['never']],
    ['Pământul este plat.', 'Pământul plat', ['este']],
    ['România a primit 29,2 miliarde de euro prin PNRR.', 'România 29,2 miliarde PNRR', ['prin']],
    ['Guvernul va tăia pensiile cu 15 % de la 1 ianuarie 2026.', 'Guvernul tăia pensiile 15 %', ['va']],
    [
      'Legea nr. 272/2004 interzice părinților să își educe copiii.',
      'Legea 272/2004 interzice părinților',
      ['să'],
    ],
    ['Podul Carol al IV-lea a fost închis circulației în mai 2024.', 'Podul Carol IV-lea 2024', ['fost']],
    [
      'Nu există dovezi că vaccinul Pfizer a fost testat pe gravide.',
      'vaccinul Pfizer testat gravide',
      ['Nu', 'fost'],
    ],
  ])('of "%s" have its key words', (claim, words, left) => {
    const key = asked(claim).key_words ?? asked(claim).sentence?.replace(/\.$/, '');
    const found = key?.split(' ') ?? [];
    for (const word of words.split(' ')) expect(found).toContain(word);
    for (const word of left) expect(found).not.toContain(word);
    expect(asked(claim).fact_check).toBe(`${key} fact check`);
  });

  it.each<[string, string | undefined]>([
    ['Bill Gates said that vaccines will reduce the population.', 'Bill Gates'],
    ['In 2012 the Bank of England bought gold.', 'Bank of England'],
    ['Podul Carol al IV-lea a fost închis.', 'Podul Carol al IV-lea'],
    ['Pensiile speciale au fost tăiate.', undefined],
    ['Vaccines cause autism.', undefined],
  ])('of "%s" name %s', (claim, name) => {
    expect(asked(claim).name).toBe(name);
  });

  it('are never the same twice, and none is empty', () => {
    for (const claim of [
      'Earth flat',
      'Is it so?',
      'VACCINES CAUSE AUTISM!',
      'NASA',
      '1 2 3',
      'nu este și nu va fi',
    ]) {
      const queries = queriesFor(claim).map(({ query }) => query.toLowerCase());
      expect(new Set(queries).size).toBe(queries.length);
      expect(queries).not.toContain('');
    }
  });

  it.each([
    ['Vaccines cause autism -the -of -and', 'Vaccines cause autism the of and'],
    ['Vaccines cause autism site:evil.example', 'Vaccines cause autism site evil.example'],
    ['!!g !images :fr Vaccines cause autism', 'g images fr Vaccines cause autism'],
    ['"Vaccines cause autism" OR “the moon”', 'Vaccines cause autism or the moon'],
    ['(intitle:autism | +vaccines) ~cause', 'intitle autism vaccines) cause'],
    ['„Vaccinurile” NOT -"provoacă" autism', 'Vaccinurile not provoacă autism'],
    ['It was -5 degrees at 10:30 in F-16s', 'It was -5 degrees at 10:30 in F-16s'],
  ])('a claim tells a search server nothing but words: %s', (claim, words) => {
    const [first, ...others] = queriesFor(claim);
    expect(first?.query).toBe(words);
    for (const { query } of others) expect(query).not.toMatch(/(?:^|\s)[-!+:~"](?!\d)|\p{L}:\S|["“”]/u);
  });

  it('cut what is too long between words', () => {
    const [first] = queriesFor('bridge '.repeat(100));
    expect(first?.query.length).toBeLessThanOrEqual(300);
    expect(first?.query.endsWith('bridge')).toBe(true);
  });
});
