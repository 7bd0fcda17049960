import { describe, expect, test } from 'vitest';
import type { Hit } from '../../../../src/services/domain-check/lists/published-lists.ts';
import { sources } from '../../../../src/services/domain-check/lists/sources.ts';
import { readStatements } from '../../../../src/services/domain-check/lists/statements.ts';

const hit = (code: string, cells: string[], listedName = 'site.com'): Hit => {
  const source = sources.find((candidate) => candidate.code === code);
  if (source === undefined) throw new Error(`there is no source ${code}`);
  return { source, cells, listedName };
};

describe('readStatements', () => {
  test('nothing said is nothing known', () => {
    expect(readStatements([])).toEqual({
      listings: [],
      ratings: [],
      estimate: null,
      estimateDate: null,
      registerDate: null,
      satire: false,
      weakListing: false,
      factChecker: false,
      registered: false,
      platform: false,
      shortener: false,
    });
  });

  test.each([
    ['opensources', ['fake'], 'fake', true],
    ['opensources', ['conspiracy', 'bias'], 'conspiracy', true],
    ['fakenews-hosts', [], 'fake_news', true],
    ['pink-slime', [], 'posing_local_news', true],
    ['viginum-portal-kombat', [], 'propaganda_network', true],
  ])('%s %j counts as an offender', (code, cells, category, counted) => {
    expect(readStatements([hit(code, cells)]).listings).toEqual([
      expect.objectContaining({ code, category, counted, official: false }),
    ]);
  });

  test('an official block carries the date and reference of its row', () => {
    const cells = ['official-block', '2022-02-28', 'https://press.example/1', 'Romanian government list'];
    expect(readStatements([hit('romania', cells)]).listings).toEqual([
      expect.objectContaining({
        official: true,
        counted: true,
        date: '2022-02-28',
        reference: 'https://press.example/1',
      }),
    ]);
  });

  test.each(['bias', 'clickbait', 'unreliable', 'rumor', 'state'])('%s only warns', (type) => {
    expect(readStatements([hit('opensources', [type])])).toMatchObject({ listings: [], weakListing: true });
  });

  test.each(['political', 'reliable', 'blog', 'never heard of'])('%s says nothing', (type) => {
    expect(readStatements([hit('opensources', [type])])).toMatchObject({ listings: [], weakListing: false });
  });

  test('satire is a class of its own and takes list entries back', () => {
    const published = readStatements([hit('mbfc', ['satire', 'n/a', 'satire']), hit('fakenews-hosts', [])]);
    expect(published.satire).toBe(true);
    expect(published.listings).toEqual([expect.objectContaining({ counted: false })]);
    expect(published.ratings).toEqual([expect.objectContaining({ rating: 'satire', points: null })]);
  });

  test('a current rating beats an old satire label', () => {
    const published = readStatements([
      hit('mbfc', ['low', 'low-credibility']),
      hit('opensources', ['satire']),
    ]);
    expect(published.satire).toBe(false);
  });

  test('a current high rating takes back an old list entry, but never an official block', () => {
    const high = hit('mbfc', ['high', 'high-credibility', 'center']);
    expect(readStatements([high, hit('fakenews-hosts', [])]).listings[0]?.counted).toBe(false);
    const block = hit('romania', ['official-block', '2022-02-28', 'https://press.example/1']);
    expect(readStatements([high, block]).listings[0]?.counted).toBe(true);
    expect(readStatements([hit('mbfc', ['mixed']), hit('fakenews-hosts', [])]).listings[0]?.counted).toBe(
      true,
    );
  });

  test('the rating of a platform says nothing of its authors; a listed section of it is judged for itself', () => {
    const platform = hit('platforms', ['blogs'], 'wordpress.com');
    const whole = readStatements([platform, hit('idiap', ['-1'], 'wordpress.com')]);
    expect(whole).toMatchObject({ platform: true, ratings: [] });
    const section = readStatements([platform, hit('opensources', ['fake'], 'liar.wordpress.com')]);
    expect(section).toMatchObject({
      platform: true,
      listings: [{ listedName: 'liar.wordpress.com', counted: true }],
    });
  });

  test('names the rater and keeps the rating as it was given', () => {
    expect(readStatements([hit('mbfc', ['mixed', 'low-credibility', 'right'])]).ratings).toEqual([
      {
        rater: 'Media Bias/Fact Check',
        code: 'mbfc',
        rating: 'mixed',
        detail: 'low-credibility',
        date: '2026-08-19',
        reference: 'https://mediabiasfactcheck.com/',
        listedName: 'site.com',
        points: -0.8,
      },
    ]);
  });
});
