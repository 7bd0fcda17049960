import { parseAddress } from '../../../foundation/http/web-address.ts';
import { ANY_DATE, type ParsedDate, parseDate } from './date-text.ts';
import type { JsonLdObject } from './json-ld.ts';
import { elementText, type Page, type PageElement } from './page.ts';
import { REGIONS } from './regions.ts';

/** Where a date was found, the strongest first (order of htmldate). */
export type DateSource = 'url' | 'meta' | 'json_ld' | 'time_element' | 'markup' | 'text';

/** The day on which a page was first published. */
export interface PublicationDate extends ParsedDate {
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

const DATE_CLASS =
  /publish|pubdate|posted|date|Date|timestamp|entry-meta|post-meta|article-info|post-info|byline|meta|time|data-/;
const DATE_ID = /date|publish/;
/** Words beside the date of a later change. */
const CHANGED =
  /\b(?:updated|modified|revised|edited|actualizat|modificat|revizuit|aktualisiert|ge[äa]ndert|mis à jour|actualizado|aggiornato|bijgewerkt)\b/iu;
/** Words before the date of the first publication. */
const PUBLISHED =
  /(?<!\p{L})(?:published|posted|publicat|publié|veröffentlicht|erschienen|publicado|pubblicato|gepubliceerd)(?!\p{L})/iu;
const CHANGED_MARK = /updated|modified|dateModified/;
const PUBLISHED_MARK = /publish|posted|created/i;

/** True for an element that says when the page was changed, and not when it was published. */
function isChange({ attributes }: PageElement): boolean {
  const marks = `${attributes.class ?? ''} ${attributes.itemprop ?? ''} ${attributes.id ?? ''}`;
  return CHANGED_MARK.test(marks) && !PUBLISHED_MARK.test(marks);
}

/** The text without a statement of a later change. */
const withoutChange = (text: string) => {
  const at = text.search(CHANGED);
  return at < 0 ? text : text.slice(0, at);
};

/** Longest text of an element that is about a date rather than one that mentions some. */
const LONGEST_DATELINE = 160;
const MOST_ELEMENTS = 200;
/** So many mentions in running text a line counts that is nothing but a date. */
const LINE_OF_ITS_OWN = 5;
/** Characters of a page that are searched for dates in running text. */
const SEARCHED_CHARACTERS = 60_000;

/** What the search for a date looks at. */
export interface DateClues {
  page: Page;
  url: string;
  /** Values of meta elements by lower-case name. */
  meta: ReadonlyMap<string, string>;
  article: JsonLdObject | undefined;
  /** Everything that the page's data describe. */
  things: readonly JsonLdObject[];
  /** Whether numeric dates put the month first. */
  monthFirst: boolean;
  /** No date lies after this day, YYYY-MM-DD. */
  latest: string;
}

const DAY_MS = 86_400_000;

type MaybeDate = ParsedDate | undefined;
type Finder = (clues: DateClues) => MaybeDate;

function fromAddress({ url, latest }: DateClues): MaybeDate {
  const path = parseAddress(url)?.pathname ?? '';
  const [, year, month, day] =
    /(?:^|[/_-])((?:19|20)\d{2})[/_-]?(\d{2})[/_-]?(\d{2})(?=$|[/_.-])/.exec(path) ?? [];
  if (year !== undefined) return parseDate(`${year}-${month}-${day}`, latest);
  const [, named] = /\/((?:19|20)\d{2}\/\p{L}{3,12}\/\d{1,2})(?=\/|$)/u.exec(path) ?? [];
  return named === undefined ? undefined : parseDate(named.split('/').reverse().join(' '), latest);
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

function writtenIn(page: Page, element: PageElement): string[] {
  const { datetime, content, title } = element.attributes;
  const text = elementText(page, element, LONGEST_DATELINE * 4);
  const own = text === undefined ? undefined : withoutChange(text);
  if (own === '' && text !== '') return [];
  const marks = [datetime, content, title];
  // Visible words such as "published on" count before the attributes, into which some systems write the last change.
  return (PUBLISHED.test(own ?? '') ? [own, ...marks] : [...marks, own]).filter(
    (value) => value !== undefined,
  );
}

function firstDate(clues: DateClues, isWanted: (element: PageElement) => boolean): MaybeDate {
  const { page, latest, monthFirst } = clues;
  let count = 0;
  for (const element of page.named) {
    if ((element.regions & REGIONS.elsewhere) !== 0 || !isWanted(element) || isChange(element)) continue;
    if (++count > MOST_ELEMENTS) return undefined;
    for (const text of writtenIn(page, element)) {
      const date = text.length > LONGEST_DATELINE ? undefined : parseDate(text, latest, monthFirst);
      if (date !== undefined) return date;
    }
  }
  return undefined;
}

const isTime = ({ name }: PageElement) => name === 'time';
const isIn = (element: PageElement, regions: number) => (element.regions & regions) !== 0;
const PUBLICATION_PROPERTY = /(?:^|\s)datePublished(?:\s|$)/;
/** Elements made for dates; those that say "published" before the rest. */
const TIME_ELEMENTS: ReadonlyArray<(element: PageElement) => boolean> = [
  ({ attributes }) => PUBLICATION_PROPERTY.test(attributes.itemprop ?? ''),
  ({ attributes }) => /(?:^|\s)dateCreated(?:\s|$)/.test(attributes.itemprop ?? ''),
  ({ name, attributes, parent }) =>
    (name === 'time' &&
      (attributes.pubdate !== undefined || /publish|entry-date|posted/.test(attributes.class ?? ''))) ||
    (name === 'time' && /(?:^|[\s_-])(?:publi(?:shed|cation)|posted)/.test(parent?.attributes.class ?? '')) ||
    (name === 'abbr' && /(?:^|\s)published(?:\s|$)/.test(attributes.class ?? '')),
  (element) => isTime(element) && isIn(element, REGIONS.article | REGIONS.main),
  (element) => isTime(element) || (element.name === 'abbr' && element.attributes.title !== undefined),
];

function fromTimeElements(clues: DateClues): MaybeDate {
  for (const isWanted of TIME_ELEMENTS) {
    const date = firstDate(clues, isWanted);
    if (date !== undefined) return date;
  }
  return undefined;
}

/** The one day that everything called datePublished on the page gives, wherever it stands. */
const fromProperty: Finder = ({ page, latest, monthFirst, things }) => {
  const stated = page.named
    .filter(({ attributes }) => PUBLICATION_PROPERTY.test(attributes.itemprop ?? ''))
    .flatMap((element) => writtenIn(page, element).slice(0, 1));
  const texts = [...things.map(({ datePublished }) => textIn(datePublished)), ...stated];
  const dates = texts.flatMap((text) => parseDate(text, latest, monthFirst) ?? []);
  const [first] = dates;
  return dates.every(({ day }) => day === first?.day) ? first : undefined;
};

const fromMarkup: Finder = (clues) =>
  firstDate(
    clues,
    ({ attributes }) => DATE_CLASS.test(attributes.class ?? '') || DATE_ID.test(attributes.id ?? ''),
  );

/** The year that the address carries, or year and month as YYYY-MM; blogs file their posts by it. */
function monthInAddress(url: string): string | undefined {
  const path = parseAddress(url)?.pathname ?? '';
  const [, year, month] = /\/((?:19|20)\d{2})(?:\/(0[1-9]|1[0-2]))?(?=\/)/.exec(path) ?? [];
  return year === undefined || month === undefined ? year : `${year}-${month}`;
}

/** What stands beside a date in a line that says nothing else: a weekday, a time, marks. */
const FRAME = /^\P{L}*\p{L}{0,10}\P{L}*$/u;

/** The date behind the words "published on", in a line of its own. */
const fromWording: Finder = ({ page, latest, monthFirst }) => {
  let searched = 0;
  for (const { text: line } of page.lines) {
    if (searched > SEARCHED_CHARACTERS) return undefined;
    searched += line.length;
    const own = line.length > LONGEST_DATELINE ? '' : withoutChange(line);
    const at = own.search(PUBLISHED);
    const date = at < 0 ? undefined : parseDate(own.slice(at), latest, monthFirst);
    if (date !== undefined) return date;
  }
  return undefined;
};

/** The date that running text names most often, the earlier on the page the better, one of the address's month first. */
function fromText({ page, latest, monthFirst, url }: DateClues): MaybeDate {
  const counts = new Map<string, { date: ParsedDate; times: number }>();
  let searched = 0;
  for (const { text: line } of page.lines) {
    if (searched > SEARCHED_CHARACTERS) break;
    searched += line.length;
    if (!/\d/.test(line)) continue;
    for (const [text] of withoutChange(line.slice(0, SEARCHED_CHARACTERS)).matchAll(ANY_DATE)) {
      const date = parseDate(text, latest, monthFirst);
      if (date === undefined) continue;
      const entry = counts.get(date.day) ?? { date, times: 0 };
      // A line that is nothing but a date counts more: dates within sentences are mostly those of reported events.
      entry.times +=
        line.length <= LONGEST_DATELINE && FRAME.test(line.replace(text, '')) ? LINE_OF_ITS_OWN : 1;
      counts.set(date.day, entry);
    }
  }
  const ranked = [...counts.values()].sort((a, b) => b.times - a.times);
  const month = monthInAddress(url);
  // A date of another month than the one that the page is filed under is not its own.
  const own = month === undefined ? ranked : ranked.filter(({ date }) => date.day.startsWith(month));
  return own[0]?.date;
}

const FINDERS: ReadonlyArray<[DateSource, Finder]> = [
  ['url', fromAddress],
  ['meta', (clues) => fromMeta(PUBLISHED_META, clues)],
  ['json_ld', (clues) => fromArticle(['datePublished', 'dateCreated', 'uploadDate'], clues)],
  ['time_element', fromTimeElements],
  ['markup', fromProperty],
  ['markup', fromMarkup],
  ['text', fromWording],
  ['text', fromText],
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
    const shown = shownBeside(date, clues);
    if (shown !== undefined) return { ...shown, source: 'markup' };
    const exact = date.value === date.day ? withHour(date.day, clues) : undefined;
    return { ...(exact ?? date), source };
  }
  return undefined;
}

/** Early hours in universal time are those of the evening before in America, late ones may be past midnight in Europe. */
const EARLY = /T0\d:.*(?:Z|[+-]00:00)$/;
const LATE = /T2[0-3]:[\d:.]+(?:Z|[+-]00:00)?$/;

/** The neighbouring day for a time given in UTC, when that is the day that the page shows to its readers. */
function shownBeside({ day, value }: ParsedDate, clues: DateClues): MaybeDate {
  const days = EARLY.test(value) ? -1 : LATE.test(value) ? 1 : 0;
  if (days === 0) return undefined;
  const beside = new Date(Date.parse(`${day}T00:00:00Z`) + days * DAY_MS).toISOString().slice(0, 10);
  const shown =
    fromAddress(clues) ??
    firstDate(clues, ({ attributes }) => PUBLICATION_PROPERTY.test(attributes.itemprop ?? '')) ??
    fromMarkup(clues) ??
    (clues.monthFirst ? fromText(clues) : undefined);
  return shown?.day === beside ? shown : undefined;
}

function withHour(day: string, clues: DateClues): MaybeDate {
  const timed = [fromMeta(PUBLISHED_META, clues), fromArticle(['datePublished'], clues)];
  return timed.find((date) => date?.day === day && date.value !== day);
}
