import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import verdictTable from '../../../data/taxonomy/verdict.json' with { type: 'json' };
import type { Evidence } from '../../../src/services/domain-check/evidence.ts';
import type { Published, Rating } from '../../../src/services/domain-check/lists/reading.ts';
import type { Certificate } from '../../../src/services/domain-check/live/certificate.ts';
import type { NameRecords } from '../../../src/services/domain-check/live/names.ts';
import type { Registration } from '../../../src/services/domain-check/live/registration.ts';
import type { NameFacts } from '../../../src/services/domain-check/name/facts.ts';
import { findSignals, signals } from '../../../src/services/domain-check/signals.ts';
import { readSite } from '../../../src/services/domain-check/site.ts';
import { judge, namePoints, scoreOf } from '../../../src/services/domain-check/trust.ts';
import { riskLevelOf, verdictOf } from '../../../src/services/domain-check/verdict.ts';
import { weights } from '../../../src/services/domain-check/weights.ts';

const now = new Date('2026-11-20T12:00:00Z');

const published: Published = {
  listings: [],
  ratings: [],
  estimate: null,
  satire: false,
  weakListing: false,
  factChecker: false,
  registered: false,
  platform: false,
  shortener: false,
};
const name: NameFacts = {
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
const registration: Registration = {
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
const records: NameRecords = {
  found: true,
  addresses: ['93.184.215.14'],
  nameServers: ['ns1.host.com'],
  mail: 'receives',
  spf: true,
  dmarc: 'reject',
  caa: false,
};
const certificate: Certificate = {
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

function evidence(
  parts: Partial<Omit<Evidence, 'published' | 'name'>> & {
    published?: Partial<Published>;
    name?: Partial<NameFacts>;
  } = {},
): Evidence {
  const site = readSite('site.com');
  if (site === undefined || !('domain' in site)) throw new Error('site.com is a site');
  return {
    site,
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

const rating = (code: string, value: string, date = '2026-08-19'): Rating => ({
  rater: code,
  code,
  rating: value,
  detail: null,
  date,
  reference: null,
  listedName: 'site.com',
  points: weights.ratings.points[code]?.[value] ?? null,
});
const listing = (code: string, parts: { official?: boolean; counted?: boolean } = {}) => ({
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
const registeredAgo = (days: number): Registration => ({
  ...registration,
  registeredAt: new Date(now.getTime() - days * 86_400_000).toISOString(),
});

function outcome(given: Evidence) {
  const found = findSignals(given);
  const trust = judge(given, found);
  const verdict = verdictOf(given, trust, found);
  return {
    ...trust,
    codes: found.map((signal) => signal.code),
    verdict,
    risk: riskLevelOf(verdict, trust.score),
  };
}

describe('the range of scores', () => {
  test('nothing known is 50, unknown, and very uncertain', () => {
    expect(outcome(evidence())).toMatchObject({
      score: 50,
      verdict: 'unknown',
      risk: 'unknown',
      basis: 'name',
      contributions: [],
    });
    const { interval } = outcome(evidence());
    expect(interval.low).toBeLessThan(20);
    expect(interval.high).toBeGreaterThan(80);
  });

  test.each([-9, -2, -1, 0, 1, 2, 9])(
    'a plain unknown site stays near neutral at name odds %d',
    (nameLogOdds) => {
      const { score, verdict } = outcome(evidence({ nameLogOdds, registration, records, certificate }));
      expect(score).toBeGreaterThanOrEqual(36);
      expect(score).toBeLessThanOrEqual(63);
      expect(verdict).toBe('unknown');
    },
  );

  test.each(['very-high', 'high', 'mostly-factual'])('a rating of %s is 80 or more', (value) => {
    const result = outcome(evidence({ published: { ratings: [rating('mbfc', value)] }, nameLogOdds: -9 }));
    expect(result.score).toBeGreaterThanOrEqual(80);
    expect(result).toMatchObject({ verdict: 'trusted', risk: 'minimal', basis: 'rated' });
  });

  test('an offender list is 15 or less, with everything else at its best', () => {
    const best = evidence({
      published: {
        listings: [listing('pink-slime')],
        ratings: [rating('mbfc', 'mixed')],
        registered: true,
        estimate: 1,
      },
      name: { wellKnown: true, restrictedSuffix: true },
      nameLogOdds: 9,
      registration: registeredAgo(9000),
      records,
      certificate,
    });
    const result = outcome(best);
    expect(result.score).toBeLessThanOrEqual(15);
    expect(result).toMatchObject({ verdict: 'untrustworthy', risk: 'critical', basis: 'listed' });
  });

  test.each([
    ['low', 'untrustworthy'],
    ['very-low', 'untrustworthy'],
    ['mixed', 'mixed'],
  ])('a rating of %s is %s', (value, verdict) => {
    expect(outcome(evidence({ published: { ratings: [rating('mbfc', value)] } })).verdict).toBe(verdict);
  });

  test('a young name with a red flag is under 35 even when its letters please', () => {
    const red = signals.filter(
      (signal) => signal.kind === 'red_flag' && signal.points < 0 && signal.code !== 'very_young_domain',
    );
    for (const { points } of red) {
      const young = signals.find((signal) => signal.code === 'very_young_domain')?.points ?? 0;
      expect(scoreOf(points + young + namePoints(99))).toBeLessThan(35);
    }
    const result = outcome(
      evidence({
        registration: registeredAgo(3),
        name: { imitation: { kind: 'extra_word', of: 'bbc.com' } },
        nameLogOdds: 9,
      }),
    );
    expect(result.score).toBeLessThan(35);
    expect(result.verdict).toBe('suspicious');
  });

  test('satire is neither good nor bad', () => {
    const satire = {
      satire: true,
      ratings: [rating('mbfc', 'satire')],
      listings: [listing('fakenews-hosts', { counted: false })],
    };
    expect(outcome(evidence({ published: satire }))).toMatchObject({
      score: 50,
      verdict: 'satire',
      risk: 'low',
      codes: ['satire_site'],
    });
    const faulty = { ...certificate, valid: false, problem: 'untrusted' as const };
    const worst = outcome(
      evidence({ published: satire, certificate: faulty, registration: registeredAgo(1), nameLogOdds: -9 }),
    );
    expect(worst.score).toBeGreaterThanOrEqual(40);
    expect(worst.verdict).toBe('satire');
  });

  test('the name alone never makes a site worse than unknown', () => {
    expect(outcome(evidence({ nameLogOdds: -99 }))).toMatchObject({ verdict: 'unknown', basis: 'name' });
  });

  test('an estimate alone neither praises nor condemns', () => {
    expect(
      outcome(evidence({ published: { estimate: 1 }, nameLogOdds: 9, name: { wellKnown: true } })).verdict,
    ).toBe('reliable');
    expect(outcome(evidence({ published: { estimate: -1 }, nameLogOdds: -9 })).verdict).toBe('suspicious');
  });
});

describe('raters', () => {
  test('two who agree do not count twice', () => {
    const one = outcome(evidence({ published: { ratings: [rating('mbfc', 'low')] } })).score;
    const two = outcome(
      evidence({ published: { ratings: [rating('mbfc', 'low'), rating('idiap', '-1')] } }),
    ).score;
    expect(two).toBe(one);
  });

  test('who disagree are told', () => {
    const result = outcome(
      evidence({ published: { ratings: [rating('mbfc', 'high'), rating('idiap', '-1')] } }),
    );
    expect(result.codes).toContain('ratings_disagree');
    expect(result.score).toBeGreaterThan(50);
    expect(result.score).toBeLessThan(80);
  });

  test('silence the estimate and the name', () => {
    const result = outcome(
      evidence({
        published: { ratings: [rating('mbfc', 'high')], estimate: -1, registered: true },
        nameLogOdds: -9,
      }),
    );
    expect(result.contributions.map((part) => part.feature)).toEqual(['rating:mbfc']);
  });

  test.each([
    ['2026-08-18T00:00:00.000Z', '2026-08-19', true],
    ['2026-08-20T00:00:00.000Z', '2026-08-19', false],
    ['2024-12-31T00:00:00.000Z', '2024', true],
    ['2025-01-01T00:00:00.000Z', '2024', false],
  ])('a name registered on %s keeps a rating of %s: %s', (registeredAt, date, kept) => {
    const result = outcome(
      evidence({
        published: { ratings: [rating('mbfc', 'high', date)] },
        registration: { ...registration, registeredAt },
      }),
    );
    expect(result.codes.includes('registered_after_rating')).toBe(!kept);
    expect(result.contributions.some((part) => part.feature === 'rating:mbfc')).toBe(kept);
  });
});

describe('signals', () => {
  const holds: [string, Evidence][] = [
    ['official_block', evidence({ published: { listings: [listing('romania', { official: true })] } })],
    ['listed_offender', evidence({ published: { listings: [listing('fakenews-hosts')] } })],
    [
      'contested_listing',
      evidence({ published: { listings: [listing('fakenews-hosts', { counted: false })] } }),
    ],
    ['weak_listing', evidence({ published: { weakListing: true } })],
    ['rated_unreliable', evidence({ published: { ratings: [rating('mbfc', 'low')] } })],
    ['rated_mixed', evidence({ published: { ratings: [rating('mbfc', 'mixed')] } })],
    [
      'ratings_disagree',
      evidence({ published: { ratings: [rating('mbfc', 'high'), rating('idiap', '0')] } }),
    ],
    ['estimated_unreliable', evidence({ published: { estimate: -0.9 } })],
    ['satire_site', evidence({ published: { satire: true } })],
    ['url_shortener', evidence({ published: { shortener: true } })],
    ['user_generated_platform', evidence({ published: { platform: true } })],
    [
      'registered_after_rating',
      evidence({ published: { ratings: [rating('mbfc', 'high', '2020')] }, registration }),
    ],
    ['lookalike_letters', evidence({ name: { imitation: { kind: 'confusable', of: 'x.com' } } })],
    ['lookalike_suffix', evidence({ name: { imitation: { kind: 'suffix', of: 'x.com' } } })],
    ['brand_with_extra_word', evidence({ name: { imitation: { kind: 'extra_word', of: 'x.com' } } })],
    ['near_well_known_name', evidence({ name: { imitation: { kind: 'typo', of: 'x.com' } } })],
    ['mixed_scripts', evidence({ name: { mixedScripts: true } })],
    ['international_name', evidence({ name: { international: true } })],
    ['cheap_suffix', evidence({ name: { cheapSuffix: true } })],
    ['many_hyphens', evidence({ name: { hyphens: 2 } })],
    ['long_digit_run', evidence({ name: { longestDigitRun: 3 } })],
    ['long_name', evidence({ name: { length: 40 } })],
    ['unlisted_suffix', { ...evidence(), site: { ...evidence().site, suffixKind: 'unlisted' } }],
    ['hosted_name', { ...evidence(), site: { ...evidence().site, suffixKind: 'private' } }],
    ['very_young_domain', evidence({ registration: registeredAgo(29) })],
    ['young_domain', evidence({ registration: registeredAgo(30) })],
    ['recent_domain', evidence({ registration: registeredAgo(364) })],
    ['domain_not_found', evidence({ registration: { ...registration, found: false, registeredAt: null } })],
    ['domain_not_found', evidence({ records: { ...records, found: false, addresses: [] } })],
    ['registry_hold', evidence({ registration: { ...registration, status: ['client hold'] } })],
    ['registry_hold', evidence({ registration: { ...registration, status: ['serverhold'] } })],
    [
      'registration_ending',
      evidence({ registration: { ...registration, expiresAt: '2026-11-01T00:00:00.000Z' } }),
    ],
    ['registration_ending', evidence({ registration: { ...registration, status: ['redemption period'] } })],
    ['parked_domain', evidence({ records: { ...records, nameServers: ['ns1.sedoparking.com'] } })],
    ['no_mail_setup', evidence({ records: { ...records, mail: 'none', spf: false, dmarc: 'absent' } })],
    ['private_address', evidence({ certificateReason: 'private_address' })],
    ['no_https', evidence({ certificate: { ...certificate, encrypted: false, valid: false } })],
    ['certificate_expired', evidence({ certificate: { ...certificate, valid: false, problem: 'expired' } })],
    [
      'certificate_wrong_name',
      evidence({ certificate: { ...certificate, valid: false, problem: 'wrong_name' } }),
    ],
    [
      'certificate_untrusted',
      evidence({ certificate: { ...certificate, valid: false, problem: 'untrusted' } }),
    ],
  ];

  test.each(holds)('%s', (code, given) => {
    expect(findSignals(given).map((signal) => signal.code)).toContain(code);
  });

  test('every signal of the table has a case here, a text in both languages and a reason', () => {
    expect(new Set(holds.map(([code]) => code))).toEqual(new Set(signals.map((signal) => signal.code)));
    for (const signal of signals) {
      for (const text of [signal.text_en, signal.text_ro, signal.reason])
        expect(text.length).toBeGreaterThan(10);
      expect(signal.text_ro).not.toMatch(/[şţŞŢ]/);
    }
  });

  test('a healthy site shows none', () => {
    expect(findSignals(evidence({ registration, records, certificate }))).toEqual([]);
  });

  test('what servers did not say is not held against the site', () => {
    const silent = { ...records, mail: null, spf: null, dmarc: null, nameServers: null };
    expect(findSignals(evidence({ records: silent }))).toEqual([]);
  });

  test('a rated site is never called an imitation', () => {
    const given = evidence({
      published: { ratings: [rating('mbfc', 'high')] },
      name: { imitation: { kind: 'extra_word', of: 'x.com' } },
    });
    expect(findSignals(given)).toEqual([]);
  });
});

describe('the arithmetic', () => {
  const anyEvidence = fc
    .record({
      nameLogOdds: fc.double({ min: -20, max: 20, noNaN: true }),
      estimate: fc.option(fc.double({ min: -1, max: 1, noNaN: true })),
      ratings: fc.subarray([rating('mbfc', 'high'), rating('mbfc', 'low'), rating('idiap', '0')]),
      lists: fc.subarray(['opensources', 'fakenews-hosts', 'pink-slime', 'rt-mirrors']),
      satire: fc.boolean(),
      cheapSuffix: fc.boolean(),
      age: fc.option(fc.integer({ min: 0, max: 12_000 })),
    })
    .map((parts) =>
      evidence({
        nameLogOdds: parts.nameLogOdds,
        published: {
          estimate: parts.estimate,
          ratings: parts.ratings,
          listings: parts.lists.map((code) => listing(code)),
          satire: parts.satire,
        },
        name: { cheapSuffix: parts.cheapSuffix },
        registration: parts.age === null ? undefined : registeredAgo(parts.age),
      }),
    );

  test('a reader who adds up the contributions gets the score', () => {
    fc.assert(
      fc.property(anyEvidence, (given) => {
        const trust = judge(given, findSignals(given));
        const points = trust.contributions.reduce((total, part) => total + part.points, 0);
        expect(scoreOf(points)).toBeCloseTo(trust.score, 1);
        expect(trust.interval.low).toBeLessThanOrEqual(trust.score);
        expect(trust.interval.high).toBeGreaterThanOrEqual(trust.score);
      }),
    );
  });

  test('one more signal never raises the score, nor does one more list', () => {
    fc.assert(
      fc.property(anyEvidence, fc.constantFrom(...signals), (given, more) => {
        const found = findSignals(given);
        expect(judge(given, [...found, more]).score).toBeLessThanOrEqual(judge(given, found).score);
        const listings = [...given.published.listings, listing('wikipedia-fake-news')];
        const listed = { ...given, published: { ...given.published, listings } };
        expect(judge(listed, found).score).toBeLessThanOrEqual(judge(given, found).score);
      }),
    );
  });

  test('better names, estimates and ages never lower it', () => {
    const scoreWith = (parts: Parameters<typeof evidence>[0]) => outcome(evidence(parts)).score;
    const rising = (scores: number[]) => expect(scores).toEqual([...scores].sort((a, b) => a - b));
    rising([-20, -5, -1, 0, 1, 5, 20].map((nameLogOdds) => scoreWith({ nameLogOdds })));
    rising([-1, -0.5, 0, 0.5, 1].map((estimate) => scoreWith({ published: { estimate } })));
    rising(
      [0, 29, 30, 179, 180, 364, 365, 1825, 3650, 7300, 12_000].map((days) =>
        scoreWith({ registration: registeredAgo(days) }),
      ),
    );
    rising(
      ['very-low', 'low', 'mixed', 'mostly-factual', 'high', 'very-high'].map((value) =>
        scoreWith({ published: { ratings: [rating('mbfc', value)] } }),
      ),
    );
  });
});

test.each([
  [100, 'minimal'],
  [80.1, 'minimal'],
  [80, 'low'],
  [60.1, 'low'],
  [60, 'moderate'],
  [40.1, 'moderate'],
  [40, 'high'],
  [20.1, 'high'],
  [20, 'critical'],
  [0, 'critical'],
] as const)('a score of %d is the risk band of %s', (score, level) => {
  expect(riskLevelOf('mixed', score)).toBe(level);
  const risk = Math.round((100 - score) * 10) / 10;
  expect(verdictTable.risk_bands.findLast((band) => band.min <= risk)?.risk_level).toBe(level);
});

test('no score has no level', () => {
  expect(riskLevelOf('unknown', null)).toBe('unknown');
});
