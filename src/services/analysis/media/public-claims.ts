import type { DecidedClaims } from '../resources/image-analysis.ts';

/** What others may know of decided claims: neither where they stood nor whose session it was. */
export const publicClaims = (claims: Readonly<DecidedClaims>): DecidedClaims =>
  claims.map(({ text, status, explanation_en, explanation_ro, reviewed_at }) => ({
    text,
    status,
    explanation_en,
    explanation_ro,
    reviewed_at,
  }));
