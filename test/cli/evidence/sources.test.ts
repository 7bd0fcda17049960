import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { evidenceEntries } from '../../../src/cli/evidence/claim-review.ts';
import { jsonObjects } from '../../../src/cli/evidence/json-values.ts';
import { originOf, type ParsedEntry, readSource } from '../../../src/cli/evidence/sources.ts';
import { web } from '../../../src/services/web/contract.ts';

const folder = mkdtempSync(join(tmpdir(), 'limpede-sources-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Written after https://datacommons.org/factcheck/faq (one ClaimReview a line; the feed is a DataFeed) and schema.org. */
const review = {
  '@context': 'http://schema.org',
  '@type': 'ClaimReview',
  url: 'https://facts.example/moon',
  claimReviewed: 'The Moon is made of cheese.',
  datePublished: '2019-04-01T08:00:00Z',
  author: { '@type': 'Organization', name: 'Facts', url: 'https://facts.example/' },
  itemReviewed: { '@type': 'Claim', author: { '@type': 'Person', name: 'Somebody' } },
  reviewRating: {
    '@type': 'Rating',
    ratingValue: 1,
    bestRating: 5,
    worstRating: 1,
    alternateName: 'Pants on Fire!',
  },
  sdLicense: 'https://creativecommons.org/licenses/by/4.0/',
};
const feed = {
  '@context': 'http://schema.org',
  '@type': 'DataFeed',
  dateModified: '2020-01-01',
  dataFeedElement: [
    { '@type': 'DataFeedItem', item: [review], url: 'https://facts.example/moon' },
    { '@type': 'DataFeedItem', item: null },
  ],
};

async function collect<Value>(values: AsyncIterable<Value>): Promise<Value[]> {
  const all: Value[] = [];
  for await (const value of values) all.push(value);
  return all;
}

async function read(name: string, content: string | Buffer): Promise<ParsedEntry[]> {
  writeFileSync(join(folder, name), content);
  return collect(readSource(join(folder, name), []));
}
const entriesIn = (all: readonly ParsedEntry[]) => all.flatMap((one) => ('entry' in one ? [one.entry] : []));

const expected = {
  kind: 'claim',
  key: 'https://facts.example/moon The Moon is made of cheese.',
  claims: [{ text: 'The Moon is made of cheese.', language: null }],
  rating: 'false',
  rating_text: 'Pants on Fire!',
  reviews: [
    { url: 'https://facts.example/moon', publisher: 'Facts', published_at: '2019-04-01', stance: 'refutes' },
  ],
};

describe('a file of reviews', () => {
  it.each([
    ['a single one', 'one.json', JSON.stringify(review, null, 2)],
    ['a list', 'list.json', JSON.stringify([review])],
    ['one a line', 'lines.jsonl', `${JSON.stringify(review)}\n`],
    ['a feed', 'feed.json', JSON.stringify(feed)],
    ['a graph', 'graph.jsonld', JSON.stringify({ '@graph': [{ '@type': 'WebPage' }, review] })],
  ])('is read as %s', async (_name, file, content) => {
    const entries = entriesIn(await read(file, content));
    expect(entries).toMatchObject([expected]);
    const { body } = web.operations.importEvidence;
    expect(body.safeParse({ origin: 'a feed', entries }).success).toBe(true);
  });

  it.each<[unknown, string | null, string]>([
    [{ alternateName: 'Mostly false' }, 'mixed', 'context'],
    [{ alternateName: 'Fals' }, 'false', 'refutes'],
    [{ alternateName: 'ADEVĂRAT' }, 'true', 'supports'],
    [{ alternateName: 'Parțial fals' }, 'mixed', 'context'],
    [{ alternateName: 'Neadevărat' }, 'false', 'refutes'],
    [{ alternateName: 'Incorrect' }, 'false', 'refutes'],
    [{ alternateName: 'Missing context' }, 'misleading', 'refutes'],
    [{ alternateName: 'No evidence' }, 'unproven', 'context'],
    [{ alternateName: 'Four Pinocchios' }, null, 'context'],
    [{ ratingValue: '1', bestRating: '5', worstRating: '1' }, 'false', 'refutes'],
    [{ ratingValue: 5, bestRating: 5, worstRating: 1 }, 'true', 'supports'],
    [{ ratingValue: 3, bestRating: 1, worstRating: 5 }, null, 'context'],
    [{ ratingValue: 'x' }, null, 'context'],
    [undefined, null, 'context'],
  ])('understands the rating %j as %s', (reviewRating, rating, stance) => {
    expect(evidenceEntries({ ...review, reviewRating })).toMatchObject([{ rating, reviews: [{ stance }] }]);
  });

  it('leaves out a review without an address, and says so', async () => {
    expect(await read('bad.json', JSON.stringify({ ...review, url: 'ftp://facts.example' }))).toEqual([
      { skipped: 'bad.json: an object that is neither a review nor a document' },
      { skipped: 'bad.json: nothing to import was found in it' },
    ]);
  });

  it('tells a file that breaks off', async () => {
    await expect(read('cut.json', JSON.stringify(feed).slice(0, -200))).rejects.toThrow(
      /ends within an object/,
    );
  });

  it('finds the same objects wherever the pieces of the file end', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.dictionary(fc.string(), fc.jsonValue()), { maxLength: 5 }),
        fc.integer({ min: 1, max: 30 }),
        async (objects, size) => {
          const text = JSON.stringify(objects);
          async function* pieces() {
            for (let from = 0; from < text.length; from += size) yield text.slice(from, from + size);
          }
          expect(await collect(jsonObjects(pieces()))).toEqual(JSON.parse(text));
        },
      ),
      { numRuns: 200 },
    );
  });
});

