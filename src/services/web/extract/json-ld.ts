import { parseAddress } from '../../../foundation/http/web-address.ts';
import { CDATA_MARK } from './page.ts';

/** One object of a page's structured data. */
export type JsonLdObject = Readonly<Record<string, unknown>>;

/** Objects that are looked at; real pages carry a few dozen. */
const MOST_THINGS = 2_000;
const DEEPEST = 12;

const ARTICLE_TYPE =
  /^(?:(?:News|Blog|Analysis|AskPublicNews|BackgroundNews|Opinion(?:News)?|Reportage(?:News)?|Review(?:News)?|Satirical|AdvertiserContent|Scholarly|MedicalScholarly|Tech)?Article|BlogPosting|LiveBlogPosting|Report|SocialMediaPosting|DiscussionForumPosting)$/;

const isThing = (value: unknown): value is JsonLdObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The types of a thing, without the vocabulary's address. */
export function typesOf(thing: JsonLdObject): string[] {
  const types = [thing['@type'] ?? []].flat();
  return types.filter((type) => typeof type === 'string').map((type) => type.replace(/^.*[/#:]/, ''));
}

/** Parses what sites write, comments, CDATA and raw line breaks included. */
function parseLoosely(source: string): unknown {
  const bare = source
    .replace(CDATA_MARK, '<![CDATA[')
    .replace(/^\s*(?:<!--|\/\*\s*<!\[CDATA\[\s*\*\/|\/\/\s*<!\[CDATA\[|<!\[CDATA\[)/, '');
  const json = bare.replace(/(?:-->|\/\*\s*\]\]>\s*\*\/|\/\/\s*\]\]>|\]\]>)\s*;?\s*$/, '');
  for (const attempt of [json, json.replace(/\p{Cc}+/gu, ' ')]) {
    try {
      return JSON.parse(attempt);
    } catch {
      // Tried once more without control characters.
    }
  }
  return undefined;
}

function collect(value: unknown, things: JsonLdObject[], depth: number): void {
  if (depth > DEEPEST || things.length >= MOST_THINGS) return;
  if (Array.isArray(value)) {
    for (const each of value) collect(each, things, depth + 1);
  } else if (isThing(value)) {
    things.push(value);
    for (const each of Object.values(value)) if (typeof each === 'object') collect(each, things, depth + 1);
  }
}

/** Every object of JSON-LD sources, nested ones and graphs included, in document order. */
export function readJsonLd(sources: readonly string[]): JsonLdObject[] {
  const things: JsonLdObject[] = [];
  for (const source of sources) collect(parseLoosely(source), things, 0);
  return things;
}

/** The object that describes the page's article: the one that names this address, else the first with a headline. */
export function findArticle(things: readonly JsonLdObject[], address: string): JsonLdObject | undefined {
  const articles = things.filter((thing) => typesOf(thing).some((type) => ARTICLE_TYPE.test(type)));
  const path = pathOf(address);
  const own = articles.find((thing) =>
    [thing.url, thing['@id'], urlOfValue(thing.mainEntityOfPage)].some(
      (each) => typeof each === 'string' && path !== undefined && path !== '/' && pathOf(each) === path,
    ),
  );
  return own ?? articles.find((thing) => typeof thing.headline === 'string') ?? articles[0];
}

function pathOf(address: string): string | undefined {
  return parseAddress(address)?.pathname.replace(/\/+$/, '/');
}

/** The address in a value that may be a string or an object with an id or url. */
export function urlOfValue(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  if (!isThing(value)) return undefined;
  return [value.url, value.contentUrl, value['@id']].find((each) => typeof each === 'string');
}

/** Names in a value that may be a string, an object, a reference into the graph, or a list of these. */
export function namesOf(value: unknown, things: readonly JsonLdObject[]): string[] {
  return [value ?? []].flat(2).flatMap((each) => {
    if (typeof each === 'string') return [each];
    if (!isThing(each)) return [];
    const full =
      each.name === undefined ? things.find((thing) => thing !== each && thing['@id'] === each['@id']) : each;
    return [full?.name ?? []].flat().filter((name) => typeof name === 'string');
  });
}

/** Names in a text that may be raw JSON, as some content systems write it where a name belongs; none when it cannot be read. */
export function namesInText(text: string): string[] {
  if (!/^\s*[[{]/.test(text)) return [text];
  try {
    return namesOf(JSON.parse(text), []).filter((name) => !/^\s*[[{]/.test(name));
  } catch {
    return [];
  }
}

/** What a fact-check on the page says of one claim. */
export interface ClaimReview {
  claim: string;
  claimant: string | null;
  /** As the reviewer words it. */
  rating: string | null;
  reviewer: string | null;
  url: string | null;
  published_at: string | null;
}

/** Fact-checks that are read; round-ups hold a dozen. */
const MOST_REVIEWS = 50;

const textOf = (value: unknown): string | null => firstText(value) ?? null;

function ratingOf(rating: unknown): string | null {
  if (!isThing(rating)) return textOf(rating);
  const { alternateName, name, ratingValue } = rating;
  const value = typeof ratingValue === 'number' ? String(ratingValue) : ratingValue;
  return textOf([alternateName, name, value]);
}

/** The fact-checks of the page (schema.org ClaimReview). */
export function claimReviews(things: readonly JsonLdObject[]): ClaimReview[] {
  const reviews = things.filter((thing) => typesOf(thing).includes('ClaimReview')).slice(0, MOST_REVIEWS);
  return reviews.flatMap((review) => {
    const item = isThing(review.itemReviewed) ? review.itemReviewed : {};
    const claim = firstText(review.claimReviewed, item.name);
    if (claim === undefined) return [];
    return [
      {
        claim,
        claimant: namesOf(item.author ?? item.creator, things)[0] ?? null,
        rating: ratingOf(review.reviewRating),
        reviewer: namesOf(review.author ?? review.publisher, things)[0] ?? null,
        url: urlOfValue(review.url) ?? null,
        published_at: textOf(review.datePublished),
      },
    ];
  });
}

/** The first text among values. */
export const firstText = (...values: unknown[]): string | undefined =>
  values.flat().find((value): value is string => typeof value === 'string' && value.trim() !== '');

/** The longest text that the page's data state as that of an article or a post; empty without one. */
export function longestText(things: readonly JsonLdObject[]): string {
  const texts = things.flatMap(({ articleBody, text }) =>
    [articleBody, text].filter((each) => typeof each === 'string'),
  );
  const longest = texts.reduce((best, each) => (each.length > best.length ? each : best), '');
  const plain = longest.replace(/<\/?[a-z][^<>]{0,500}>/gi, '\n').replace(/\r/g, '\n');
  return plain
    .replace(/[^\S\n]+/g, ' ')
    .replace(/ ?\n\s*/g, '\n')
    .trim();
}

/** Units of stated text that lines are compared with. */
const MOST_STATED = 100_000;

/** Names, descriptions and texts of all things, in the order of the page. */
export function jsonLdTexts(things: readonly JsonLdObject[]): string {
  const texts = things.flatMap(({ headline, name, description, articleBody, text, reviewBody }) =>
    [headline, name, description, articleBody, text, reviewBody].filter((each) => typeof each === 'string'),
  );
  return texts.join(' \n ').slice(0, MOST_STATED);
}
