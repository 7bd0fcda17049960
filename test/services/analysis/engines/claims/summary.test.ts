import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import taxonomy from '../../../../../data/taxonomy/claims.json' with { type: 'json' };
import { summariseClaims } from '../../../../../src/services/analysis/engines/claims/summary.ts';

const decidedStatuses = new Set(
  taxonomy.statuses.filter((status) => status.credibility_value !== null).map(({ code }) => code),
);
const isDecided = ({ status }: { readonly status: string }) => decidedStatuses.has(status);

const claim = (status: string, type = 'event', checkworthiness = 1) => ({ status, type, checkworthiness });

describe('summariseClaims', () => {
  it('has no score when nothing is decided', () => {
    const summary = summariseClaims([claim('unverified'), claim('opinion', 'opinion')]);
    expect(summary).toEqual({
      total_claims: 2,
      verified_true: 0,
      verified_false: 0,
      unverified: 1,
      opinions: 1,
      credibility_score: null,
      interpretation: 'undecided',
      claims_by_status: { unverified: 1, opinion: 1 },
      claims_by_type: { event: 1, opinion: 1 },
    });
  });

  it('says that there is nothing to check without a checkable claim', () => {
    expect(summariseClaims([]).interpretation).toBe('nothing_to_check');
    expect(summariseClaims([claim('opinion', 'opinion')]).interpretation).toBe('nothing_to_check');
  });

  it('weighs decided claims by check-worthiness beside a neutral one', () => {
    const claims = [
      claim('verified_false', 'event', 1),
      claim('verified_true', 'event', 0.5),
      claim('unverified'),
    ];
    // (1 * 0 + 0.5 * 100 + 50) / (1 + 0.5 + 1)
    expect(summariseClaims(claims).credibility_score).toBe(40);
    expect(summariseClaims(claims).interpretation).toBe('mixed');
    expect(summariseClaims([claim('verified_false'), claim('misleading')]).interpretation).toBe(
      'low_credibility',
    );
  });

  it('counts a refuted claim that begins with a denial: the denial was checked, and the text stands for it', () => {
    const refuted = claim('verified_false', 'event', 1);
    const denial = { ...refuted, voice: 'denied', text: 'It is not true that the bridge fell.' } as const;
    const denied = { ...refuted, voice: 'denied', text: 'The bridge fell.' } as const;
    expect(summariseClaims([denial]).credibility_score).toBe(summariseClaims([refuted]).credibility_score);
    expect(summariseClaims([denied]).credibility_score).toBeNull();
  });

  it('counts partly true as decided, in the bucket unverified', () => {
    const summary = summariseClaims([claim('partly_true')]);
    expect(summary.unverified).toBe(1);
    expect(summary.credibility_score).toBe(50);
    expect(summariseClaims([claim('conflicting')]).credibility_score).toBeNull();
  });

  it('keeps the invariants of the taxonomy', () => {
    const any = fc.record({
      status: fc.constantFrom(...taxonomy.statuses.map((status) => status.code)),
      type: fc.constantFrom(...taxonomy.types.map((type) => type.code)),
      checkworthiness: fc.double({ min: 0, max: 1, noNaN: true }),
    });
    fc.assert(
      fc.property(fc.array(any), (claims) => {
        const summary = summariseClaims(claims);
        const sum = (counts: Record<string, number>) =>
          Object.values(counts).reduce((total, count) => total + count, 0);
        const { verified_true, verified_false, unverified, opinions } = summary;
        expect(verified_true + verified_false + unverified + opinions).toBe(claims.length);
        expect(sum(summary.claims_by_status)).toBe(claims.length);
        expect(sum(summary.claims_by_type)).toBe(claims.length);
        expect(summary.credibility_score === null).toBe(!claims.some(isDecided));
      }),
    );
  });
});
