import type { RequestListener } from 'node:http';
import { describe, expect, it } from 'vitest';
import { createTextEncoder } from '../../../../src/services/web/evidence-index/encode.ts';
import { createIndexAccess } from '../../../../src/services/web/evidence-index/open-index.ts';
import type { PageHit, ProviderQuery, SearchProvider } from '../../../../src/services/web/search/provider.ts';
import { createBrave } from '../../../../src/services/web/search/providers/brave.ts';
import { createExa } from '../../../../src/services/web/search/providers/exa.ts';
import { createFactCheckTools } from '../../../../src/services/web/search/providers/fact-check-tools.ts';
import { createGdelt } from '../../../../src/services/web/search/providers/gdelt.ts';
import { createLocalProvider } from '../../../../src/services/web/search/providers/local.ts';
import { createSearxng } from '../../../../src/services/web/search/providers/searxng.ts';
import { createSerper } from '../../../../src/services/web/search/providers/serper.ts';
import { createTavily } from '../../../../src/services/web/search/providers/tavily.ts';
import { createWikidata } from '../../../../src/services/web/search/providers/wikidata.ts';
import { createWikipedia } from '../../../../src/services/web/search/providers/wikipedia.ts';
import { silent } from '../../../foundation/database/engines.ts';
import { imageQuery, openProvider, options, query, signal } from './opened-provider.ts';
import { always, fixture, type SentRequest } from './vendor-server.ts';

interface Case {
  readonly name: string;
  readonly create: (url: string) => SearchProvider;
  readonly fixture: string;
  readonly ask?: ProviderQuery;
  readonly sent: Partial<SentRequest>;
  readonly page: PageHit;
}

const cases: Case[] = [
  {
    name: 'searxng',
    create: (url) => createSearxng(options(url)),
    fixture: 'searxng-search',
    sent: {
      method: 'GET',
      path: '/search',
      query: {
        q: 'bridge closed',
        format: 'json',
        categories: 'general',
        language: 'ro',
        time_range: 'week',
        safesearch: '2',
      },
    },
    page: {
      url: 'https://ziar.example/podul',
      title: 'Podul închis',
      snippet: 'Podul a fost închis & păzit.',
      published_at: '2024-05-06T00:00:00',
    },
  },
  {
    name: 'wikipedia',
    create: (url) => createWikipedia(options(url)),
    fixture: 'wikipedia',
    sent: {
      path: '/w/api.php',
      query: {
        action: 'query',
        list: 'search',
        srsearch: 'bridge closed',
        srlimit: '7',
        srprop: 'snippet|timestamp',
        format: 'json',
        formatversion: '2',
      },
    },
    page: {
      url: 'https://ro.wikipedia.org/wiki/Podul_Carol_al_IV-lea',
      title: 'Podul Carol al IV-lea',
      snippet: 'Podul "vechi" peste râu',
      published_at: '2024-02-03T04:05:06Z',
    },
  },
  {
    name: 'wikidata',
    create: (url) => createWikidata(options(url)),
    fixture: 'wikidata',
    sent: {
      path: '/w/api.php',
      query: {
        action: 'wbsearchentities',
        search: 'bridge closed',
        language: 'ro',
        uselang: 'ro',
        limit: '7',
        format: 'json',
      },
    },
    page: {
      url: 'https://www.wikidata.org/wiki/Q314263',
      title: 'Ion Creangă',
      snippet: 'scriitor român',
      published_at: null,
    },
  },
  {
    name: 'gdelt',
    create: (url) => createGdelt(options(url)),
    fixture: 'gdelt',
    ask: { ...query, query: 'bridge: (closed) OR "open"' },
    sent: {
      path: '/api/v2/doc/doc',
      query: {
        query: 'bridge closed OR open domainis:news.example sourcelang:romanian',
        mode: 'artlist',
        format: 'json',
        maxrecords: '7',
        timespan: '1w',
        sort: 'hybridrel',
      },
    },
    page: {
      url: 'https://ziar.example/a',
      title: 'Podul s-a închis',
      snippet: '',
      published_at: '2024-05-06T10:15:00Z',
    },
  },
  {
    name: 'factcheck',
    create: (url) => createFactCheckTools(options(url)),
    fixture: 'fact-check-tools',
    sent: {
      path: '/v1alpha1/claims:search',
      query: { query: 'bridge closed', languageCode: 'ro', maxAgeDays: '7', pageSize: '7' },
    },
    page: {
      url: 'https://facts.example/cheese',
      title: 'No, it is stone',
      snippet: 'Facts: The bridge is made of cheese. False',
      published_at: '2024-01-05T00:00:00Z',
    },
  },
  {
    name: 'brave',
    create: (url) => createBrave(options(url)),
    fixture: 'brave-web',
    sent: {
      path: '/res/v1/web/search',
      query: {
        q: 'bridge closed',
        count: '7',
        country: 'RO',
        search_lang: 'ro',
        freshness: 'pw',
        safesearch: 'strict',
      },
    },
    page: {
      url: 'https://news.example/bridge',
      title: 'A bridge',
      snippet: 'The bridge was closed.',
      published_at: '2024-05-06T07:08:09',
    },
  },
  {
    name: 'serper',
    create: (url) => createSerper(options(url)),
    fixture: 'serper-search',
    sent: {
      method: 'POST',
      path: '/search',
      body: { q: 'bridge closed', gl: 'ro', hl: 'ro', num: 7, tbs: 'qdr:w' },
    },
    page: {
      url: 'https://news.example/bridge',
      title: 'A bridge',
      snippet: 'It was closed.',
      published_at: '2024-05-06',
    },
  },
  {
    name: 'tavily',
    create: (url) => createTavily(options(url)),
    fixture: 'tavily',
    sent: {
      method: 'POST',
      path: '/search',
      body: {
        query: 'bridge closed',
        max_results: 7,
        time_range: 'week',
        include_domains: ['news.example'],
        exclude_domains: ['spam.example'],
      },
    },
    page: {
      url: 'https://news.example/bridge',
      title: 'A bridge',
      snippet: 'The bridge was closed.',
      published_at: '2024-05-06',
    },
  },
  {
    name: 'exa',
    create: (url) => createExa(options(url)),
    fixture: 'exa',
    sent: { method: 'POST', path: '/search' },
    page: {
      url: 'https://news.example/bridge',
      title: 'A bridge',
      snippet: 'The bridge was closed.',
      published_at: '2024-05-06T00:00:00.000Z',
    },
  },
];

