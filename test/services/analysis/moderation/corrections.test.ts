import { describe, expect, it } from 'vitest';
import {
  correctBlocks,
  correctVerdict,
  decidedScore,
  mergePatch,
} from '../../../../src/services/analysis/moderation/corrections.ts';
import {
  aiBlock,
  claim,
  claimsBlock,
  domainBlock,
  techniquesBlock,
  verdictRecord,
} from '../pipeline/blocks.ts';

const blocks = {
  techniques: techniquesBlock(40),
  ai_tampered: aiBlock(8),
  claims: claimsBlock(null),
  domain: domainBlock(88),
};
const NOW = new Date('2026-05-06T07:08:09.000Z');
const detailsOf = (work: () => unknown): string[] => {
  try {
    work();
  } catch (error) {
    return (error as { details: { path: string[] }[] }).details.map(({ path }) => path.join('.'));
  }
  throw new Error('nothing was refused');
};

describe('a merge patch', () => {
  // The cases of RFC 7396, appendix A.
  it.each([
    [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
    [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
    [{ a: 'b' }, { a: null }, {}],
    [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
    [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
    [{ a: 'c' }, { a: ['b'] }, { a: ['b'] }],
    [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
    [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
    [
      ['a', 'b'],
      ['c', 'd'],
      ['c', 'd'],
    ],
    [{ a: 'b' }, ['c'], ['c']],
    [{ a: 'foo' }, null, null],
    [{ a: 'foo' }, 'bar', 'bar'],
    [{ e: null }, { a: 1 }, { e: null, a: 1 }],
    [[1, 2], { a: 'b', c: null }, { a: 'b' }],
    [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
  ])('of %j by %j is %j', (target, patch, result) => {
    expect(mergePatch(target, patch)).toEqual(result);
  });
});

describe('corrections of blocks', () => {
  it('count again what follows from a corrected list', () => {
    const { techniques } = correctBlocks(
      blocks,
      { techniques: { techniques_detected: [] } },
      'Some words.',
      NOW,
    );
    expect(techniques).toMatchObject({
      manipulation_score: 0,
      total_severity: 0,
      techniques_count: 0,
      techniques_detected: [],
    });
    const { claims } = correctBlocks(blocks, { claims: { claims_verified: [] } }, 'Some words.', NOW);
    expect(claims).toMatchObject({ total_claims: 0, credibility_score: null });
  });

  it('keep a number that the reviewer gives', () => {
    const { techniques } = correctBlocks(
      blocks,
      { techniques: { techniques_detected: [], manipulation_score: 12 } },
      null,
      NOW,
    );
    expect(techniques?.manipulation_score).toBe(12);
    const { claims } = correctBlocks(blocks, { claims: { credibility_score: 5 } }, null, NOW);
    expect(claims?.credibility_score).toBe(5);
  });

  it('say when a person decided a claim: a new one, another status, or one that is confirmed', () => {
    const earlier = '2026-01-01T00:00:00.000Z';
    const claims = [
      claim('unverified', 0, { id: 'same' }),
      claim('unverified', 0, { id: 'changed' }),
      claim('verified_true', 2, { id: 'confirmed' }),
      claim('verified_false', 2, { id: 'reviewed before', reviewed_at: earlier }),
    ];
    const [same, changed, confirmed, before] = claims;
    const list = [
      same,
      { ...changed, status: 'verified_false' },
      { ...confirmed, reviewed_at: '2020-01-01T00:00:00.000Z' },
      before,
      claim('misleading', 1, { id: 'new' }),
    ];
    const corrected = correctBlocks(
      { ...blocks, claims: claimsBlock(null, claims) },
      { claims: { claims_verified: list } },
      null,
      NOW,
    );
    expect(corrected.claims?.claims_verified.map(({ id, reviewed_at }) => [id, reviewed_at])).toEqual([
      ['same', null],
      ['changed', NOW.toISOString()],
      ['confirmed', NOW.toISOString()],
      ['reviewed before', earlier],
      ['new', NOW.toISOString()],
    ]);
  });

  it('explain a claim by the decision of the person, not by what the engines had found, unless the person wrote why', () => {
    const silent = claim('unverified', 0, { id: 'silent', explanation_en: 'No page was found.' });
    const told = claim('unverified', 0, { id: 'told', explanation_en: 'No page was found.' });
    const corrected = correctBlocks(
      { ...blocks, claims: claimsBlock(null, [silent, told]) },
      {
        claims: {
          claims_verified: [
            { ...silent, status: 'verified_false' },
            { ...told, status: 'verified_false', explanation_en: 'The minister never said so.' },
          ],
        },
      },
      null,
      NOW,
    );
    const [first, second] = corrected.claims?.claims_verified ?? [];
    expect(first?.explanation_en).toMatch(
      /^False: .+\. A person decided this; before, the answer was: Not enough evidence\.$/,
    );
    expect(first?.explanation_ro).toMatch(
      /^Fals: .+\. A hotărât un om; până atunci răspunsul era: Dovezi insuficiente\.$/,
    );
    expect(second?.explanation_en).toBe('The minister never said so.');
    expect(second?.explanation_ro).toMatch(/^Fals: /);
  });

  it('leave what they do not name', () => {
    expect(correctBlocks(blocks, {}, null, NOW)).toEqual(blocks);
  });

  it.each([
    ['an unknown field', { techniques: { score: 1 } }, 'body.corrections.techniques.score'],
    [
      'a number out of range',
      { claims: { credibility_score: 101 } },
      'body.corrections.claims.credibility_score',
    ],
    ['a list that is none', { claims: { claims_verified: 'x' } }, 'body.corrections.claims.claims_verified'],
    [
      'a field that must not be null',
      { ai_tampered: { verdict: null } },
      'body.corrections.ai_tampered.verdict',
    ],
  ])('refuse %s', (_name, corrections, path) => {
    expect(detailsOf(() => correctBlocks(blocks, corrections, null, NOW))).toEqual([path]);
  });

  it('refuse a block that the session does not have', () => {
    const without = { ...blocks, ai_tampered: null };
    expect(detailsOf(() => correctBlocks(without, { ai_tampered: {} }, null, NOW))).toEqual([
      'body.corrections.ai_tampered',
    ]);
  });
});

describe('corrections of the verdict', () => {
  it('name the decided score, if there is one', () => {
    expect(decidedScore({ verdict: { risk_score: 71.5 } })).toBe(71.5);
    expect(decidedScore({ verdict: { explanation_en: 'x' } })).toBeUndefined();
    expect(decidedScore({ claims: {} })).toBeUndefined();
  });

  it.each([
    ['a score out of range', { risk_score: 101 }, 'body.corrections.verdict.risk_score'],
    ['a score that is none', { risk_score: 'high' }, 'body.corrections.verdict.risk_score'],
    ['a computed number', { score_claims: 3 }, 'body.corrections.verdict.score_claims'],
  ])('refuse %s', (_name, verdict, path) => {
    expect(detailsOf(() => decidedScore({ verdict }))).toEqual([path]);
  });

  it('put the words of the reviewer into the recomputed verdict, and never the score', () => {
    const verdict = correctVerdict(verdictRecord(), {
      verdict: { risk_score: 3, explanation_en: 'Checked by hand.' },
    });
    expect(verdict.explanation_en).toBe('Checked by hand.');
    expect(verdict.risk_score).toBe(verdictRecord().risk_score);
  });
});
