import { roundTo } from '../../../foundation/numbers.ts';
import type { Rating } from '../lists/statements.ts';
import { weights } from '../weights.ts';
import { ageDays, currentRatings, type Evidence, isRegistered, linkGraphEstimate } from './evidence.ts';
import type { Signal } from './signals.ts';

/** One number that went into the score. */
export interface Contribution {
  feature: string;
  value: string | number | boolean;
  /** Added to the logit of trust_score. */
  points: number;
}

/** The best kind of evidence behind a score, from the strongest down. */
export type Basis = 'listed' | 'rated' | 'estimated' | 'observed' | 'name';

/** The score of a site and all that made it. */
export interface Trust {
  /** 0 to 100, one decimal. */
  score: number;
  /** Range that holds the score with nine chances in ten, by the convention of the weights file. */
  interval: { low: number; high: number };
  basis: Basis;
  contributions: Contribution[];
}

/** 100 / (1 + exp(-points)), to one decimal. */
export function trustScore(points: number): number {
  return Math.round(1000 / (1 + Math.exp(-points))) / 10;
}

/** Judges a site: trust_score is scoreOf the sum of all points; pure. */
export function computeTrust(evidence: Evidence, signals: readonly Signal[]): Trust {
  const basis = basisOf(evidence, signals);
  const parts = [
    ...(evidence.published.satire ? [] : publishedParts(evidence)),
    ...nameParts(evidence, basis, signals),
    ...ageParts(evidence),
    ...signals.map(({ code, points }) => ({ feature: `signal:${code}`, value: true, points })),
  ];
  const contributions = evidence.published.satire ? withFloor(parts) : parts;
  const points = sum(contributions);
  const half = halfWidth(evidence, basis);
  return {
    score: trustScore(points),
    interval: { low: trustScore(points - half), high: trustScore(points + half) },
    basis,
    contributions: contributions.filter((part) => part.points !== 0),
  };
}

/** Suffixes below which enough names were rated to measure what a name is worth. */
const MEASURED_SUFFIXES: ReadonlySet<string> = new Set(weights.name.measured_suffixes);

/** Whether the odds of the name were measured on sites like this one. */
export function isMeasuredName({ site, nameLogOdds, name, published }: Evidence): boolean {
  if (nameLogOdds === undefined || name.international || published.platform || site.suffixKind !== 'icann')
    return false;
  return MEASURED_SUFFIXES.has(site.suffix.slice(site.suffix.lastIndexOf('.') + 1));
}

/** Half of the range of a score, in points. */
function halfWidth(evidence: Evidence, basis: Basis): number {
  const widths = weights.interval.half_width;
  const isMeasured = (basis === 'name' || basis === 'observed') && isMeasuredName(evidence);
  return isMeasured ? widths.measured_name : widths[basis];
}

const sum = (parts: readonly Contribution[]) => parts.reduce((total, part) => total + part.points, 0);

/** Points to four decimals: a reader who adds them up gets our sum. */
const rounded = (points: number) => roundTo(points, 4);

function withFloor(parts: readonly Contribution[]): Contribution[] {
  const { lowest } = weights.satire;
  const missing = Math.log(lowest / (100 - lowest)) - sum(parts);
  return missing > 0
    ? [...parts, { feature: 'satire_floor', value: lowest, points: rounded(missing + 1e-4) }]
    : [...parts];
}

type PointedRating = Rating & { points: number };

/** Current ratings that have points: satire, for one, has none. */
function pointedRatings(evidence: Evidence): PointedRating[] {
  return currentRatings(evidence).flatMap((rating) =>
    rating.points === null ? [] : [{ ...rating, points: rating.points }],
  );
}

function basisOf(evidence: Evidence, signals: readonly Signal[]): Basis {
  const { published, name } = evidence;
  if (published.satire || pointedRatings(evidence).length > 0 || published.factChecker)
    return listedOr('rated');
  if (linkGraphEstimate(evidence) !== null || name.restrictedSuffix) return listedOr('estimated');
  const hasLiveFacts = [evidence.registration, evidence.records, evidence.certificate].some(
    (facts) => facts !== undefined,
  );
  return listedOr(hasLiveFacts || signals.some((signal) => signal.kind === 'red_flag') ? 'observed' : 'name');

  function listedOr(other: Basis): Basis {
    return !published.satire && published.listings.some((listing) => listing.counted) ? 'listed' : other;
  }
}

