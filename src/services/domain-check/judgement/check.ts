import type { DomainRecord } from '../contract.ts';
import type { PublishedLists } from '../lists/published-lists.ts';
import type { Listing, PublishedStatements, Rating } from '../lists/statements.ts';
import { readStatements } from '../lists/statements.ts';
import { type LiveEvidence, missingLiveEvidence } from '../live/live.ts';
import type { LiveCheck } from '../live/live-check.ts';
import { nameFacts } from '../name/facts.ts';
import type { NameModel } from '../name/model.ts';
import type { WellKnownNames } from '../name/well-known.ts';
import type { NoSite, Site } from '../site.ts';
import { weights } from '../weights.ts';
import { ageDays, type Evidence } from './evidence.ts';
import { findSignals, type Signal } from './signals.ts';
import { computeTrust } from './trust.ts';
import { errorRateOf, riskLevelOf, verdictOf } from './verdict.ts';

/** Name and version of the judgement as a whole: rules, weights and name model together. */
export const engine = { model: 'limpede-domain-1', version: '2.0.0' } as const;

/** Confidence in a registration date: the registry gives it, but the name may have been dropped and registered again. */
const REGISTRY_AGE_CONFIDENCE = 0.95;

/** Lists and models that need no network. */
export interface OfflineKnowledge {
  lists: PublishedLists;
  wellKnown: WellKnownNames;
  /** Undefined when it is switched off. */
  nameModel: NameModel | undefined;
}

type Check = DomainRecord['checks'][number];

/** Judges a site by offline knowledge and live evidence; `started` is a reading of performance.now(). */
export function assess(
  site: Site,
  offline: OfflineKnowledge,
  live: LiveEvidence,
  started: number,
): DomainRecord {
  const listsStarted = performance.now();
  const published = readStatements(offline.lists.lookUp(site));
  const nameStarted = performance.now();
  const evidence: Evidence = {
    site,
    published,
    name: nameFacts(site, offline.wellKnown),
    nameLogOdds: offline.nameModel?.logOdds(site),
    registration: live.registration.facts,
    records: live.names.facts,
    certificate: live.certificate.facts,
    certificateReason: live.certificate.reason,
    now: new Date(),
  };
  const checks = [
    listsCheck(offline.lists, nameStarted - listsStarted),
    answered('name', performance.now() - nameStarted),
    liveCheck('registration', live.registration),
    liveCheck('dns', live.names),
    liveCheck('certificate', live.certificate),
  ];
  return {
    ...identityOf(site),
    ...judgement(evidence),
    ...publishedFields(published, offline.lists),
    ...liveFields(evidence, live),
    checks,
    checks_answered: answeredShare(checks),
    weights_version: weights.version,
    duration_ms: Math.round(performance.now() - started),
    engine,
  };
}

/** The record of a host that cannot be registered: no score, and the reason. */
export function assessNoSite(none: NoSite, started: number): DomainRecord {
  const checks = (['lists', 'name', 'registration', 'dns', 'certificate'] as const).map(
    (name): Check => ({ name, state: 'skipped', reason: none.reason, duration_ms: 0 }),
  );
  return {
    host: none.host,
    domain: none.host,
    domain_unicode: none.host,
    suffix: null,
    no_registrable_name: none.reason,
    trust_score: null,
    trust_interval: null,
    basis: null,
    verdict: 'unknown',
    verdict_error_rate: null,
    risk_level: 'unknown',
    is_blacklisted: null,
    blacklists: [],
    ratings: [],
    is_satire: false,
    red_flags: [],
    warnings: [],
    contributions: [],
    ...NO_LIVE_FIELDS,
    checks,
    checks_answered: 0,
    weights_version: weights.version,
    duration_ms: Math.round(performance.now() - started),
    engine,
  };
}

const NO_LIVE_FIELDS = {
  age_days: null,
  age_source: null,
  age_confidence: null,
  has_ssl: null,
  ssl_valid: null,
  registration: null,
  dns: null,
  certificate: null,
  live_checked_at: null,
};

function identityOf(site: Site) {
  return {
    host: site.host,
    domain: site.domain,
    domain_unicode: site.domainUnicode,
    suffix: site.suffix,
    no_registrable_name: null,
  };
}

