import type { ReasonLanguage } from '../reasons.ts';

/** Normalised ratings of fact-checks, for the wordings that are recognised. */
const RATING_NAMES: Readonly<Record<string, Readonly<Record<ReasonLanguage, string>>>> = {
  false: { en: 'false', ro: 'fals' },
  misleading: { en: 'misleading', ro: 'înșelător' },
  unproven: { en: 'unproven', ro: 'nedovedit' },
  mixed: { en: 'partly true', ro: 'parțial adevărat' },
  true: { en: 'true', ro: 'adevărat' },
};

/** A rating in a language; the reviewer's own words stay as they are. */
export function ratingName(rating: string, language: ReasonLanguage): string {
  return Object.hasOwn(RATING_NAMES, rating) ? (RATING_NAMES[rating]?.[language] ?? rating) : rating;
}