describe.each(cases)('$name', ({ create, fixture: name, sent, page, ask = query }) => {
  it('asks as its documentation says, and reads the documented answer', async () => {
    const { provider, vendor } = await openProvider(create, always(fixture(name)));
    const answer = await provider.search(ask, signal);
    expect(vendor.sent).toMatchObject([{ ...sent, headers: { 'user-agent': 'Limpede/test' } }]);
    if (!answer.ok) throw new Error(answer.reason);
    expect(answer.items[0]).toEqual(page);
  });

  it.each<[string, RequestListener, string]>([
    [
      'too many requests',
      (_request, response) => response.writeHead(429, { 'retry-after': '7' }).end(),
      'rate_limited',
    ],
    ['a server error', (_request, response) => response.writeHead(500).end('secret-key'), 'unavailable'],
    ['a key that is wrong', (_request, response) => response.writeHead(401).end(), 'refused'],
    [
      'words instead of JSON',
      (_request, response) => response.end('Your query was too short.'),
      'invalid_answer',
    ],
    ['another form', (_request, response) => response.end('[1]'), 'invalid_answer'],
    ['a broken connection', (request) => request.socket.destroy(), 'unavailable'],
  ])('tells %s', async (_name, listener, reason) => {
    const { provider } = await openProvider(create, listener);
    expect(await provider.search(ask, signal)).toMatchObject({ ok: false, reason });
  });

  it('ends with its caller', async () => {
    const leaving = new AbortController();
    const { provider } = await openProvider(create, () => leaving.abort());
    expect(await provider.search(ask, leaving.signal)).toMatchObject({ ok: false, reason: 'aborted' });
  });
});

describe('keys', () => {
  it.each([
    ['factcheck', createFactCheckTools, 'fact-check-tools', { 'x-goog-api-key': 'secret-key' }],
    ['brave', createBrave, 'brave-web', { 'x-subscription-token': 'secret-key' }],
    ['serper', createSerper, 'serper-search', { 'x-api-key': 'secret-key' }],
    ['tavily', createTavily, 'tavily', { authorization: 'Bearer secret-key' }],
    ['exa', createExa, 'exa', { 'x-api-key': 'secret-key' }],
  ])('%s sends its key as a header, never in the address', async (_name, create, name, headers) => {
    const { provider, vendor } = await openProvider((url) => create(options(url)), always(fixture(name)));
    await provider.search(query, signal);
    expect(vendor.sent).toMatchObject([{ headers }]);
    expect(JSON.stringify(vendor.sent[0]?.query)).not.toContain('secret-key');
  });
});

describe('results that do not have the form', () => {
  /** The answer of SearXNG with these results. */
  const searxng = async (...results: unknown[]) => {
    const { provider } = await openProvider(
      (url) => createSearxng(options(url)),
      always(JSON.stringify({ results })),
    );
    return [await provider.search(query, signal), await provider.images?.(imageQuery, signal)];
  };
  const good = { url: 'https://a.example/', title: 'Two &amp; <b>three</b>', img_src: '//a.example/1.jpg' };

  it('are left out, the others stay', async () => {
    const [pages, pictures] = await searxng({ url: null }, good, 'text');
    expect(pages).toMatchObject({ ok: true, items: [{ url: good.url, title: 'Two & three' }] });
    expect(pictures).toMatchObject({ ok: true, items: [{ source_url: good.url, title: 'Two & three' }] });
  });

  it('are an invalid answer when none has it', async () => {
    const lost = { ok: false, reason: 'invalid_answer' };
    expect(await searxng({ url: null }, 'text')).toMatchObject([lost, lost]);
    expect(await searxng()).toMatchObject([{ ok: true }, { ok: true }]);
  });

  it('have whole addresses where SearXNG shortens them', async () => {
    const [, pictures] = await searxng({ ...good, thumbnail_src: '/image_proxy?url=x' });
    expect(pictures).toMatchObject({
      items: [
        {
          image_url: 'https://a.example/1.jpg',
          thumbnail_url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/image_proxy\?url=x$/),
        },
      ],
    });
  });
});

describe('what stays in the house', () => {
  it('is not sent: sentences to wikidata', async () => {
    const { provider, vendor } = await openProvider(
      (url) => createWikidata(options(url)),
      always(fixture('wikidata')),
    );
    const sentence = 'the bridge over the river was closed';
    expect(await provider.search({ ...query, query: sentence }, signal)).toEqual({ ok: true, items: [] });
    expect(vendor.sent).toEqual([]);
  });

  it('is unavailable while the index is closed', async () => {
    const index = createIndexAccess({
      database: () => Promise.reject(new Error('away')),
      encoder: createTextEncoder(undefined),
      starterSet: false,
      log: silent,
    });
    expect(await createLocalProvider(index).search(query, signal)).toEqual({
      ok: false,
      reason: 'unavailable',
    });
  });
});
