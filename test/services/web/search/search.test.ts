import { describe, expect, it } from 'vitest';
import { imageSearchRequest, searchRequest } from '../../../../src/services/web/contract/search.ts';
import type {
  ImageHit,
  PageHit,
  ProviderAnswer,
  SearchProvider,
} from '../../../../src/services/web/search/provider.ts';
import { createWebSearch } from '../../../../src/services/web/search/search.ts';

const { signal } = new AbortController();
const page = (url: string, more: Partial<PageHit> = {}): PageHit => ({
  url,
  title: url,
  snippet: '',
  published_at: null,
  ...more,
});

function provider(
  name: string,
  answer: (query: string) => ProviderAnswer<PageHit>,
  more: Partial<SearchProvider> = {},
): SearchProvider & { asked: string[] } {
  const asked: string[] = [];
  return {
    name,
    tier: 'free',
    heedsFreshness: false,
    angles: ['sentence'],
    asked,
    search: async ({ query }) => {
      asked.push(query);
      return answer(query);
    },
    close: async () => undefined,
    ...more,
  };
}
const finds = (...urls: string[]): ProviderAnswer<PageHit> => ({
  ok: true,
  items: urls.map((url) => page(url)),
});
const request = (more: Record<string, unknown> = {}) => searchRequest.parse({ queries: ['a'], ...more });

describe('queries from several angles', () => {
  const claim = (['sentence', 'key_words', 'name'] as const).map((angle) => ({
    ...{ query: angle, language: 'auto', angle },
  }));
  const wanted = {
    ...{ max_results: 5, site_allowlist: [], site_blocklist: [], country: 'US', freshness: null },
    safe_search: 'moderate' as const,
  };

  it('go to the providers that they suit, what suits best first', async () => {
    const wide = provider('wide', (query) => finds(`https://${query}.example/`), {
      angles: ['key_words', 'sentence'],
    });
    const few = provider('few', () => finds('https://few.example/'), {
      angles: ['key_words', 'sentence'],
      mostQueries: 1,
    });
    const names = provider('names', () => finds(), { angles: ['translation'] });
    const search = createWebSearch([wide, few, names]);
    const { lists, providers } = await search.searchEach(claim, wanted, 'free', signal);
    expect(wide.asked).toEqual(['key_words', 'sentence']);
    expect(few.asked).toEqual(['key_words']);
    expect(names.asked).toEqual([]);
    // A query that no provider was asked is not counted, and a provider that was not asked did not fail.
    expect(lists.map(({ query }) => query)).toEqual(['sentence', 'key_words']);
    expect(providers.map(({ name }) => name)).toEqual(['wide', 'few']);
  });

  it('are as many as the settings allow, and all of those that a caller gives', async () => {
    const wide = provider('wide', () => finds(), { angles: ['sentence', 'key_words', 'name'] });
    const search = createWebSearch([wide], { queriesPerClaim: () => 2 });
    const given = ['x', 'y', 'z'].map((query) => ({ query, language: 'auto', angle: 'caller' as const }));
    await search.searchEach(claim, wanted, 'free', signal);
    await search.searchEach(given, wanted, 'free', signal);
    expect(wide.asked).toEqual(['sentence', 'key_words', 'x', 'y', 'z']);
  });

  it('keep a page in the list of each query that found it', async () => {
    const wide = provider('wide', () => finds('https://a.example/'), { angles: ['sentence', 'name'] });
    const { lists } = await createWebSearch([wide]).searchEach(claim, wanted, 'free', signal);
    expect(lists.map(({ pages }) => pages.length)).toEqual([1, 1]);
  });
});

