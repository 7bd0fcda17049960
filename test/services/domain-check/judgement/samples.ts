import type { Evidence } from '../../../../src/services/domain-check/judgement/evidence.ts';
import { findSignals } from '../../../../src/services/domain-check/judgement/signals.ts';
import { computeTrust } from '../../../../src/services/domain-check/judgement/trust.ts';
import {
  errorRateOf,
  riskLevelOf,
  verdictOf,
} from '../../../../src/services/domain-check/judgement/verdict.ts';
import type { PublishedStatements, Rating } from '../../../../src/services/domain-check/lists/statements.ts';
import type { Certificate } from '../../../../src/services/domain-check/live/certificate.ts';
import type { NameRecords } from '../../../../src/services/domain-check/live/names.ts';
import type { Registration } from '../../../../src/services/domain-check/live/registration.ts';
import type { NameFacts } from '../../../../src/services/domain-check/name/facts.ts';
import { readSite } from '../../../../src/services/domain-check/site.ts';
import { weights } from '../../../../src/services/domain-check/weights.ts';

/** The moment of judgement in these samples. */
export const now = new Date('2026-11-20T12:00:00Z');

/** A site of which nothing was published. */
export const published: PublishedStatements = {
  listings: [],
  ratings: [],
  estimate: null,
  estimateDate: null,
  registerDate: null,
  satire: false,
  weakListing: false,
  factChecker: false,
  registered: false,
  platform: false,
  shortener: false,
};
/** A plain name. */
export const name: NameFacts = {
  wellKnown: false,
  imitation: undefined,
  mixedScripts: false,
  international: false,
  hyphens: 0,
  longestDigitRun: 0,
  length: 8,
  cheapSuffix: false,
  restrictedSuffix: false,
};
/** A registration without fault. */
export const registration: Registration = {
  found: true,
  record: 'https://rdap.example/domain/site.com',
  registeredAt: '2021-06-01T00:00:00.000Z',
  changedAt: null,
  expiresAt: '2030-01-01T00:00:00.000Z',
  registrar: null,
  status: ['active'],
  nameServers: [],
  delegationSigned: null,
};
/** Name records without fault. */
export const records: NameRecords = {
  found: true,
  addresses: ['93.184.215.14'],
  nameServers: ['ns1.host.com'],
  mail: 'receives',
  spf: true,
  dmarc: 'reject',
  caa: false,
};
/** A certificate without fault. */
export const certificate: Certificate = {
  encrypted: true,
  valid: true,
  problem: null,
  validFrom: null,
  validTo: null,
  issuer: null,
  names: 1,
  protocol: 'TLSv1.3',
  fingerprint256: null,
};

/** The site of a host. */
export function siteOf(host: string) {
  const site = readSite(host);
  if (site === undefined || !('domain' in site)) throw new Error(`${host} is no site`);
  return site;
}

/** Evidence on site.com: nothing known but the sample parts. */
export function evidence(
  parts: Partial<Omit<Evidence, 'published' | 'name'>> & {
    published?: Partial<PublishedStatements>;
    name?: Partial<NameFacts>;
  } = {},
): Evidence {
  return {
    site: siteOf('site.com'),
    nameLogOdds: 0,
    registration: undefined,
    records: undefined,
    certificate: undefined,
    certificateReason: null,
    now,
    ...parts,
    published: { ...published, ...parts.published },
    name: { ...name, ...parts.name },
  };
}

/** A rating with the points of the weights file. */
export const rating = (code: string, value: string, date = '2026-08-19'): Rating => ({
  rater: code,
  code,
  rating: value,
  detail: null,
  date,
  reference: null,
  listedName: 'site.com',
  points: weights.ratings.points[code]?.[value] ?? null,
});
/** An entry of a list. */
export const listing = (code: string, parts: { official?: boolean; counted?: boolean } = {}) => ({
  list: code,
  code,
  category: 'fake',
  listedName: 'site.com',
  date: '2024',
  dateKind: 'edition' as const,
  reference: null,
  official: parts.official ?? false,
  counted: parts.counted ?? true,
});
/** A registration of that many days before `now`. */
export const registeredAgo = (days: number): Registration => ({
  ...registration,
  registeredAt: new Date(now.getTime() - days * 86_400_000).toISOString(),
});

/** Score, verdict, risk level and signal codes of evidence. */
export function outcome(sample: Evidence) {
  const signals = findSignals(sample);
  const trust = computeTrust(sample, signals);
  const verdict = verdictOf(sample, trust, signals);
  return {
    ...trust,
    codes: signals.map((signal) => signal.code),
    verdict,
    errorRate: errorRateOf(sample, verdict, trust),
    risk: riskLevelOf(verdict, trust.score),
  };
}
