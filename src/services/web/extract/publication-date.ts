import { parseAddress } from '../../../foundation/http/web-address.ts';
import { blockText, collapseWhitespace } from './blocks.ts';
import { ANY_DATE, parseDate, type WrittenDate } from './date-text.ts';
import type { DomDocument, DomElement } from './dom.ts';
import type { Thing } from './json-ld.ts';

/** Where a date was found, the strongest first (order of htmldate). */
export type DateSource = 'url' | 'meta' | 'json_ld' | 'time_element' | 'markup' | 'text' | 'modified';

/** The day on which a page was first published. */
export interface PublicationDate extends WrittenDate {
  source: DateSource;
}

const PUBLISHED_META = [
  'article:published_time',
  'og:published_time',
  'og:article:published_time',
  'og:pubdate',
  'article:published',
  'datepublished',
  'citation_publication_date',
  'citation_online_date',
  'citation_date',
  'parsely-pub-date',
  'sailthru.date',
  'cxenseparse:recs:publishtime',
  'bt:pubdate',
  'rnews:datepublished',
  'shareaholic:article_published_time',
  'originalpublicationdate',
  'article_date_original',
  'publication_date',
  'publication-date',
  'published_date',
  'published-date',
  'published_time',
  'publishdate',
  'publish-date',
  'publish_date',
  'published',
  'pubdate',
  'pub_date',
  'dc.date.issued',
  'dcterms.issued',
  'dc.date.created',
  'dcterms.created',
  'dc.created',
  'dc.date',
  'dcterms.date',
  'dc.terms.date',
  'date',
  'date_published',
  'displaydate',
  'release_date',
  'datecreated',
  'created',
  'timestamp',
  'itemprop:datepublished',
  'itemprop:datecreated',
];
const MODIFIED_META = [
  'article:modified_time',
  'og:updated_time',
  'datemodified',
  'dc.date.modified',
  'dcterms.modified',
  'last-modified',
  'lastmod',
  'revised',
  'itemprop:datemodified',
];

/** Parts of a page whose dates belong to something else. */
const ELSEWHERE =
  'aside, nav, footer, [class*=comment], [id*=comment], [class*=related], [class*=sidebar], [id*=sidebar], [class*=widget], [class*=footer], [class*=recommend], [class*=popular]';
const DATE_MARKUP =
  '[class*=publish], [class*=pubdate], [class*=posted], [class*=date], [class*=Date], [class*=timestamp], [class*=dateline], [class*=byline], [class*=entry-meta], [class*=post-meta], [class*=article-info], [class*=post-info], [class*=meta], [class*=time], [class*=data-], [id*=date], [id*=publish]';
/** Longest text of an element that is about a date rather than one that mentions some. */
const LONGEST_DATELINE = 160;
const MOST_ELEMENTS = 200;
/** Characters of a page that are searched for dates in running text. */
const SEARCHED_CHARACTERS = 60_000;

/** What the search for a date looks at. */
export interface DateClues {
  document: DomDocument;
  url: string;
  /** Values of meta elements by lower-case name. */
  meta: ReadonlyMap<string, string>;
  article: Thing | undefined;
  /** Whether numeric dates put the month first. */
  monthFirst: boolean;
  /** No date lies after this day, YYYY-MM-DD. */
  latest: string;
}

type MaybeDate = WrittenDate | undefined;
type Finder = (clues: DateClues) => MaybeDate;

function fromAddress({ url, latest }: DateClues): MaybeDate {
  const path = parseAddress(url)?.pathname ?? '';
  const [, year, month, day] =
    /(?:^|[/_-])((?:19|20)\d{2})[/_-]?(\d{2})[/_-]?(\d{2})(?=$|[/_.-])/.exec(path) ?? [];
  return year === undefined ? undefined : parseDate(`${year}-${month}-${day}`, latest);
}

function fromMeta(names: readonly string[], { meta, latest, monthFirst }: DateClues): MaybeDate {
  for (const name of names) {
    const content = meta.get(name);
    const date = content === undefined ? undefined : parseDate(content, latest, monthFirst);
    if (date !== undefined) return date;
  }
  return undefined;
}

const textIn = (value: unknown) => (typeof value === 'string' ? value : '');