describe('merging', () => {
  it('ranks by the sum of reciprocal ranks, each page once', async () => {
    const search = createWebSearch([
      provider('one', () => finds('https://a.example/1', 'https://b.example/2', 'https://c.example/3')),
      provider('two', () => finds('http://www.c.example/3/?utm_source=x#top', 'https://d.example/4')),
    ]);
    const { lists, providers, succeeded } = await search.search(request(), 'free', signal);
    expect(lists[0]?.pages.map(({ url }) => url)).toEqual([
      'https://c.example/3',
      'https://a.example/1',
      'https://b.example/2',
      'https://d.example/4',
    ]);
    expect(lists[0]?.pages[0]?.providers).toEqual(['one', 'two']);
    expect(providers).toEqual([
      { name: 'one', success: true, results: 3, error: null },
      { name: 'two', success: true, results: 2, error: null },
    ]);
    expect(succeeded).toBe(true);
  });

  it('gives each query its results, and a page to the first query that found it', async () => {
    const search = createWebSearch([
      provider('one', (query) => finds('https://a.example/', `https://${query}.example/x`)),
    ]);
    const { lists } = await search.search(request({ queries: ['b', 'c'], max_results: 2 }), 'free', signal);
    expect(lists.map(({ query, pages }) => [query, pages.map(({ url }) => url)])).toEqual([
      ['b', ['https://a.example/', 'https://b.example/x']],
      ['c', ['https://c.example/x']],
    ]);
  });

  it.each<[string, Record<string, unknown>, string[]]>([
    ['an allow-list', { site_allowlist: ['a.example'] }, ['https://a.example/', 'https://news.a.example/']],
    [
      'a block-list',
      { site_blocklist: ['https://www.a.example/x'] },
      ['https://nota.example/', 'https://b.example/old'],
    ],
    ['freshness', { freshness: 'week' }, ['https://b.example/new']],
  ])('heeds %s', async (_name, more, urls) => {
    const today = new Date().toISOString().slice(0, 10);
    const search = createWebSearch([
      provider('one', () => ({
        ok: true,
        items: [
          page('https://a.example/'),
          page('https://news.a.example/'),
          page('https://nota.example/'),
          page('javascript:alert(1)'),
          page('https://b.example/old', { published_at: '2001-01-01' }),
          ...('freshness' in more ? [page('https://b.example/new', { published_at: today })] : []),
        ],
      })),
    ]);
    const { lists } = await search.search(request(more), 'free', signal);
    expect(lists[0]?.pages.map(({ url }) => url)).toEqual(urls);
  });

  it('takes what a provider does not date for new when the provider was asked for new things', async () => {
    const search = createWebSearch([
      provider('one', () => finds('https://a.example/'), { heedsFreshness: true }),
    ]);
    const { lists } = await search.search(request({ freshness: 'day' }), 'free', signal);
    expect(lists[0]?.pages).toHaveLength(1);
  });
});

describe('tiers', () => {
  const local = () => provider('index', () => finds('https://a.example/'), { tier: 'local' });
  it('asks premium providers only when they are wanted, and the index always', async () => {
    const [free, premium] = [
      provider('free', () => finds()),
      provider('paid', () => finds(), { tier: 'premium' }),
    ];
    const search = createWebSearch([local(), free, premium]);
    const names = async (tier: 'free' | 'premium') =>
      (await search.search(request(), tier, signal)).providers.map(({ name }) => name);
    expect(await names('free')).toEqual(['index', 'free']);
    expect(await names('premium')).toEqual(['index', 'paid']);
  });

  it('refuses a premium search without a premium provider', async () => {
    await expect(createWebSearch([local()]).search(request(), 'premium', signal)).rejects.toMatchObject({
      status: 503,
    });
  });
});