function judgement(evidence: Evidence) {
  const signals = findSignals(evidence);
  const trust = computeTrust(evidence, signals);
  const verdict = verdictOf(evidence, trust, signals);
  const ofKind = (kind: Signal['kind']) =>
    signals
      .filter((signal) => signal.kind === kind)
      .map(({ code, text_en, text_ro }) => ({ code, text_en, text_ro }));
  return {
    trust_score: trust.score,
    trust_interval: trust.interval,
    basis: trust.basis,
    verdict,
    verdict_error_rate: errorRateOf(evidence, verdict, trust),
    risk_level: riskLevelOf(verdict, trust.score),
    is_satire: evidence.published.satire,
    red_flags: ofKind('red_flag'),
    warnings: ofKind('warning'),
    contributions: trust.contributions,
  };
}

function publishedFields(published: PublishedStatements, lists: PublishedLists) {
  const listsOn = lists.sources.some((source) => source.kind === 'list');
  return {
    is_blacklisted: listsOn ? published.listings.some((listing) => listing.counted) : null,
    blacklists: published.listings.map(listingField),
    ratings: published.ratings.map(ratingField),
  };
}

function listingField(listing: Listing): DomainRecord['blacklists'][number] {
  const { list, code, category, date, reference, counted } = listing;
  return {
    list,
    code,
    category,
    listed_name: listing.listedName,
    date,
    date_kind: listing.dateKind,
    reference,
    counted,
  };
}

function ratingField({ listedName, points: _, ...rating }: Rating): DomainRecord['ratings'][number] {
  return { ...rating, listed_name: listedName };
}

function liveFields(evidence: Evidence, live: LiveEvidence) {
  const { registration, records, certificate } = evidence;
  const age = ageDays(evidence);
  return {
    age_days: age,
    age_source: age === null ? null : ('registry' as const),
    age_confidence: age === null ? null : REGISTRY_AGE_CONFIDENCE,
    has_ssl: certificate?.encrypted ?? null,
    ssl_valid: certificate?.valid ?? null,
    registration: registration === undefined ? null : registrationField(registration),
    dns: records === undefined ? null : dnsField(records),
    certificate: certificate?.encrypted === true ? certificateField(certificate) : null,
    live_checked_at: live.checkedAt,
  };
}

function registrationField(registration: NonNullable<Evidence['registration']>) {
  return {
    found: registration.found,
    record: registration.record,
    registered_at: registration.registeredAt,
    changed_at: registration.changedAt,
    expires_at: registration.expiresAt,
    registrar: registration.registrar,
    status: registration.status,
    delegation_signed: registration.delegationSigned,
  };
}

function dnsField({ nameServers, ...records }: NonNullable<Evidence['records']>) {
  return { ...records, name_servers: nameServers };
}

function certificateField(certificate: NonNullable<Evidence['certificate']>) {
  const { problem, issuer, names, protocol, fingerprint256 } = certificate;
  return {
    problem,
    valid_from: certificate.validFrom,
    valid_to: certificate.validTo,
    issuer,
    names,
    protocol,
    fingerprint256,
  };
}

function answered(name: Check['name'], durationMs: number): Check {
  return { name, state: 'answered', reason: null, duration_ms: Math.round(durationMs) };
}

function listsCheck(lists: PublishedLists, durationMs: number): Check {
  if (lists.sources.length > 0) return answered('lists', durationMs);
  return { name: 'lists', state: 'off', reason: 'switched_off', duration_ms: 0 };
}

function liveCheck(name: Check['name'], checked: LiveCheck<unknown>): Check {
  return { name, state: checked.state, reason: checked.reason, duration_ms: checked.durationMs };
}

/** Share of answered checks among those that were tried; checks that are off or skipped do not count. */
export function answeredShare(checks: readonly Pick<Check, 'state'>[]): number {
  const tried = checks.filter(({ state }) => state === 'answered' || state === 'failed');
  if (tried.length === 0) return 0;
  return Math.round((100 * tried.filter(({ state }) => state === 'answered').length) / tried.length) / 100;
}

/** Runs the live checks if the settings and the request allow them. */
export async function gatherLive(
  site: Site,
  wanted: boolean,
  live: { check(site: Site): Promise<LiveEvidence> } | undefined,
): Promise<LiveEvidence> {
  if (live === undefined) return missingLiveEvidence('switched_off');
  return wanted ? live.check(site) : missingLiveEvidence('not_requested');
}
