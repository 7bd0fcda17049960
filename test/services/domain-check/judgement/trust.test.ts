import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { findSignals, signals } from '../../../../src/services/domain-check/judgement/signals.ts';
import {
  computeTrust,
  namePoints,
  trustScore,
} from '../../../../src/services/domain-check/judgement/trust.ts';
import {
  certificate,
  evidence,
  listing,
  outcome,
  rating,
  records,
  registeredAgo,
  registration,
  siteOf,
} from './samples.ts';

describe('the range of scores', () => {
  test('nothing known is 50, unknown, and very uncertain', () => {
    expect(outcome(evidence())).toMatchObject({
      score: 50,
      verdict: 'unknown',
      risk: 'unknown',
      basis: 'name',
      contributions: [],
    });
    const { interval } = outcome(evidence({ nameLogOdds: undefined }));
    expect(interval.low).toBeLessThan(20);
    expect(interval.high).toBeGreaterThan(80);
  });

  test.each<[number, string, number | null]>([
    [-9, 'suspicious', 0.05],
    [-2, 'suspicious', 0.05],
    [-1.3, 'unknown', null],
    [-0.5, 'unknown', null],
    [0, 'unknown', null],
    [0.5, 'unknown', null],
    [9, 'reliable', 0.05],
  ])('an unrated site of name odds %d below a measured suffix is %s', (nameLogOdds, verdict, errorRate) => {
    const result = outcome(evidence({ nameLogOdds, registration, records, certificate }));
    expect(result).toMatchObject({ verdict, errorRate });
    // Never as good or as bad as a rating makes it.
    expect(result.score).toBeGreaterThanOrEqual(9);
    expect(result.score).toBeLessThanOrEqual(85);
    expect(result.interval.high - result.interval.low).toBeLessThan(40);
  });

  test.each([
    ['ziar.ro', 9],
    ['ziar.ro', -9],
    ['somebody.blogspot.com', -9],
  ])('a name says little on %s', (host, nameLogOdds) => {
    const { score, verdict } = outcome(evidence({ site: siteOf(host), nameLogOdds }));
    expect(score).toBeGreaterThanOrEqual(36);
    expect(score).toBeLessThanOrEqual(63);
    expect(verdict).toBe('unknown');
  });

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
      expect(trustScore(points + young + namePoints(99, false))).toBeLessThan(35);
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

  test('the name alone makes no site untrustworthy or trusted', () => {
    expect(outcome(evidence({ nameLogOdds: -99 }))).toMatchObject({ verdict: 'suspicious', basis: 'name' });
    expect(outcome(evidence({ nameLogOdds: 99 }))).toMatchObject({ verdict: 'reliable', basis: 'name' });
  });

  test('a red flag takes away what letters that please would add', () => {
    const flagged = (nameLogOdds: number) =>
      outcome(evidence({ name: { imitation: { kind: 'extra_word', of: 'bbc.com' } }, nameLogOdds })).score;
    expect(flagged(9)).toBeLessThan(outcome(evidence({ nameLogOdds: 0.5 })).score);
    expect(flagged(-9)).toBeLessThan(flagged(0));
  });

  test('a neutral register speaks for a name below a measured suffix, and no louder than a name may', () => {
    const score = (published: Parameters<typeof evidence>[0] = {}) => outcome(evidence(published)).score;
    expect(score({ published: { registered: true } })).toBeGreaterThan(60);
    // Of two sites with the same estimate of nothing, the one that the crawl collected is ahead of one that it did not.
    expect(score({ published: { estimate: 0 } })).toBeGreaterThan(75);
    expect(score({ published: { estimate: 0, registered: true }, nameLogOdds: 9 })).toBeLessThan(80);
    expect(score({ published: { estimate: 0 }, nameLogOdds: -1 })).toBeGreaterThan(
      score({ nameLogOdds: -1 }),
    );
    const known = outcome(evidence({ published: { estimate: 0.4, registered: true }, nameLogOdds: -1 }));
    expect(known.contributions.map((part) => part.feature)).toEqual([
      'estimate:idiap-graph',
      'name_model',
      'register:news_crawl',
      'register:wikidata',
    ]);
  });

  test('a crawl collects offenders too: where the links speak against a site it does not speak for it', () => {
    const { contributions, score } = outcome(evidence({ published: { estimate: -0.1 }, nameLogOdds: 0 }));
    expect(contributions.map((part) => part.feature)).toEqual(['estimate:idiap-graph']);
    expect(score).toBeLessThan(50);
  });

  test('a register hardly speaks where it was not measured', () => {
    const sample = { site: siteOf('ziar.ro'), published: { registered: true, estimate: 0 } };
    expect(outcome(evidence(sample)).score).toBeLessThan(60);
  });

  test('an imitation gains nothing by a register', () => {
    const known = { published: { estimate: 0, registered: true }, nameLogOdds: 9 };
    const imitation = { kind: 'suffix' as const, of: 'bbc.com' };
    expect(outcome(evidence({ ...known, name: { imitation } })).score).toBeLessThan(50);
  });

  test.each([
    ['2024-12-31T00:00:00.000Z', true],
    ['2025-01-01T00:00:00.000Z', false],
  ])('links and registers speak of the site that had the name: registered on %s, kept %s', (date, kept) => {
    const published = { estimate: 1, estimateDate: '2024', registered: true, registerDate: '2024' };
    const result = outcome(evidence({ published, registration: { ...registration, registeredAt: date } }));
    expect(result.basis).toBe(kept ? 'estimated' : 'observed');
    expect(result.codes.includes('registered_after_rating')).toBe(!kept);
    expect(result.score > 60).toBe(kept);
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
      fc.property(anyEvidence, (sample) => {
        const trust = computeTrust(sample, findSignals(sample));
        const points = trust.contributions.reduce((total, part) => total + part.points, 0);
        expect(trustScore(points)).toBeCloseTo(trust.score, 1);
        expect(trust.interval.low).toBeLessThanOrEqual(trust.score);
        expect(trust.interval.high).toBeGreaterThanOrEqual(trust.score);
      }),
    );
  });

  test('one more signal never raises the score, nor does one more list', () => {
    fc.assert(
      fc.property(anyEvidence, fc.constantFrom(...signals), (sample, more) => {
        const signals = findSignals(sample);
        expect(computeTrust(sample, [...signals, more]).score).toBeLessThanOrEqual(
          computeTrust(sample, signals).score,
        );
        const listings = [...sample.published.listings, listing('wikipedia-fake-news')];
        const listed = { ...sample, published: { ...sample.published, listings } };
        expect(computeTrust(listed, signals).score).toBeLessThanOrEqual(computeTrust(sample, signals).score);
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
