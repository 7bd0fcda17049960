import { describe, expect, it } from 'vitest';
import { knownFalseMatch } from '../../../../../src/services/analysis/pipeline/verdict/known-false.ts';
import type { ClaimItem } from '../../../../../src/services/analysis/resources/claims-result.ts';
import { claim, claimsBlock } from '../blocks.ts';

const CALM = 'A calm sentence about the village. '.repeat(40);
const SAID = 'Vaccines cause autism.';

/** A claim of ours at a place of the text, refuted by two sites and a confirmed review of one of them. */
function refuted(start: number, more: Partial<ClaimItem> = {}): ClaimItem {
  const base = claim('verified_false', 2);
  const url = base.evidence[0]?.url ?? '';
  return {
    ...base,
    text: SAID,
    span: {
      start,
      end: start + SAID.length,
      start_utf16: start,
      end_utf16: start + SAID.length,
      quote: SAID,
    },
    previous_fact_checks: [
      { publisher: 'p', url, claim: SAID, rating: 'false', similarity: 0.8, match: 'confirmed' },
    ],
    ...more,
  };
}

const outcome = (claims: ClaimItem[]) => ({
  state: 'ran' as const,
  block: claimsBlock(30, claims),
  reliability: 'planned' as const,
  quality: 1,
  fallbacks: 0,
  out_of_scope: false,
});
const found = (claims: ClaimItem[], text = SAID) => knownFalseMatch(outcome(claims), text);

describe('refuted claims that a text makes', () => {
  it('match by the review that refutes them', () => {
    const match = found([refuted(0)]);
    expect(match).toMatchObject({ entails: true, share: 1 });
    expect(match?.similarity).toBeCloseTo(0.99);
  });

  it('match where a denial was what was checked', () => {
    const text = 'It is not true that vaccines were tested by doctors.';
    expect(found([refuted(0, { voice: 'denied', text })])).toBeUndefined();
    const rumour = 'It is not true that the bridge fell.';
    expect(found([refuted(0, { voice: 'denied', text: rumour })])).toMatchObject({ entails: true, share: 1 });
  });

  it.each([
    ['is somebody else’s word', { voice: 'quoted' as const }],
    ['has a voice that nobody told', { voice: null }],
    ['is misleading rather than false', { status: 'misleading' }],
    ['was reviewed in other words', { previous_fact_checks: [] }],
    [
      'has a review that only suggests',
      {
        previous_fact_checks: [
          {
            publisher: 'p',
            url: 'https://site0.example/',
            claim: null,
            rating: 'false',
            similarity: 0.9,
            match: 'suggested' as const,
          },
        ],
      },
    ],
    ['has a review that refutes nothing', { evidence: [] }],
  ])('do not when the claim %s', (_why, more) => {
    expect(found([refuted(0, more)])).toBeUndefined();
  });

  it('are a share of the text, all of it where one leads', () => {
    const text = `${CALM}${SAID}`;
    expect(found([refuted(CALM.length)], text)?.share).toBeCloseTo(SAID.length / text.length);
    expect(found([refuted(CALM.length), refuted(10)], text)?.share).toBe(1);
  });

  it('are not looked for where claims did not run', () => {
    expect(
      knownFalseMatch({ state: 'skipped', reason: { code: 'no_text', values: {} } }, SAID),
    ).toBeUndefined();
  });
});
