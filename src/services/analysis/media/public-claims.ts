import type { DecidedClaims } from '../resources/image-analysis.ts';

/** The public part of decided claims, without their positions and the session they come from. */
export const publicClaims = (claims: Readonly<DecidedClaims>): DecidedClaims =>
  claims.map(({ text, status, explanation_en, explanation_ro, reviewed_at }) => ({
    text,
    status,
    explanation_en,
    explanation_ro,
    reviewed_at,
  }));
