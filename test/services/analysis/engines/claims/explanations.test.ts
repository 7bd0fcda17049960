import { describe, expect, it } from 'vitest';
import taxonomy from '../../../../../data/taxonomy/claims.json' with { type: 'json' };
import { explainClaim } from '../../../../../src/services/analysis/engines/claims/explanations.ts';
import type { ClaimType } from '../../../../../src/services/analysis/engines/claims/types.ts';

describe('the explanation of a claim', () => {
  it('says kind, worth and status in plain sentences', () => {
    const { explanation_en: en, explanation_ro: ro } = explainClaim('statistical', 'unverified', 0.97);
    expect(en).toMatch(
      /^Number or statistic: a quantity, .+\. Check-worthiness 97 of 100\. Not enough evidence: it /,
    );
    expect(ro).toMatch(
      /^Număr sau statistică: o cantitate, .+\. Importanța verificării: 97 din 100\. Dovezi /,
    );
  });

  it('is well formed for every kind and status', () => {
    for (const type of taxonomy.types) {
      for (const status of taxonomy.statuses) {
        const pair = explainClaim(type.code as ClaimType, status.code, 0.5);
        for (const text of Object.values(pair))
          expect(text).not.toMatch(/\.\.|\(|: \p{Lu}\p{Ll}|: *\.|undefined/u);
      }
    }
  });
});