function fromArticle(keys: readonly string[], { article, latest, monthFirst }: DateClues): MaybeDate {
  for (const key of keys) {
    const date = parseDate(textIn(article?.[key]), latest, monthFirst);
    if (date !== undefined) return date;
  }
  return undefined;
}

const writtenIn = (element: DomElement) =>
  [element.getAttribute('datetime'), element.getAttribute('content'), element.getAttribute('title')]
    .filter((value) => value !== null)
    .concat(collapseWhitespace(element.textContent));

function firstDateIn(elements: Iterable<DomElement>, { latest, monthFirst }: DateClues): MaybeDate {
  let count = 0;
  for (const element of elements) {
    if (++count > MOST_ELEMENTS) return undefined;
    if (element.closest(ELSEWHERE) !== null) continue;
    for (const text of writtenIn(element)) {
      const date = text.length > LONGEST_DATELINE ? undefined : parseDate(text, latest, monthFirst);
      if (date !== undefined) return date;
    }
  }
  return undefined;
}

/** Elements made for dates; those that say "published" before the rest. */
function fromTimeElements(clues: DateClues): MaybeDate {
  const { document } = clues;
  for (const selector of [
    '[itemprop~=datePublished]',
    'time[pubdate], time[class*=publish], time[class*=entry-date], time[class*=posted], abbr.published',
    'article time, main time, [role=main] time',
    'time, abbr[title]',
  ]) {
    const date = firstDateIn(document.querySelectorAll(selector), clues);
    if (date !== undefined) return date;
  }
  return undefined;
}

const fromMarkup: Finder = (clues) => firstDateIn(clues.document.querySelectorAll(DATE_MARKUP), clues);

/** The year and month that the address carries, as YYYY-MM; blogs file their posts by it. */
function monthInAddress(url: string): string | undefined {
  const path = parseAddress(url)?.pathname ?? '';
  const [, year, month] = /\/((?:19|20)\d{2})\/(0[1-9]|1[0-2])(?=\/)/.exec(path) ?? [];
  return year === undefined ? undefined : `${year}-${month}`;
}

/** The date that running text names most often, the earlier on the page the better, one of the address's month first. */
function fromText({ document, latest, monthFirst, url }: DateClues): MaybeDate {
  if (document.body === null) return undefined;
  const counts = new Map<string, { date: WrittenDate; times: number }>();
  for (const [text] of blockText(document.body).slice(0, SEARCHED_CHARACTERS).matchAll(ANY_DATE)) {
    const date = parseDate(text, latest, monthFirst);
    if (date === undefined) continue;
    const entry = counts.get(date.day) ?? { date, times: 0 };
    entry.times++;
    counts.set(date.day, entry);
  }
  const ranked = [...counts.values()].sort((a, b) => b.times - a.times);
  const month = monthInAddress(url);
  const filed = month === undefined ? undefined : ranked.find(({ date }) => date.day.startsWith(month));
  return (filed ?? ranked[0])?.date;
}

const FINDERS: ReadonlyArray<[DateSource, Finder]> = [
  ['url', fromAddress],
  ['meta', (clues) => fromMeta(PUBLISHED_META, clues)],
  ['json_ld', (clues) => fromArticle(['datePublished', 'dateCreated', 'uploadDate'], clues)],
  ['time_element', fromTimeElements],
  ['markup', fromMarkup],
  ['text', fromText],
  ['modified', (clues) => modificationDate(clues)],
];

/** When the page says it was last changed. */
export const modificationDate: Finder = (clues) =>
  fromMeta(MODIFIED_META, clues) ?? fromArticle(['dateModified'], clues);

/**
 * The day of first publication by the strongest clue. When that gives only a day, a weaker clue with the time of the same
 * day is used instead.
 */
export function publicationDate(clues: DateClues): PublicationDate | undefined {
  for (const [source, find] of FINDERS) {
    const date = find(clues);
    if (date === undefined) continue;
    const exact = date.value === date.day ? withHour(date.day, clues) : undefined;
    return { ...(exact ?? date), source };
  }
  return undefined;
}

function withHour(day: string, clues: DateClues): MaybeDate {
  const timed = [fromMeta(PUBLISHED_META, clues), fromArticle(['datePublished'], clues)];
  return timed.find((date) => date?.day === day && date.value !== day);
}
