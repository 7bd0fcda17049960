import { z } from 'zod';
import parking from '../../../../data/domains/parking.json' with { type: 'json' };
import signalRows from '../../../../data/domains/signals.json' with { type: 'json' };
import type { Certificate } from '../live/certificate.ts';
import { nameRules } from '../name/rules.ts';
import { weights } from '../weights.ts';
import { ageDays, currentRatings, type Evidence, linkGraphEstimate } from './evidence.ts';

const signalSchema = z.object({
  code: z.string(),
  kind: z.enum(['red_flag', 'warning']),
  points: z.number().max(0),
  reason: z.string(),
  text_en: z.string(),
  text_ro: z.string(),
});

/** Something about a site that a reader should know. */
export type Signal = z.infer<typeof signalSchema>;

/** Every signal with its text, its points and their reason (data/domains/signals.json). */
export const signals: readonly Signal[] = z.array(signalSchema).parse(signalRows);

const LOW_RATING = weights.ratings.points.mbfc?.low ?? 0;
const PARKING_SERVERS = new Set(parking.name_servers);

/** The signals that hold, in the order of the table; pure. */
export function findSignals(evidence: Evidence): Signal[] {
  const codes = new Set([
    ...publishedCodes(evidence),
    ...nameCodes(evidence),
    ...registrationCodes(evidence),
    ...recordCodes(evidence),
    ...certificateCodes(evidence),
  ]);
  return signals.filter((signal) => codes.has(signal.code));
}

function chosen(cases: Record<string, boolean>): string[] {
  return Object.entries(cases).flatMap(([code, holds]) => (holds ? [code] : []));
}

function publishedCodes(evidence: Evidence): string[] {
  const { published } = evidence;
  const current = currentRatings(evidence);
  const estimate = linkGraphEstimate(evidence);
  const points = current.flatMap((rating) => rating.points ?? []);
  return chosen({
    official_block: published.listings.some((listing) => listing.official),
    listed_offender: published.listings.some((listing) => listing.counted && !listing.official),
    contested_listing: !published.satire && published.listings.some((listing) => !listing.counted),
    weak_listing: published.weakListing,
    rated_unreliable: points.some((value) => value <= LOW_RATING),
    rated_mixed: points.some((value) => value <= 0 && value > LOW_RATING),
    ratings_disagree: points.some((value) => value > 0) && points.some((value) => value < 0),
    registered_after_rating:
      current.length === 0 &&
      (published.ratings.length > 0 || (published.estimate !== null && estimate === null)),
    estimated_unreliable: estimate !== null && estimate < -0.5,
    satire_site: published.satire,
    url_shortener: published.shortener,
    user_generated_platform: published.platform,
  });
}

function nameCodes(evidence: Evidence): string[] {
  const { name, site, published } = evidence;
  // A site with a good rating is not reported as an imitation.
  const praised =
    currentRatings(evidence).some((rating) => (rating.points ?? 0) > 0) || published.factChecker;
  const imitation = praised ? undefined : name.imitation?.kind;
  return chosen({
    lookalike_letters: imitation === 'confusable',
    lookalike_suffix: imitation === 'suffix',
    brand_with_extra_word: imitation === 'extra_word',
    near_well_known_name: imitation === 'typo',
    mixed_scripts: name.mixedScripts,
    international_name: name.international,
    cheap_suffix: name.cheapSuffix,
    many_hyphens: name.hyphens >= nameRules.limits.many_hyphens,
    long_digit_run: name.longestDigitRun >= nameRules.limits.long_digit_run,
    long_name: name.length >= nameRules.limits.long_label,
    unlisted_suffix: site.suffixKind === 'unlisted',
    hosted_name: site.suffixKind === 'private',
  });
}

function registrationCodes(evidence: Evidence): string[] {
  const { registration } = evidence;
  if (registration === undefined) return [];
  const age = ageDays(evidence);
  const { very_young_days, young_days, recent_days } = weights.age;
  const status = (pattern: RegExp) => registration.status.some((text) => pattern.test(text));
  const ended =
    registration.expiresAt !== null && Date.parse(registration.expiresAt) < evidence.now.getTime();
  return chosen({
    domain_not_found: !registration.found,
    very_young_domain: age !== null && age < very_young_days,
    young_domain: age !== null && age >= very_young_days && age < young_days,
    recent_domain: age !== null && age >= young_days && age < recent_days,
    // RFC 8056 writes the statuses of registries in words ("client hold"); some servers keep the older clientHold.
    registry_hold: status(/^(client|server) ?hold$/),
    registration_ending: ended || status(/^(pending ?delete|redemption ?period|pending ?restore)$/),
  });
}

function recordCodes({ records }: Evidence): string[] {
  if (records === undefined) return [];
  const parked = records.nameServers?.some((server) =>
    PARKING_SERVERS.has(server.split('.').slice(-2).join('.')),
  );
  return chosen({
    domain_not_found: !records.found,
    parked_domain: parked === true,
    no_mail_setup:
      records.found && records.mail === 'none' && records.spf === false && records.dmarc === 'absent',
  });
}

const PROBLEM_CODES: Record<NonNullable<Certificate['problem']>, string> = {
  expired: 'certificate_expired',
  wrong_name: 'certificate_wrong_name',
  untrusted: 'certificate_untrusted',
};

function certificateCodes({ certificate, certificateReason }: Evidence): string[] {
  if (certificate === undefined) return chosen({ private_address: certificateReason === 'private_address' });
  if (!certificate.encrypted) return ['no_https'];
  return certificate.problem === null ? [] : [PROBLEM_CODES[certificate.problem]];
}
