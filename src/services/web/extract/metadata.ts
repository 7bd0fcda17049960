import { decodeHTML } from 'entities';
import { parse as parseHost } from 'tldts';
import { parseAddress } from '../../../foundation/http/web-address.ts';
import {
  findArticle,
  firstText,
  type JsonLdObject,
  namesInText,
  namesOf,
  readJsonLd,
  typesOf,
  urlOfValue,
} from './json-ld.ts';
import { collapseWhitespace, elementText, type Page, type PageElement } from './page.ts';
import { type DateClues, type DateSource, modificationDate, publicationDate } from './publication-date.ts';
import { REGIONS } from './regions.ts';

/** What a page says of itself; null where it says nothing. */
export interface PageFacts {
  title: string | null;
  publisher: string | null;
  author: string | null;
  published_at: string | null;
  published_at_source: DateSource | null;
  modified_at: string | null;
  language: string | null;
  canonical_url: string | null;
  site_name: string | null;
  description: string | null;
}

/** The page's own statements, parsed once for all that read them. */
export interface Statements {
  page: Page;
  /** After redirects. */
  url: string;
  /** First value of each meta element by lower-case name, property or `itemprop:` name. */
  meta: ReadonlyMap<string, string>;
  things: readonly JsonLdObject[];
  article: JsonLdObject | undefined;
}

const SEPARATOR = /\s+[-–—|•·»:~/]+\s+/;
/** Addresses, handles, durations and numbers in the place of a name. */
const NO_NAME = /^(?:https?:|www\.|@)|^\d+(?:\s*min\w*\b.*)?$/i;

/** Reads meta elements and JSON-LD. */
export function readPageMetadata(page: Page, url: string): Statements {
  const meta = new Map<string, string>();
  for (const { attributes } of page.metas) {
    const content = (attributes.content ?? attributes.value)?.trim() ?? '';
    if (content === '') continue;
    const { itemprop } = attributes;
    for (const name of [attributes.property, attributes.name, itemprop && `itemprop:${itemprop}`]) {
      const key = name?.trim().toLowerCase();
      if (key !== undefined && key !== '' && !meta.has(key)) meta.set(key, content);
    }
  }
  const things = readJsonLd(page.data);
  return { page, url, meta, things, article: findArticle(things, url) };
}

const metaText = ({ meta }: Statements, ...names: string[]) =>
  firstText(...names.map((name) => meta.get(name))) ?? undefined;

/** A title without the site's name at its end or start. */
function withoutSite(title: string, siteNames: readonly (string | undefined)[]): string {
  const parts = title.split(SEPARATOR);
  if (parts.length < 2) return title;
  const known = siteNames.flatMap((name) => (name === undefined ? [] : [plain(name)]));
  const isSite = (part: string) => known.some((name) => name === plain(part) || name.startsWith(plain(part)));
  const end = parts.at(-1) ?? '';
  if (isSite(end)) return title.slice(0, title.lastIndexOf(end)).replace(/\s+[-–—|•·»:~/]+\s*$/, '');
  const start = parts[0] ?? '';
  if (isSite(start)) return title.slice(start.length).replace(/^\s*[-–—|•·»:~/]+\s+/, '');
  return title;
}

const plain = (text: string) =>
  text
    .normalize('NFKD')
    .replace(/[^\p{L}\p{N}]/gu, '')
    .toLowerCase();

function headingOf({ page }: Statements): string | undefined {
  for (const heading of page.headings) {
    const text = elementText(page, heading);
    if (text !== '') return text;
  }
  return undefined;
}

function titleOf(statements: Statements, siteNames: readonly (string | undefined)[]): string | undefined {
  const { page, article } = statements;
  const metaTitle = firstText(
    article?.headline,
    metaText(statements, 'og:title', 'twitter:title', 'dc.title', 'citation_title', 'itemprop:headline'),
  );
  const heading = headingOf(statements);
  const rawTitle = metaTitle ?? heading ?? page.title ?? '';
  const title = withoutSite(decoded(rawTitle), siteNames);
  // "Heading | What the site sells": the heading itself says where the title ends.
  const rest = heading !== undefined && title.startsWith(heading) ? title.slice(heading.length) : '';
  return (SEPARATOR.test(rest) ? heading : title) || undefined;
}