function publishedParts(evidence: Evidence): Contribution[] {
  const { published } = evidence;
  const ratings = pointedRatings(evidence);
  const reviewed = ratings.length > 0 || published.factChecker;
  const parts = [...listParts(evidence), ...ratingParts(evidence, ratings)];
  if (published.factChecker) {
    parts.push({ feature: 'fact_checker', value: true, points: weights.fact_checker.points });
  }
  // Where names were measured the register is weighed with the name.
  if (isRegistered(evidence) && !reviewed && !isMeasuredName(evidence) && listParts(evidence).length === 0) {
    parts.push({ feature: 'register', value: true, points: weights.register.points });
  }
  // The estimate counts only when no person has rated the site.
  const estimate = linkGraphEstimate(evidence);
  if (estimate !== null && !reviewed) {
    const points = rounded(weights.estimate.slope * estimate);
    parts.push({ feature: 'estimate:idiap-graph', value: estimate, points });
  }
  return parts;
}

function listParts({ published }: Evidence): Contribution[] {
  const { offender_points, official_points, further_points, further_limit } = weights.lists;
  const counted = published.listings
    .filter((listing) => listing.counted)
    .sort((a, b) => Number(b.official) - Number(a.official));
  return counted.slice(0, 1 + further_limit).map((listing, position) => ({
    feature: `list:${listing.code}`,
    value: listing.category,
    points: position > 0 ? further_points : listing.official ? official_points : offender_points,
  }));
}

function ratingParts(evidence: Evidence, ratings: readonly PointedRating[]): Contribution[] {
  const weightOf = (rating: Rating) => weights.ratings.weights[rating.code] ?? 1;
  const whole = ratings.reduce((total, rating) => total + weightOf(rating), 0);
  const listed = evidence.published.listings.some((listing) => listing.counted);
  return ratings.map((rating) => {
    const points = rounded((weightOf(rating) * rating.points) / whole);
    // A high rating adds no points while an entry of a list counts.
    return {
      feature: `rating:${rating.code}`,
      value: rating.rating,
      points: listed ? Math.min(0, points) : points,
    };
  });
}

function nameParts(evidence: Evidence, basis: Basis, signals: readonly Signal[]): Contribution[] {
  const { name, nameLogOdds, published } = evidence;
  const parts: Contribution[] = [];
  const reviewed = basis === 'rated' || basis === 'listed';
  if (name.restrictedSuffix && !reviewed) {
    parts.push({ feature: 'restricted_suffix', value: true, points: weights.restricted_suffix.points });
  }
  if (name.wellKnown && !reviewed && !published.platform) {
    parts.push({ feature: 'well_known_name', value: true, points: weights.well_known.points });
  }
  if (nameLogOdds !== undefined && !reviewed && !published.platform && !name.international) {
    parts.push(...oddsParts(evidence, nameLogOdds, signals));
  }
  return parts;
}

/**
 * The odds of the name and, where they were measured together, of the neutral registers that have the site: bounded as
 * one sum, each part with what it adds to the parts before it.
 */
function oddsParts(evidence: Evidence, logOdds: number, signals: readonly Signal[]): Contribution[] {
  const isMeasured = isMeasuredName(evidence);
  // The name of an imitation looks reliable on purpose, so its points are limited.
  const isFlagged = signals.some(({ kind }) => kind === 'red_flag');
  const limit = isFlagged ? weights.name.elsewhere.highest : Number.POSITIVE_INFINITY;
  const registers = isMeasured ? registersOf(evidence) : [];
  const steps = [{ feature: 'name_model', value: rounded(logOdds), odds: logOdds }, ...registers];
  const parts: Contribution[] = [];
  let [odds, before] = [0, 0];
  for (const step of steps) {
    odds += step.odds;
    const reached = Math.min(namePoints(odds, isMeasured), limit);
    parts.push({ feature: step.feature, value: step.value, points: rounded(reached - before) });
    before = reached;
  }
  return parts;
}

/** The neutral registers that have the site, with their fitted log-odds. */
function registersOf(evidence: Evidence) {
  const { crawl, wikidata } = weights.name.registers;
  const estimate = linkGraphEstimate(evidence);
  return [
    // The crawl holds known offenders as well: it counts only when the link graph does not speak against the site.
    { feature: 'register:news_crawl', value: true, odds: crawl, holds: estimate !== null && estimate >= 0 },
    { feature: 'register:wikidata', value: true, odds: wikidata, holds: isRegistered(evidence) },
  ].filter(({ holds }) => holds);
}

/** Points of log-odds of names and registers: slope times log-odds, bounded by tanh, which keeps their order. */
export function namePoints(logOdds: number, isMeasured: boolean): number {
  const { slope, lowest, highest } = isMeasured ? weights.name : weights.name.elsewhere;
  const bound = logOdds < 0 ? -lowest : highest;
  return rounded(bound * Math.tanh((slope * logOdds) / bound));
}

function ageParts(evidence: Evidence): Contribution[] {
  const age = ageDays(evidence);
  // On a platform the age is the platform's, not the site's.
  if (age === null || evidence.published.platform) return [];
  const band = weights.age.bands.findLast((candidate) => candidate.from_days <= age);
  return [{ feature: 'age_days', value: age, points: band?.points ?? 0 }];
}
