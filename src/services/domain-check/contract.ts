import { z } from 'zod';
import { defineContract } from '../../foundation/contract.ts';
import { errors } from './errors.ts';

/** How a source is judged, in one word. */
export const SOURCE_VERDICTS = [
  'trusted',
  'reliable',
  'mixed',
  'unknown',
  'suspicious',
  'untrustworthy',
  'satire',
] as const;

/** The words of data/taxonomy/verdict.json for the height of a risk. */
export const RISK_LEVELS = ['minimal', 'low', 'moderate', 'high', 'critical', 'unknown'] as const;

/** Longest address that is read, in UTF-16 units. */
const LONGEST_ADDRESS = 8192;

const checkRequest = z
  .object({
    url: z
      .string()
      .min(1)
      .max(LONGEST_ADDRESS)
      .nullish()
      .describe('An http or https address, or a host name.'),
    domain: z
      .string()
      .min(1)
      .max(LONGEST_ADDRESS)
      .nullish()
      .describe('A host name; `url` wins when both are given.'),
    live: z
      .boolean()
      .nullish()
      .describe(
        'False leaves out everything that needs the network; true, the default, asks when DOMAIN_LIVE allows.',
      ),
  })
  .refine((body) => (body.url ?? body.domain ?? null) !== null, {
    path: ['url'],
    error: 'either url or domain is required',
  })
  .meta({ id: 'DomainCheckRequest' });

const signal = z.object({ code: z.string(), text_en: z.string(), text_ro: z.string() });
const count = z.int().min(0);
const score = z.number().min(0).max(100);

const listing = z
  .object({
    list: z.string().describe('Who keeps the list.'),
    code: z.string().describe('Source code, as in DOMAIN_DISABLED_SOURCES.'),
    category: z.string(),
    listed_name: z.string().describe('The listed name: the host, or a parent of it.'),
    date: z.string(),
    date_kind: z
      .enum(['edition', 'retrieved'])
      .describe('Date of the edition, or the day when an undated list was fetched.'),
    reference: z.string().nullable(),
    counted: z
      .boolean()
      .describe('False when a current high rating or a satire label speaks against the entry.'),
  })
  .meta({ id: 'DomainBlacklistEntry' });

const rating = z
  .object({
    rater: z.string(),
    code: z.string(),
    rating: z.string().describe("In the rater's own words."),
    detail: z.string().nullable(),
    date: z.string(),
    reference: z.string().nullable(),
    listed_name: z.string(),
  })
  .meta({ id: 'DomainRating' });

const check = z
  .object({
    name: z.enum(['lists', 'name', 'registration', 'dns', 'certificate']),
    state: z.enum(['answered', 'failed', 'skipped', 'off']),
    reason: z.string().nullable(),
    duration_ms: count,
  })
  .meta({ id: 'DomainCheck' });

const contribution = z
  .object({
    feature: z.string(),
    value: z.union([z.string(), z.number(), z.boolean()]),
    points: z.number().describe('trust_score = 100 / (1 + exp(-sum of points)), to one decimal.'),
  })
  .meta({ id: 'DomainContribution' });

const registration = z.object({
  found: z.boolean(),
  record: z.string(),
  registered_at: z.string().nullable(),
  changed_at: z.string().nullable(),
  expires_at: z.string().nullable(),
  registrar: z.string().nullable(),
  status: z.array(z.string()),
  delegation_signed: z.boolean().nullable(),
});

const nameRecords = z.object({
  found: z.boolean(),
  addresses: z.array(z.string()),
  name_servers: z.array(z.string()).nullable(),
  mail: z.enum(['receives', 'refuses', 'none']).nullable(),
  spf: z.boolean().nullable(),
  dmarc: z.string().nullable().describe('The policy, `absent`, or `invalid`.'),
  caa: z.boolean().nullable(),
});

const certificate = z.object({
  problem: z.enum(['expired', 'wrong_name', 'untrusted']).nullable(),
  valid_from: z.string().nullable(),
  valid_to: z.string().nullable(),
  issuer: z.string().nullable(),
  names: count,
  protocol: z.string().nullable(),
  fingerprint256: z.string().nullable(),
});

const domainRecord = z
  .object({
    host: z.string(),
    domain: z.string().describe('The registrable name in ASCII; the host itself when it has none.'),
    domain_unicode: z.string(),
    suffix: z.string().nullable(),
    no_registrable_name: z
      .enum(['ip_address', 'single_label', 'special_use_name', 'public_suffix'])
      .nullable()
      .describe('Why the host cannot be judged; null when it can.'),
    trust_score: score.nullable(),
    trust_interval: z.object({ low: score, high: score }).nullable(),
    basis: z
      .enum(['listed', 'rated', 'estimated', 'observed', 'name'])
      .nullable()
      .describe('The best kind of evidence behind the score.'),
    verdict: z.enum(SOURCE_VERDICTS),
    verdict_error_rate: z
      .number()
      .min(0)
      .max(1)
      .nullable()
      .describe(
        'Share of rated news sites of the other kind that would get this verdict by name and offline signals alone; null when it rests on ratings, lists or the link graph.',
      ),
    risk_level: z.enum(RISK_LEVELS),
    age_days: count.nullable(),
    age_source: z.enum(['registry']).nullable(),
    age_confidence: z.number().min(0).max(1).nullable(),
    is_blacklisted: z
      .boolean()
      .nullable()
      .describe('Null when no list was asked: all are switched off, or the host has no registrable name.'),
    blacklists: z.array(listing),
    ratings: z.array(rating),
    has_ssl: z.boolean().nullable(),
    ssl_valid: z.boolean().nullable(),
    is_satire: z.boolean(),
    red_flags: z.array(signal),
    warnings: z.array(signal),
    registration: registration.nullable(),
    dns: nameRecords.nullable(),
    certificate: certificate.nullable(),
    checks: z.array(check),
    checks_answered: z.number().min(0).max(1).describe('Answered checks among those that were tried.'),
    live_checked_at: z.string().nullable(),
    contributions: z.array(contribution),
    weights_version: z.string(),
    duration_ms: count,
    engine: z.object({ model: z.string(), version: z.string() }),
  })
  .meta({ id: 'DomainRecord' });

/** The full record of a checked domain. */
export type DomainRecord = z.infer<typeof domainRecord>;

const source = z.object({
  code: z.string(),
  name: z.string(),
  kind: z.enum(['rating', 'estimate', 'list', 'register', 'shortener', 'platform']),
  enabled: z.boolean(),
  date: z.string(),
  date_kind: z.enum(['edition', 'retrieved']),
  reference: z.string().nullable(),
  licence: z.string(),
  note: z.string(),
});

/** The domain credibility check. */
export const domainCheck = defineContract({
  name: 'domain_check',
  title: 'Domain credibility check',
  version: '1.0.0',
  description:
    'How far the source behind an address can be trusted, from published ratings and lists, its name, registration, DNS and certificate.',
  errors,
  operations: {
    check: {
      method: 'POST',
      path: '/api/v1/check/check',
      summary: 'Checks one domain',
      access: 'public',
      body: checkRequest,
      answer: domainRecord,
    },
    sources: {
      method: 'GET',
      path: '/v1/sources',
      summary: 'The ratings and lists that are asked, with their terms',
      access: 'public',
      answer: z.object({ sources: z.array(source) }),
    },
  },
});