/** Text with entities decoded once more, since some content systems encode them twice. */
function decoded(text: string): string {
  return collapseWhitespace(/&#?\w+;/.test(text) ? decodeHTML(text).replace(/<\/?[a-z][^<>]*>/gi, '') : text);
}

/** Longest author name, in characters; what is longer is a sentence. */
const LONGEST_NAME = 120;
/** Longest by-line as written, in units. */
const LONGEST_BYLINE = 1000;
/** Words of a by-line that is taken for a name when nothing but its markup says so. */
const MOST_NAME_WORDS = 8;

function cleanName(name: string): string | undefined {
  const names = namesInText(decoded(name)).flatMap((each) => plainName(each) ?? []);
  return names.length === 0 ? undefined : unique(names).join(', ');
}

function plainName(name: string): string | undefined {
  const text = name
    .replace(/^(?:(?:written|posted|published)\s+)?(?:by|de|von|par|por|autor|author)\s*:?\s+/iu, '')
    .replace(/\s*[|•·]\s.*$/, '');
  const isName = text !== '' && text.length <= LONGEST_NAME && !NO_NAME.test(text);
  return isName ? text : undefined;
}

const AUTHOR_NAMES = /(?:^|\s)(?:byline|author|author-name|author_name)(?:\s|$)|article-author|post-author/;

/** True for elements that name an author, by what they say themselves or where they stand. */
function namesAuthor({ name, attributes, parent }: PageElement): boolean {
  const { rel, itemprop } = attributes;
  if (rel === 'author' || itemprop === 'author' || AUTHOR_NAMES.test(attributes.class ?? '')) return true;
  if (((parent?.regions ?? 0) & REGIONS.byline) === 0 && parent?.attributes.itemprop !== 'author')
    return false;
  return name === 'a' || itemprop === 'name' || /name/.test(attributes.class ?? '');
}

/** The author that a Twitter card names by a label. */
function cardAuthor({ meta }: Statements): string | undefined {
  const place = [1, 2].find((at) => /written|author|autor|scris/i.test(meta.get(`twitter:label${at}`) ?? ''));
  return place === undefined ? undefined : meta.get(`twitter:data${place}`);
}

function authorOf(statements: Statements): string | undefined {
  const { article, things, page } = statements;
  const candidates = [
    ...namesOf(article?.author, things),
    ...namesOf(article?.creator, things),
    metaText(
      statements,
      'author',
      'article:author',
      'article:author_name',
      'parsely-author',
      'sailthru.author',
    ) ?? '',
    metaText(statements, 'dc.creator', 'dcterms.creator', 'citation_author', 'byl') ?? '',
    cardAuthor(statements) ?? '',
  ];
  const articleAuthors = unique(namesOf(article?.author, things).flatMap((name) => cleanName(name) ?? []));
  if (articleAuthors.length > 0) return articleAuthors.join(', ');
  const author = candidates.map(cleanName).find((name) => name !== undefined);
  if (author !== undefined) return author;
  for (const element of page.named) {
    if (!namesAuthor(element)) continue;
    const name = cleanName(elementText(page, element, LONGEST_BYLINE) ?? '');
    if (name !== undefined && name.split(' ').length <= MOST_NAME_WORDS) return name;
  }
  return undefined;
}

const unique = (values: string[]) => [...new Set(values)];

/** ISO 639-1 code of a language tag such as ro-RO or en_US. */
function languageCode(tag: string | undefined | null): string | undefined {
  return /^([a-z]{2})(?:[-_][\w-]+)?$/i.exec(tag?.trim() ?? '')?.[1]?.toLowerCase();
}

function canonicalOf({ page, meta, url }: Statements): string | undefined {
  const link = page.links.find(({ attributes }) => /(?:^|\s)canonical(?:\s|$)/.test(attributes.rel ?? ''));
  const href = link?.attributes.href ?? meta.get('og:url');
  if (href === undefined || href === '' || parseAddress(href, url) === undefined) return undefined;
  const address = new URL(href, url);
  return /^https?:$/.test(address.protocol) ? address.href : undefined;
}

function languageOf({ page, meta, article }: Statements): string | undefined {
  const tags = [
    page.language,
    textOrNull(article?.inLanguage),
    meta.get('og:locale'),
    meta.get('content-language'),
    meta.get('language'),
  ];
  return tags.map(languageCode).find((code) => code !== undefined);
}

const textOrNull = (value: unknown) => (typeof value === 'string' ? value : null);

/** American pages write the month first; the tag, the locale or the host shows which they are. */
function putsMonthFirst({ page, meta, url }: Statements): boolean {
  const tags = [page.language ?? '', meta.get('og:locale') ?? ''];
  if (tags.some((tag) => /^en[-_]us$/i.test(tag))) return true;
  const isEnglish =
    tags.every((tag) => tag === '' || /^en\b/i.test(tag)) && !tags.some((tag) => /^en[-_]/i.test(tag));
  return isEnglish && /^(?:com|org|net|gov|edu|us)$/.test(parseHost(url).publicSuffix ?? '');
}

/** Reads everything that a page says of itself; `today` (YYYY-MM-DD) bounds its dates. */
export function pageFactsOf(statements: Statements, today: string): PageFacts {
  const { page, url, meta, article, things } = statements;
  const siteName = metaText(statements, 'og:site_name', 'application-name', 'al:android:app_name');
  const publisher = namesOf(article?.publisher, things)[0];
  const domain = parseHost(url, { allowPrivateDomains: true });
  const siteNames = [
    siteName,
    publisher,
    domain.domain ?? undefined,
    domain.domainWithoutSuffix ?? undefined,
  ];
  const clues: DateClues = {
    page,
    url,
    meta,
    article,
    things,
    monthFirst: putsMonthFirst(statements),
    latest: today,
  };
  const published = publicationDate(clues);
  return {
    title: titleOf(statements, siteNames) ?? null,
    publisher:
      publisher ??
      siteName ??
      metaText(statements, 'citation_journal_title', 'dc.publisher') ??
      domain.domain,
    author: authorOf(statements) ?? null,
    published_at: published?.value ?? null,
    published_at_source: published?.source ?? null,
    modified_at: modificationDate(clues)?.value ?? null,
    language: languageOf(statements) ?? null,
    canonical_url: canonicalOf(statements) ?? null,
    site_name: siteName ?? null,
    description:
      firstText(metaText(statements, 'og:description', 'description'), article?.description) ?? null,
  };
}

/** Most pictures that are named; later ones are rarely about the story. */
const MOST_PICTURES = 5;

/** A leading picture of the page. */
export interface Picture {
  url: string;
  alt: string | null;
  source: 'og' | 'json_ld' | 'article';
}

/** Absolute addresses of the leading pictures: those the page puts forward, then those within its text. */
export function leadingPictures(
  statements: Statements,
  inText: readonly { address: string; alt: string }[],
): Picture[] {
  const { article, url } = statements;
  const articleImages = [article?.image ?? []].flat().flatMap((image) => urlOfValue(image) ?? []);
  const og = metaText(statements, 'og:image:secure_url', 'og:image', 'og:image:url', 'twitter:image');
  const candidates = [
    ...(og === undefined
      ? []
      : [{ address: og, alt: metaText(statements, 'og:image:alt') ?? '', source: 'og' as const }]),
    ...articleImages.map((address) => ({ address, alt: '', source: 'json_ld' as const })),
    ...inText.map((picture) => ({ ...picture, source: 'article' as const })),
  ];
  const pictures = new Map<string, Picture>();
  for (const { address, alt, source } of candidates) {
    if (parseAddress(address, url) === undefined) continue;
    const absolute = new URL(address, url);
    if (!/^https?:$/.test(absolute.protocol) || pictures.has(absolute.href)) continue;
    pictures.set(absolute.href, { url: absolute.href, alt: alt === '' ? null : alt, source });
  }
  return [...pictures.values()].slice(0, MOST_PICTURES);
}

/** True when the page itself is a fact-check (it carries a ClaimReview). */
export const isFactCheck = ({ things }: Statements) =>
  things.some((thing) => typesOf(thing).includes('ClaimReview'));
