import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { packageFile } from '../../../../src/foundation/files.ts';
import { openPublishedLists } from '../../../../src/services/domain-check/lists/published-lists.ts';
import { sources } from '../../../../src/services/domain-check/lists/sources.ts';
import { SortedTable } from '../../../../src/services/domain-check/lists/table.ts';
import { readSite } from '../../../../src/services/domain-check/site.ts';
import { weights } from '../../../../src/services/domain-check/weights.ts';

const read = (file: string) => readFileSync(packageFile('data', 'domains', file), 'utf8');
const siteOf = (host: string) => {
  const site = readSite(host);
  if (site === undefined || !('domain' in site)) throw new Error(`${host} is no site`);
  return site;
};

describe.each(sources.map((source) => [source.file, source] as const))('%s', (file, source) => {
  test('is sorted in byte order, each domain once', () => {
    const domains = [...SortedTable.open(packageFile('data', 'domains', file)).domains()];
    expect(domains.length).toBeGreaterThan(0);
    expect(domains).toEqual([...new Set(domains)].sort());
  });

  test('has only categories and ratings that were weighed', () => {
    const first = new Set(
      read(file)
        .trim()
        .split('\n')
        .map((line) => line.split('\t')[1] ?? ''),
    );
    if (source.kind === 'list') {
      for (const category of first) expect(weights.lists.categories[source.code]).toHaveProperty([category]);
    }
    if (source.kind === 'rating') {
      first.delete('satire');
      first.delete('');
      for (const rating of first) expect(weights.ratings.points[source.code]).toHaveProperty([rating]);
    }
  });

  test('is described, with its licence, in the README of the data', () => {
    const page = read('README.md');
    expect(page).toContain(file);
    expect(source.licence).not.toBe('');
  });
});

describe('openPublishedLists', () => {
  test('finds the most specific listed name', () => {
    const hits = openPublishedLists([]).lookUp(siteOf('ru.md.sputniknews.com'));
    expect(hits.find((hit) => hit.source.code === 'romania')).toMatchObject({
      listedName: 'ru.md.sputniknews.com',
      cells: ['official-block', '2022-02-28', expect.stringContaining('https://'), expect.any(String)],
    });
  });

  test('a section of a listed site is listed, its neighbour under a private suffix is not', () => {
    const lists = openPublishedLists([]);
    expect(lists.lookUp(siteOf('tv.infowars.com')).map((hit) => hit.listedName)).toContain('infowars.com');
    expect(lists.lookUp(siteOf('some-honest-person.blogspot.com'))).toEqual([]);
  });

  test.each(['agora.md', 'deschide.md', 'capital.ro'])(
    '%s, which case files merely link to, is on no list',
    (host) => {
      expect(
        openPublishedLists([])
          .lookUp(siteOf(host))
          .filter((hit) => hit.source.kind === 'list'),
      ).toEqual([]);
    },
  );

  test.each(sources.map((source) => source.code))('%s can be switched off', (code) => {
    const [domain = ''] = SortedTable.open(
      packageFile('data', 'domains', sources.find((source) => source.code === code)?.file ?? ''),
    ).domains();
    const asked = (disabled: string[]) => {
      const site = readSite(domain);
      if (site === undefined || !('domain' in site)) return undefined;
      return openPublishedLists(disabled)
        .lookUp(site)
        .some((hit) => hit.source.code === code);
    };
    expect(asked([])).toBe(true);
    expect(asked([code])).toBe(false);
  });
});
