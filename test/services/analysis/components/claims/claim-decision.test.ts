import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decideClaim } from '../../../../../src/services/analysis/components/claims/claim-decision.ts';

const now = new Date('2026-06-01T00:00:00Z');
let count = 0;

/** Evidence with a stance, of a source of its own unless a group is named. */
function item(stance: string, credibility: number | null = 80, more: object = {}) {
  count++;
  const url = `https://source-${count}.example/`;
  const isReviewed = false;
  return {
    stance,
    credibility_score: credibility,
    published_at: '2026-05-01',
    independent_group: null,
    url,
    isReviewed,
    ...more,
  };
}
const decide = (evidence: ReturnType<typeof item>[], isMisleading = false) =>
  decideClaim({ type: 'statistical', evidence, isMisleading }, now);

describe('a claim', () => {
  it.each([
    ['two good sources refute it', [item('refutes'), item('refutes')], 'verified_false'],
    ['two good sources support it', [item('supports'), item('supports')], 'verified_true'],
    ['one source refutes it', [item('refutes', 100)], 'unverified'],
    [
      'two copies of one source refute it',
      [item('refutes', 90, { independent_group: 'a' }), item('refutes', 90, { independent_group: 'a' })],
      'unverified',
    ],
    ['two unrated sources refute it', [item('refutes', null), item('refutes', null)], 'unverified'],
    [
      'ten unrated sources support it',
      Array.from({ length: 10 }, () => item('supports', null)),
      'unverified',
    ],
    [
      'ten unrated sources and a good one support it',
      [...Array.from({ length: 10 }, () => item('supports', null)), item('supports')],
      'unverified',
    ],
    [
      'ten unrated sources support what two good ones refute',
      [...Array.from({ length: 10 }, () => item('supports', null)), item('refutes'), item('refutes')],
      'verified_false',
    ],
    [
      'an unrated source supports what people said that two others refute',
      [
        item('supports', null),
        item('refutes', null, { isReviewed: true }),
        item('refutes', null, { isReviewed: true }),
      ],
      'verified_false',
    ],
    [
      'unrated sources disagree',
      [item('supports', null), item('supports', null), item('refutes', null), item('refutes', null)],
      'unverified',
    ],
    [
      'an unrated and two good sources refute it',
      [item('refutes', null), item('refutes'), item('refutes')],
      'verified_false',
    ],
    [
      'people said that two unrated sources refute it',
      [item('refutes', null, { isReviewed: true }), item('refutes', null, { isReviewed: true })],
      'verified_false',
    ],
    [
      'people said that two poor sources refute it',
      [item('refutes', 10, { isReviewed: true }), item('refutes', 10, { isReviewed: true })],
      'unverified',
    ],
    [
      'people said that an unrated source refutes it',
      [item('refutes', null, { isReviewed: true })],
      'unverified',
    ],
    ['ten poor sources support it', Array.from({ length: 10 }, () => item('supports', 20)), 'unverified'],
    [
      'ten poor sources support what two good ones refute',
      [...Array.from({ length: 10 }, () => item('supports', 20)), item('refutes'), item('refutes')],
      'verified_false',
    ],
    [
      'good sources disagree',
      [item('supports'), item('supports'), item('refutes'), item('refutes')],
      'conflicting',
    ],
    ['one good source contradicts two', [item('supports'), item('supports'), item('refutes')], 'conflicting'],
    ['everything is context', [item('context'), item('irrelevant'), item('mixed')], 'unverified'],
    ['there is nothing', [], 'unverified'],
    [
      'the sources are old',
      [
        item('refutes', 80, { published_at: '2010-01-01' }),
        item('refutes', 50, { published_at: '2010-01-01' }),
      ],
      'unverified',
    ],
  ])('of which %s', (_, evidence, status) => {
    const decision = decide(evidence);
    expect(decision.status).toBe(status);
    const isDecided = status === 'verified_true' || status === 'verified_false';
    if (isDecided) expect(decision.confidence).toBeGreaterThan(0.5);
    else expect(decision.confidence).toBeNull();
  });

  it('that reviewers call misleading is called so', () => {
    expect(decide([item('refutes'), item('refutes')], true).status).toBe('misleading');
    expect(decide([item('supports'), item('supports')], true).status).toBe('verified_true');
  });

  it('is surer with more voices, and never certain', () => {
    const two = decide([item('refutes'), item('refutes')]).confidence ?? 0;
    const many = decide(Array.from({ length: 30 }, () => item('refutes', 100))).confidence ?? 0;
    expect(many).toBeGreaterThan(two);
    expect(many).toBeLessThanOrEqual(0.95);
  });
});

it('neither the order of the evidence nor what decides nothing changes a decision', () => {
  const any = fc.record({
    stance: fc.constantFrom('supports', 'refutes', 'context'),
    credibility_score: fc.option(fc.integer({ min: 0, max: 100 })),
    published_at: fc.constantFrom(null, '2026-01-01', '1990-01-01', 'yesterday'),
    independent_group: fc.constantFrom(null, 'a', 'b', 'c'),
    url: fc.webUrl(),
    isReviewed: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(any, { maxLength: 8 }), (evidence) => {
      const decided = decideClaim({ type: 'event', evidence, isMisleading: false }, now);
      const shuffled = decideClaim(
        { type: 'event', evidence: evidence.toReversed(), isMisleading: false },
        now,
      );
      const extended = [
        ...evidence,
        { ...item('context', 100), published_at: null },
        { ...item('supports', 10), published_at: null },
      ];
      const more = decideClaim({ type: 'event', evidence: extended, isMisleading: false }, now);
      expect([shuffled.status, more.status]).toEqual([decided.status, decided.status]);
      // The two sides change places with the stances.
      const turned = evidence.map((one) => ({
        ...one,
        stance: one.stance === 'supports' ? 'refutes' : one.stance === 'refutes' ? 'supports' : one.stance,
      }));
      const opposite = decideClaim({ type: 'event', evidence: turned, isMisleading: false }, now);
      expect(opposite.supports.voices).toBe(decided.refutes.voices);
    }),
  );
});
