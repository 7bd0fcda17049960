import type { LineContexts } from './line-context.ts';
import type { LineWording } from './line-wording.ts';
import type { Page, PageElement } from './page.ts';
import { REGIONS } from './regions.ts';

/** What the page says of itself that helps to tell its kind. */
export interface PageStatements {
  readonly title: string | null;
  readonly author: string | null;
  readonly url: string;
  /** Types of its JSON-LD things and its og:type, in lower case. */
  readonly types: ReadonlySet<string>;
  /** Names, descriptions and texts of its JSON-LD things, as plain words. */
  readonly stated: string;
}

/** Names of the features of a whole page. */
export const PAGE_FEATURES = [
  'lines',
  'size',
  'proseShare',
  'linkedShare',
  'sentencesPerLine',
  'articleElements',
  'hasMain',
  'mainShare',
  'articleShare',
  'headings',
  'elementsPerLine',
  'pathParts',
  'pathLength',
  'pathHasDigits',
  'isArticle',
  'isProduct',
  'isForum',
  'isList',
  'isWebSite',
  'isHowTo',
  'isOrganisation',
  'prices',
  'dates',
  'repeatedMost',
  'longestProse',
  'preShare',
  'listShare',
  'tableShare',
  'reviewShare',
] as const;

const flag = (value: boolean) => (value ? 1 : 0);
const share = (part: number, whole: number) => (whole > 0 ? part / whole : 0);

/** Measures the page as a whole; the same for all its lines. */
export function pageFeatures(
  page: Page,
  wordings: readonly LineWording[],
  contexts: LineContexts,
  { url, types }: PageStatements,
): number[] {
  const { whole } = contexts;
  const path = url.replace(/^\w+:\/\/[^/]*/, '').replace(/[?#].*$/, '');
  const has = (pattern: RegExp) => flag([...types].some((type) => pattern.test(type)));
  const sizeIn = (region: number) =>
    page.lines.reduce((sum, { inner, size }) => sum + ((inner.regions & region) === 0 ? 0 : size), 0);
  const articles = new Set(
    page.lines.flatMap(({ inner }) =>
      (inner.regions & REGIONS.article) === 0 ? [] : [articleAround(inner)],
    ),
  );
  const prose = page.lines.filter((_, at) => wordings[at]?.isProse === true);
  return [
    whole.lines,
    Math.log2(1 + whole.size),
    share(whole.prose, whole.size),
    share(whole.linked, whole.size),
    share(whole.sentences, whole.lines),
    articles.size,
    flag(page.lines.some(({ inner }) => (inner.regions & REGIONS.main) !== 0)),
    share(sizeIn(REGIONS.main), whole.size),
    share(sizeIn(REGIONS.article), whole.size),
    page.headings.length,
    share(page.elements, whole.lines),
    path.split('/').filter((part) => part !== '').length,
    path.length,
    flag(/\d{3}/.test(path)),
    has(/article|blogposting|report$/),
    has(/product|offer/),
    has(/discussionforumposting|qapage|question|comment/),
    has(/collectionpage|itemlist|searchresultspage/),
    has(/^website$|^webpage$/),
    has(/howto|faqpage|recipe|techarticle|course/),
    has(/organization|localbusiness|service/),
    wordings.filter(({ hasPrice }) => hasPrice).length,
    wordings.filter(({ hasDate }) => hasDate).length,
    page.lines.reduce((most, { block }) => Math.max(most, contexts.of(block).repeatedShare), 0),
    prose.reduce((longest, { size }) => Math.max(longest, size), 0),
    share(sizeIn(REGIONS.pre), whole.size),
    share(sizeIn(REGIONS.list), whole.size),
    share(sizeIn(REGIONS.table), whole.size),
    share(sizeIn(REGIONS.review), whole.size),
  ];
}

function articleAround(element: PageElement): PageElement {
  let each = element;
  while (each.name !== 'article' && each.parent !== null) each = each.parent;
  return each;
}
