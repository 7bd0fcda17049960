import { describe, expect, it } from 'vitest';
import { nearReviewOf } from '../../../../../src/services/analysis/pipeline/explain/near-review.ts';
import type {
  ClaimItem,
  PreviousFactCheck,
} from '../../../../../src/services/analysis/resources/claims-result.ts';
import { calm, claim, claimsBlock, ran } from '../blocks.ts';
import { explained } from './explained.ts';

const check = (more: Partial<PreviousFactCheck> = {}): PreviousFactCheck => ({
  publisher: 'VERA Files',
  url: 'https://one.example/check',
  claim: 'They put chips in the COVID vaccine.',
  rating: 'false',
  similarity: 0.81,
  match: 'suggested',
  ...more,
});
const claimsWith = (checks: readonly PreviousFactCheck[], more: Partial<ClaimItem> = {}) => {
  const item = claim('unverified', 0);
  const quote = 'They slipped a chip into everybody.';
  const near: ClaimItem = {
    ...item,
    span: { ...item.span, quote },
    previous_fact_checks: [...checks],
    ...more,
  };
  return ran(claimsBlock(null, [near]));
};

describe('a claim that is near to a refuted one', () => {
  it('is named with it', () => {
    const { explanation_en: en, explanation_ro: ro } = explained(calm({ claims: claimsWith([check()]) }));
    expect(en).toContain(
      'What it says (“They slipped a chip into everybody”) is near to a claim that was checked and found false (“They put chips in the COVID vaccine”) by VERA Files; it may say something else, so compare the two.',
    );
    expect(ro).toContain(
      'Ce spune textul („They slipped a chip into everybody”) seamănă cu o afirmație verificată și găsită falsă („They put chips in the COVID vaccine”) de VERA Files; poate spune altceva, așa că merită comparate.',
    );
  });

  it('leaves no calm word beside it', () => {
    const about = { text: 'The bridge was opened in May.', type: 'event' };
    const adviceBeside = (checks: readonly PreviousFactCheck[]) =>
      explained(calm({ claims: claimsWith(checks, about) })).explanation_en;
    expect(adviceBeside([])).toContain('found nothing against it');
    expect(adviceBeside([check()])).toContain('found nothing decisive');
  });

  it('is that of the nearest', () => {
    const checks = [
      check({ similarity: 0.72, publisher: 'One' }),
      check({ similarity: 0.9, publisher: 'Two' }),
    ];
    expect(nearReviewOf(claimsWith(checks))).toMatchObject({ publisher: 'Two' });
  });

  it.each<[string, Partial<PreviousFactCheck>, Partial<ClaimItem>]>([
    ['a true claim', { rating: 'true' }, {}],
    ['a misleading claim', { rating: 'misleading' }, {}],
    ['a claim that is not near enough', { similarity: 0.69 }, {}],
    ['the very claim, which the sources of it decide or leave open', { match: 'confirmed' }, {}],
    ['a claim without words', { claim: null }, {}],
    ['a claim that the text denies', {}, { voice: 'denied' }],
    ['a claim that the text asks about', {}, { voice: 'asked' }],
    ['a claim that was decided', {}, { status: 'verified_true' }],
  ])('is none beside %s', (_what, more, item) => {
    expect(nearReviewOf(claimsWith([check(more)], item))).toBeNull();
  });

  it.each([
    ['There is no chip in the vaccine.', 'They put chips in the COVID vaccine.', null],
    ['The Earth is round.', 'The Earth is not round.', null],
    ['Nobody ever landed on the Moon.', 'No human has ever walked on the Moon.', 'One'],
  ])('is none where it denies what the other says: %s', (quote, reviewed, publisher) => {
    const { span } = claim('unverified', 0);
    const checks = [check({ claim: reviewed, publisher: 'One' })];
    const near = nearReviewOf(claimsWith(checks, { span: { ...span, quote } }));
    expect(near?.publisher ?? null).toBe(publisher);
  });

  it("is told by the reviewer's own word for false", () => {
    expect(nearReviewOf(claimsWith([check({ rating: 'Fals' })]))).not.toBeNull();
  });
});
