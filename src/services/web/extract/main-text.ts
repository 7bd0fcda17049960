import { likeliestLines } from './likeliest-lines.ts';
import { lineFeatures } from './line-features.ts';
import { type LineModel, mainTextProbabilities, readLineModel } from './line-model.ts';
import type { Page } from './page.ts';
import type { PageStatements } from './page-features.ts';
import { REGIONS } from './regions.ts';
import type { LineRange } from './second-stage-features.ts';

/** The main text of a page and where it came from. */
export interface MainText {
  text: string;
  /** `article` for running text, `page` for lists, forums, catalogues; `none` when the page has no text at all. */
  source: 'article' | 'page' | 'plain_text' | 'none';
  /** Pictures within the main text, in order, as the page spells their addresses. */
  pictures: { address: string; alt: string }[];
}

/** Share of running text in the main text from which on a page is an article. */
const ARTICLE_SHARE = 0.5;

/** Equal lines on end, and the share of them that is main text, from which on all of them are. */
const EQUAL_LINES = { least: 10, chosen: 0.9 };

/** Chooses a whole run of equal lines when most of them are chosen: the model takes the last lines of a page for its footer. */
function withEqualLines(lines: readonly string[], chosen: readonly boolean[]): boolean[] {
  const all = [...chosen];
  for (let from = 0; from < lines.length; ) {
    let to = from + 1;
    while (to < lines.length && lines[to] === lines[from]) to++;
    const chosenLines = chosen.slice(from, to).filter(Boolean).length;
    if (to - from >= EQUAL_LINES.least && chosenLines >= EQUAL_LINES.chosen * (to - from))
      all.fill(true, from, to);
    from = to;
  }
  return all;
}

let model: LineModel | undefined;

/** Chooses the lines of a page that are its main text; the ranges to leave out are none of it. */
export function mainText(page: Page, statements: PageStatements, leftOut: readonly LineRange[]): MainText {
  if (page.lines.length === 0) return { text: '', source: 'none', pictures: [] };
  model ??= readLineModel();
  const { rows, places } = lineFeatures(page, statements);
  const chances = mainTextProbabilities(model, rows, places);
  for (const { firstLine, endLine } of leftOut) chances.fill(0, firstLine, endLine);
  const likeliest = likeliestLines(places.words, chances);
  const chosen = withEqualLines(
    page.lines.map(({ text }) => text),
    likeliest,
  );
  const kept = page.lines.filter((_, at) => chosen[at] === true);
  const size = kept.reduce((sum, line) => sum + line.size, 0);
  const prose = kept.reduce((sum, { size: own, text }) => sum + (text.length >= 80 ? own : 0), 0);
  return {
    text: kept.map(({ text }) => text).join('\n'),
    source: prose >= size * ARTICLE_SHARE ? 'article' : 'page',
    pictures: picturesAmong(page, chosen),
  };
}

/** Pictures between the first and the last line of the main text, outside of navigation and side columns. */
function picturesAmong(page: Page, chosen: readonly boolean[]): MainText['pictures'] {
  const first = chosen.indexOf(true);
  const last = chosen.lastIndexOf(true);
  if (first < 0) return [];
  const around = REGIONS.navigation | REGIONS.footer | REGIONS.aside | REGIONS.elsewhere | REGIONS.invisible;
  return page.images.flatMap(({ attributes, firstLine, regions }) => {
    const address = attributes.src ?? attributes['data-src'] ?? '';
    const isAmong = firstLine >= first && firstLine <= last + 1 && (regions & around) === 0;
    return isAmong && address !== '' ? [{ address, alt: attributes.alt ?? '' }] : [];
  });
}
