import type { PublishedStatements, Rating } from '../lists/statements.ts';
import type { Certificate } from '../live/certificate.ts';
import type { NameRecords } from '../live/names.ts';
import type { Registration } from '../live/registration.ts';
import type { NameFacts } from '../name/facts.ts';
import type { Site } from '../site.ts';

/** All that is known of a site when it is judged; undefined where a check has no answer. */
export interface Evidence {
  site: Site;
  published: PublishedStatements;
  name: NameFacts;
  /** Log-odds of the name model; undefined when it is switched off. */
  nameLogOdds: number | undefined;
  registration: Registration | undefined;
  records: NameRecords | undefined;
  certificate: Certificate | undefined;
  /** Why the certificate could not be asked for; null when it was. */
  certificateReason: string | null;
  /** The moment of judgement. */
  now: Date;
}

const DAY_MS = 86_400_000;

/** Whole days since registration, 0 or more; null when the registry does not say. */
export function ageDays(evidence: Evidence): number | null {
  const since = evidence.registration?.registeredAt ?? null;
  if (since === null) return null;
  return Math.max(0, Math.floor((evidence.now.getTime() - Date.parse(since)) / DAY_MS));
}

/** Whether a statement of that date speaks of the site which has the name today, not of one that had it before. */
function isCurrent(date: string, { registration }: Evidence): boolean {
  const since = registration?.registeredAt ?? null;
  // A statement that names only a year is kept for names registered in that year.
  return since === null || since.slice(0, date.length) <= date;
}

/** The ratings that speak of the site which has the name today. */
export function currentRatings(evidence: Evidence): Rating[] {
  return evidence.published.ratings.filter(({ date }) => isCurrent(date, evidence));
}

/** The estimate from the link graph, -1 to 1; null without one, or where the name was registered after it was made. */
export function linkGraphEstimate(evidence: Evidence): number | null {
  const { estimate, estimateDate } = evidence.published;
  return estimateDate === null || isCurrent(estimateDate, evidence) ? estimate : null;
}

/** Whether a register of news sites has the site, and had it before the name was registered anew. */
export function isRegistered(evidence: Evidence): boolean {
  const { registered, registerDate } = evidence.published;
  return registered && (registerDate === null || isCurrent(registerDate, evidence));
}
