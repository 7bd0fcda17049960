import { describe, expect, it } from 'vitest';
import { LINE_FEATURES, lineFeatures } from '../../../../src/services/web/extract/line-features.ts';
import { NAME_GROUPS, nameGroups } from '../../../../src/services/web/extract/names.ts';
import { readPage } from '../../../../src/services/web/extract/page.ts';

const statements = {
  title: 'Bugetul',
  author: 'Ana Pop',
  url: 'https://a.example/x',
  types: new Set(['newsarticle']),
  stated: '',
};
const sentence =
  'Consiliul local a votat miercuri bugetul pentru anul viitor, după o dezbatere de patru ore.';
const page = readPage(
  `<nav class="main-menu"><a href="/">Acasă</a></nav><main><h1>Bugetul</h1><p class="byline">De Ana Pop</p>
   <p>${sentence}</p><p>${sentence}</p></main><ul>${'<li class="card"><a href="/1">Știre</a></li>'.repeat(4)}</ul>`,
);
const { rows } = lineFeatures(page, statements);
const of = (text: string, feature: string) => {
  const row = rows[page.lines.findIndex((line) => line.text.startsWith(text))];
  const column = LINE_FEATURES.indexOf(feature);
  expect(column).toBeGreaterThanOrEqual(0);
  return row?.[column];
};

describe('the features of lines', () => {
  it('are as many as their names, and all numbers', () => {
    expect(new Set(LINE_FEATURES).size).toBe(LINE_FEATURES.length);
    for (const row of rows)
      expect([row.length, row.every(Number.isFinite)]).toEqual([LINE_FEATURES.length, true]);
    expect(rows).toHaveLength(page.lines.length);
  });

  it.each([
    ['Acasă', 'linked', 1],
    ['Acasă', 'region navigation', 1],
    ['Acasă', 'far navigation', 1],
    ['Bugetul', 'isTitle', 1],
    ['Bugetul', 'isHeading', 1],
    ['De Ana', 'isByline', 1],
    ['De Ana', 'namesAuthor', 1],
    ['Consiliul', 'isProse', 1],
    ['Consiliul', 'endsSentence', 1],
    ['Consiliul', 'region main', 1],
    ['Consiliul', 'inProseMost', 1],
    ['Consiliul', 'repeated', 2],
    ['Știre', 'repeats', 4],
    ['Știre', 'near list', 1],
    ['Știre', 'page isArticle', 1],
  ])('of "%s" have %s %d', (text, feature, value) => {
    expect(of(text, feature)).toBe(value);
  });
});

describe('names of elements', () => {
  const groupsOf = (names: string) => NAME_GROUPS.filter((_, bit) => ((nameGroups(names) >>> bit) & 1) === 1);
  it.each([
    ['mainMenu', ['navigation', 'body']],
    ['comment-list', ['comments', 'list']],
    ['ad-slot', ['advertising']],
    ['header', ['header']],
    ['', []],
  ])('%s', (names, groups) => {
    expect(groupsOf(names)).toEqual(groups);
  });

  it('are read no further than people write them', () => {
    expect(nameGroups(`${'x'.repeat(5000)} menu`)).toBe(0);
  });
});
