import { weights } from '../weights.ts';
import type { Hit } from './published-lists.ts';

/** One entry of a list of offenders. */
export interface Listing {
  list: string;
  code: string;
  category: string;
  /** The listed name: the host asked for, or a parent of it. */
  listedName: string;
  date: string;
  /** Whether `date` is that of the list's edition or the day when an undated list was fetched. */
  dateKind: 'edition' | 'retrieved';
  reference: string | null;
  official: boolean;
  /** False when a current high rating or a satire label speaks against the entry. */
  counted: boolean;
}

/** One opinion of a named rater. */
export interface Rating {
  rater: string;
  code: string;
  rating: string;
  detail: string | null;
  date: string;
  reference: string | null;
  listedName: string;
  /** Points of this rating before the mean over raters is taken; null when the rating has none. */
  points: number | null;
}

/** All that the published sources say about a site. */
export interface PublishedStatements {
  listings: Listing[];
  ratings: Rating[];
  /** Estimate from the hyperlink graph, -1 to 1; its sites are those that the news crawl of Common Crawl collected. */
  estimate: number | null;
  /** When the estimate and the register were made; null without an entry. */
  estimateDate: string | null;
  registerDate: string | null;
  satire: boolean;
  weakListing: boolean;
  factChecker: boolean;
  registered: boolean;
  platform: boolean;
  shortener: boolean;
}

/** Points from which a rating speaks against an entry of an older list. */
const HIGH_RATING = weights.ratings.points.mbfc?.['mostly-factual'] ?? 0;

/** Turns the rows of the sources into statements; pure. */
export function readStatements(all: readonly Hit[]): PublishedStatements {
  const host = all.find((hit) => hit.source.kind === 'platform');
  // Statements on a whole platform do not count for a site on it; statements on the site itself do.
  const hits = host === undefined ? all : all.filter((hit) => hit.listedName.length > host.listedName.length);
  const ratings = hits.filter((hit) => hit.source.kind === 'rating').map(readRating);
  const lists = hits.filter((hit) => hit.source.kind === 'list');
  const satire =
    ratings.some((rating) => rating.rating === 'satire') ||
    lists.some((hit) => treatmentOf(hit) === 'satire' && !ratings.some((rating) => rating.points !== null));
  const praised = ratings.some((rating) => (rating.points ?? 0) >= HIGH_RATING);
  const offences = lists.filter((hit) => ['offender', 'official'].includes(treatmentOf(hit)));
  const estimate = hits.find((hit) => hit.source.kind === 'estimate');
  const register = hits.find((hit) => hit.source.kind === 'register');
  return {
    listings: offences.map((hit) => readListing(hit, satire || praised)),
    ratings,
    estimate: estimate === undefined ? null : Number(estimate.cells[0]),
    estimateDate: estimate?.source.date ?? null,
    registerDate: register?.source.date ?? null,
    satire,
    weakListing: lists.some((hit) => treatmentOf(hit) === 'weak') && !satire,
    factChecker: lists.some((hit) => treatmentOf(hit) === 'fact_checker'),
    registered: register !== undefined,
    platform: host !== undefined,
    shortener: all.some((hit) => hit.source.kind === 'shortener'),
  };
}

/** What the first category of a row counts as; an unknown category counts as none. */
function treatmentOf(hit: Hit) {
  return weights.lists.categories[hit.source.code]?.[hit.cells[0] ?? ''] ?? 'none';
}

function readListing(hit: Hit, contradicted: boolean): Listing {
  const [category = '', date = '', reference = ''] = hit.cells;
  const official = treatmentOf(hit) === 'official';
  return {
    list: hit.source.name,
    code: hit.source.code,
    category: category === '' ? (weights.lists.category_names[hit.source.code] ?? 'listed') : category,
    listedName: hit.listedName,
    // Only official lists have a date and a reference on each row.
    date: official && date !== '' ? date : hit.source.date,
    dateKind: hit.source.date_kind,
    reference: official && reference !== '' ? reference : hit.source.reference,
    official,
    counted: official || !contradicted,
  };
}

function readRating(hit: Hit): Rating {
  const [rating = '', credibility = ''] = hit.cells;
  const table = weights.ratings.points[hit.source.code] ?? {};
  const points = table[`${rating}/${credibility}`] ?? table[rating];
  return {
    rater: hit.source.name,
    code: hit.source.code,
    rating,
    detail: credibility === '' ? null : credibility,
    date: hit.source.date,
    reference: hit.source.reference,
    listedName: hit.listedName,
    points: points ?? null,
  };
}
