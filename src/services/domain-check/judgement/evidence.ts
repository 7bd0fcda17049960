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

/** The ratings that speak of the site which has the name today, not of one that had it before. */
export function currentRatings(evidence: Evidence): Rating[] {
  const since = evidence.registration?.registeredAt ?? null;
  // A rating that names only a year is kept for names registered in that year.
  return evidence.published.ratings.filter(
    ({ date }) => since === null || since.slice(0, date.length) <= date,
  );
}