describe('other files', () => {
  it.each([
    [
      'an RSS feed',
      'news.xml',
      '<?xml version="1.0"?><rss version="2.0"><channel><link>https://news.example/</link><item><title>A</title><link>https://news.example/a</link></item><item><link>javascript:alert(1)</link></item></channel></rss>',
      [{ kind: 'page', url: 'https://news.example/a' }],
    ],
    [
      'an Atom feed',
      'news.atom',
      '<feed xmlns="http://www.w3.org/2005/Atom"><entry><link rel="self" href="https://news.example/x"/><link href="https://news.example/b"/></entry></feed>',
      [{ kind: 'page', url: 'https://news.example/b' }],
    ],
    [
      'a list of addresses',
      'urls.txt',
      '# mine\nhttps://a.example/1\n\nhttps://b.example/2\nhttps://a.example/1\n',
      [
        { kind: 'page', url: 'https://a.example/1' },
        { kind: 'page', url: 'https://b.example/2' },
      ],
    ],
    [
      'a text',
      'notes.md',
      '# Apele Dunării\n\nDunărea a crescut cu doi metri.',
      [{ kind: 'document', key: 'notes.md', title: 'Apele Dunării', url: null, language: null }],
    ],
    [
      'a page',
      'page.html',
      `<!doctype html><html lang="ro"><head><title>Podul</title><meta property="og:site_name" content="Ziarul"></head><body><article><h1>Podul</h1>${'<p>Podul a fost închis pentru reparații, iar șoferii ocolesc prin orașul vechi, spune primăria.</p>'.repeat(8)}</article></body></html>`,
      [{ kind: 'document', key: 'page.html', title: 'Podul', publisher: 'Ziarul', language: 'ro' }],
    ],
    [
      'a page that does not say who publishes it',
      'nameless.html',
      `<!doctype html><html lang="ro"><head><title>Podul</title></head><body><article><h1>Podul</h1>${'<p>Podul a fost închis pentru reparații, iar șoferii ocolesc prin orașul vechi, spune primăria.</p>'.repeat(8)}</article></body></html>`,
      [{ kind: 'document', key: 'nameless.html', title: 'Podul', url: null, publisher: null }],
    ],
    [
      'documents with title and text',
      'documents.jsonl',
      '{"title":"A","text":"Some text.","url":"https://a.example/","published_at":"2020-02-03T04:05:06Z"}\n',
      [
        {
          kind: 'document',
          key: 'https://a.example/',
          title: 'A',
          published_at: '2020-02-03',
          text: 'Some text.',
        },
      ],
    ],
  ])('reads %s', async (_name, file, content, entries) => {
    expect(entriesIn(await read(file, content))).toMatchObject(entries);
  });

  it.each([
    [
      'a picture',
      'picture.bin',
      Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 1, 2, 3]),
      /this kind of file is not read/,
    ],
    ['nothing', 'empty.txt', '', /there is no text in it/],
    ['a feed without links', 'empty.rss', '<rss><channel/></rss>', /no links/],
  ])('says that %s holds nothing to import', async (_name, file, content, reason) => {
    const [first] = await read(file, content);
    expect(first).toEqual({ skipped: expect.stringMatching(reason) });
  });

  it('reads a folder in order, without hidden files and links', async () => {
    const nested = join(folder, 'library');
    mkdirSync(join(nested, 'b'), { recursive: true });
    writeFileSync(join(nested, 'b', 'two.txt'), 'Two.');
    writeFileSync(join(nested, 'a.txt'), 'One.');
    writeFileSync(join(nested, '.hidden.txt'), 'No.');
    symlinkSync('/etc/passwd', join(nested, 'link.txt'));
    const entries = entriesIn(await collect(readSource(nested, [])));
    expect(entries.map(({ key }) => key)).toEqual(['a.txt', join('b', 'two.txt')]);
  });

  it('refuses what is not there, and private addresses', async () => {
    await expect(collect(readSource(join(folder, 'nowhere'), []))).rejects.toThrow(/neither a file/);
    await expect(collect(readSource('http://127.0.0.1:9/feed.xml', []))).rejects.toThrow(/127\.0\.0\.1/);
  });
});

it('an import that nobody named is called by its address, or by its name and place', () => {
  expect(originOf('https://facts.example/feed.xml')).toBe('https://facts.example/feed.xml');
  expect(originOf('/data/facts/library')).toMatch(/^library@[0-9a-f]{8}$/);
  expect(originOf('/data/facts/library/')).toBe(originOf('/data/facts/library'));
  expect(originOf('/data/other/library')).not.toBe(originOf('/data/facts/library'));
});