describe('a provider that fails', () => {
  const failing = (answer: ProviderAnswer<PageHit>) => provider('bad', () => answer);
  it('costs its results alone', async () => {
    const search = createWebSearch([
      failing({ ok: false, reason: 'unavailable' }),
      provider('good', () => finds('https://a.example/')),
    ]);
    const outcome = await search.search(request(), 'free', signal);
    expect(outcome).toMatchObject({
      succeeded: true,
      providers: [{ name: 'bad', success: false, error: 'unavailable' }, {}],
    });
    expect(outcome.lists[0]?.pages).toHaveLength(1);
  });

  it.each<[string, ProviderAnswer<PageHit>, number[]]>([
    ['twice as long each time', { ok: false, reason: 'unavailable' }, [15_000, 30_000, 60_000]],
    ['as long as it says', { ok: false, reason: 'rate_limited', retryAfterMs: 3_000 }, [3_000, 3_000]],
    ['ten minutes when it refuses us', { ok: false, reason: 'refused', status: 401 }, [600_000, 600_000]],
  ])('is left alone %s', async (_name, answer, rests) => {
    let now = 0;
    const bad = failing(answer);
    const search = createWebSearch([bad], { now: () => now });
    const state = async () => (await search.search(request(), 'free', signal)).providers[0]?.error;
    for (const [index, rest] of rests.entries()) {
      await state();
      expect(bad.asked).toHaveLength(index + 1);
      now += rest - 1;
      expect(await state()).toBe('suspended');
      now += 1;
    }
  });

  it('is asked again at once after a success, and not suspended when its caller left', async () => {
    const answers: ProviderAnswer<PageHit>[] = [
      { ok: false, reason: 'aborted' },
      finds(),
      { ok: false, reason: 'timeout' },
    ];
    const flaky = provider('flaky', () => answers.shift() ?? finds());
    const search = createWebSearch([flaky], { now: () => 0 });
    for (let round = 0; round < 4; round++) await search.search(request(), 'free', signal);
    expect(flaky.asked).toHaveLength(3);
  });

  it.each<[string, ProviderAnswer<PageHit>]>([
    ['a query that it does not like', { ok: false, reason: 'refused', status: 422 }],
    ['a caller that left', { ok: false, reason: 'aborted' }],
  ])('stays for others after %s', async (_name, answer) => {
    const picky = failing(answer);
    const search = createWebSearch([picky], { now: () => 0 });
    for (let round = 0; round < 3; round++) await search.search(request(), 'free', signal);
    expect(picky.asked).toHaveLength(3);
  });

  it('is left alone no longer for nonsense that repeats: a query may have caused it', async () => {
    let now = 0;
    const odd = failing({ ok: false, reason: 'invalid_answer' });
    const search = createWebSearch([odd], { now: () => now });
    for (let round = 0; round < 3; round++) {
      await search.search(request(), 'free', signal);
      now += 15_000;
    }
    expect(odd.asked).toHaveLength(3);
  });

  it('is never the index of the house', async () => {
    const local = provider('index', () => ({ ok: false, reason: 'unavailable' }), { tier: 'local' });
    const search = createWebSearch([local], { now: () => 0 });
    for (let round = 0; round < 2; round++) await search.search(request(), 'free', signal);
    expect(local.asked).toHaveLength(2);
  });

  it('fails once when queries fail that were under way together', async () => {
    let now = 0;
    const bad = failing({ ok: false, reason: 'unavailable' });
    const search = createWebSearch([bad], { now: () => now });
    await search.search(request({ queries: ['a', 'b', 'c', 'd'] }), 'free', signal);
    const asked = bad.asked.length;
    expect(asked).toBeGreaterThan(1);
    now += 15_000;
    await search.search(request(), 'free', signal);
    expect(bad.asked).toHaveLength(asked + 1);
  });

  it('is asked no more queries than it wants', async () => {
    const slow = provider('slow', () => finds(), { mostQueries: 1 });
    await createWebSearch([slow]).search(request({ queries: ['a', 'b', 'c'] }), 'free', signal);
    expect(slow.asked).toEqual(['a']);
  });
});

describe('pictures', () => {
  const image = (url: string): ImageHit => ({
    image_url: url,
    thumbnail_url: null,
    source_url: null,
    title: '',
    description: null,
    width: null,
    height: null,
    publisher: null,
  });
  const of = (name: string, ...found: (string | ImageHit)[]) =>
    provider(name, () => finds(), {
      images: async () => ({
        ok: true,
        items: found.map((one) => (typeof one === 'string' ? image(one) : one)),
      }),
    });
  const wanted = (more: Record<string, unknown> = {}) =>
    imageSearchRequest.parse({ queries: ['q'], max_results: 3, ...more });
  const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((name) => `https://photo.example/${name}.jpg`) as [
    string,
    string,
    string,
    string,
  ];

  it('come in turns by rank, each once', async () => {
    const search = createWebSearch([of('one', a, b, c), of('two', b, d), provider('none', () => finds())]);
    const { results, providers } = await search.images(wanted(), 'free', signal);
    expect(results.map(({ image_url, rank }) => [image_url, rank])).toEqual([
      [a, 1],
      [b, 2],
      [d, 3],
    ]);
    expect(providers.map(({ name }) => name)).toEqual(['one', 'two']);
  });

  it('stand at the first query that found them', async () => {
    const { results } = await createWebSearch([of('one', a, b)]).images(
      wanted({ queries: ['q', 'r'] }),
      'free',
      signal,
    );
    expect(results.map(({ query, image_url }) => [query, image_url])).toEqual([
      ['q', a],
      ['q', b],
    ]);
  });

  it('have addresses that can be fetched, or are left out', async () => {
    const found = [
      image('data:image/png;base64,AAAA'),
      image('/relative.jpg'),
      { ...image(a), thumbnail_url: 'data:image/png;base64,AAAA', source_url: 'javascript:alert(1)' },
    ];
    const { results } = await createWebSearch([of('one', ...found)]).images(wanted(), 'free', signal);
    expect(results).toMatchObject([{ image_url: a, thumbnail_url: null, source_url: null, rank: 1 }]);
  });

  it('are refused with the reason where nobody searches for them', async () => {
    const search = createWebSearch([provider('pages', () => finds())]);
    await expect(search.images(wanted(), 'free', signal)).rejects.toMatchObject({ status: 503 });
  });
});
