import { describe, expect, it } from 'vitest';
import type { ImageHit, SearchProvider } from '../../../../src/services/web/search/provider.ts';
import { createBrave } from '../../../../src/services/web/search/providers/brave.ts';
import { createSearxng } from '../../../../src/services/web/search/providers/searxng.ts';
import { createSerper } from '../../../../src/services/web/search/providers/serper.ts';
import { imageQuery, openProvider, options, signal } from './opened-provider.ts';
import { always, fixture, type SentRequest } from './vendor-server.ts';

describe('pictures', () => {
  const image: ImageHit = {
    image_url: 'https://photo.example/a.jpg',
    thumbnail_url: 'https://photo.example/t.jpg',
    source_url: 'https://photo.example/page',
    title: 'A bridge',
    description: null,
    width: 1200,
    height: 800,
    publisher: 'Photo',
  };
  it.each<[string, (url: string) => SearchProvider, string, Partial<SentRequest>, ImageHit]>([
    [
      'searxng',
      (url) => createSearxng(options(url)),
      'searxng-images',
      {
        path: '/search',
        query: { q: 'bridge', format: 'json', categories: 'images', language: 'en', safesearch: '2' },
      },
      { ...image, description: 'Stone' },
    ],
    [
      'brave',
      (url) => createBrave(options(url)),
      'brave-images',
      {
        path: '/res/v1/images/search',
        query: {
          q: 'bridge',
          count: '7',
          search_lang: 'en',
          country: 'US',
          safesearch: 'strict',
          spellcheck: 'false',
        },
      },
      { ...image, thumbnail_url: 'https://imgs.example/t.jpg', publisher: 'photo.example' },
    ],
    [
      'serper',
      (url) => createSerper(options(url)),
      'serper-images',
      {
        method: 'POST',
        path: '/images',
        body: { q: 'bridge', gl: 'us', hl: 'en', num: 7, autocorrect: false },
      },
      { ...image, thumbnail_url: 'https://t.example/t.jpg' },
    ],
  ])('of %s', async (_name, create, name, sent, first) => {
    const { provider, vendor } = await openProvider(create, always(fixture(name)));
    const answer = await provider.images?.(imageQuery, signal);
    expect(vendor.sent).toMatchObject([sent]);
    expect(answer).toMatchObject({ ok: true });
    expect(answer?.ok === true && answer.items[0]).toEqual(first);
  });
});
