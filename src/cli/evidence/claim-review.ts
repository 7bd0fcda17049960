import { z } from 'zod';
import type { ClaimEntry, EvidenceEntry } from '../../services/web/contract/evidence-index.ts';

/** A value that pages write once or as a list. */
const oneOrMore = <Value extends z.ZodType>(value: Value) => z.union([value, z.array(value)]);
const words = z
  .union([z.string(), z.number()])
  .transform((value) => String(value).trim())
  .refine((text) => text !== '');
const named = z.union([words, z.object({ name: oneOrMore(words).optional() })]);

/** What is read of a ClaimReview (schema.org), in the forms that publishers write. */
const claimReview = z.object({
  '@type': oneOrMore(z.string()),
  claimReviewed: words,
  url: oneOrMore(words).optional(),
  datePublished: words.nullish(),
  author: oneOrMore(named).nullish(),
  publisher: oneOrMore(named).nullish(),
  name: words.nullish(),
  headline: words.nullish(),
  inLanguage: words.nullish(),
  reviewRating: z
    .object({
      alternateName: words.nullish(),
      name: words.nullish(),
      ratingValue: z.coerce.number().nullish().catch(null),
      bestRating: z.coerce.number().nullish().catch(null),
      worstRating: z.coerce.number().nullish().catch(null),
    })
    .nullish(),
});

type ClaimReview = z.output<typeof claimReview>;
type Rating = ClaimEntry['rating'];

const first = <Value>(value: Value | readonly Value[] | null | undefined): Value | undefined =>
  Array.isArray(value) ? (value as readonly Value[])[0] : ((value ?? undefined) as Value | undefined);

/** Words of ratings by what they mean, in English and Romanian; the first that fits counts. */
const RATING_WORDS: readonly (readonly [RegExp, Exclude<Rating, null>])[] = [
  [/\b(half|partly|partially|mostly) (true|false)|mixture|mixed|par[tț]ial|jum[aă]tate/iu, 'mixed'],
  [/unproven|unsupported|no evidence|not enough|nedovedit|neverificat|f[aă]r[aă] dovezi/iu, 'unproven'],
  [
    /mislead|missing context|out of context|[iî]n[sș]el[aă]tor|scos din context|distorted|trunchiat/iu,
    'misleading',
  ],
  [/\b(false|fake|incorrect|wrong|pants on fire|hoax|fals[aă]?|eronat|neadev[aă]rat)\b/iu, 'false'],
  [/\b(true|correct|accurate|adev[aă]rat[aă]?|corect)\b/iu, 'true'],
];

/** What a rating means, by its words and else by its number; null when neither is understood. */
export function ratingOf(rating: ClaimReview['reviewRating']): Rating {
  const text = [rating?.alternateName, rating?.name].filter(Boolean).join(' ');
  const byWords = RATING_WORDS.find(([pattern]) => pattern.test(text))?.[1];
  if (byWords !== undefined) return byWords;
  const { ratingValue: value, bestRating: best, worstRating: worst } = rating ?? {};
  if (value == null || best == null || worst == null || best <= worst) return null;
  if (value <= worst) return 'false';
  return value >= best ? 'true' : 'mixed';
}

const STANCES = { false: 'refutes', misleading: 'refutes', true: 'supports' } as const;

const stanceOf = (rating: Rating): ClaimEntry['reviews'][number]['stance'] =>
  rating !== null && Object.hasOwn(STANCES, rating) ? STANCES[rating as keyof typeof STANCES] : 'context';

function nameOf(value: ClaimReview['author']): string | null {
  const one = first(value);
  const name = typeof one === 'string' ? one : first(one?.name);
  return name?.slice(0, 300) ?? null;
}

/** The part of a date that the index keeps; null for what is no date. */
export function dateOnly(text: string | null | undefined): string | null {
  return /^\d{4}(-\d\d(-\d\d)?)?/.exec(text?.trim() ?? '')?.[0] ?? null;
}

const languageOf = (text: string | null | undefined) =>
  /^[a-z]{2}(?=$|[-_])/i.exec(text ?? '')?.[0].toLowerCase() ?? null;

function fromClaimReview(review: ClaimReview): ClaimEntry | undefined {
  const url = first(review.url);
  if (url === undefined || !URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) return undefined;
  const rating = ratingOf(review.reviewRating);
  const claim = review.claimReviewed.slice(0, 2000);
  const title = (review.headline ?? review.name ?? claim).slice(0, 1000);
  return {
    kind: 'claim',
    key: `${url} ${claim}`.slice(0, 2000),
    claims: [{ text: claim, language: null }],
    rating,
    rating_text: (review.reviewRating?.alternateName ?? review.reviewRating?.name)?.slice(0, 300) ?? null,
    topic: null,
    finding: null,
    reviews: [
      {
        url,
        title,
        publisher: nameOf(review.author) ?? nameOf(review.publisher),
        language: languageOf(review.inLanguage),
        published_at: dateOnly(review.datePublished),
        stance: stanceOf(rating),
        passage: null,
      },
    ],
  };
}

const record = z.record(z.string(), z.unknown());
/** Where other objects lie inside an object: DataFeedItem, graphs, lists of an interface. */
const NESTED = ['item', 'items', '@graph', 'claims', 'dataFeedElement'];
const plainDocument = z.object({
  url: z.url({ protocol: /^https?$/ }).nullish(),
  title: words,
  publisher: words.nullish(),
  language: words.nullish(),
  published_at: words.nullish(),
  text: words,
});

/** What an object of a file is: reviewed claims, and documents with `title` and `text`. */
export function evidenceEntries(value: unknown): EvidenceEntry[] {
  const object = record.safeParse(value).data;
  if (object === undefined) return [];
  const review = claimReview.safeParse(value).data;
  if (review !== undefined && [review['@type']].flat().some((type) => type.endsWith('ClaimReview'))) {
    const entry = fromClaimReview(review);
    return entry === undefined ? [] : [entry];
  }
  const document = plainDocument.safeParse(value).data;
  if (document !== undefined) {
    const { title, text, url, publisher, language, published_at } = document;
    const about = {
      publisher: publisher ?? null,
      language: languageOf(language),
      published_at: dateOnly(published_at),
    };
    return [
      { kind: 'document', key: url ?? title, title: title.slice(0, 1000), url: url ?? null, text, ...about },
    ];
  }
  return NESTED.flatMap((name) => [object[name] ?? []].flat()).flatMap(evidenceEntries);
}
