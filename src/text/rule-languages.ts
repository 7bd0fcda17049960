/** The languages that rules and word lists exist for. */
export type RuleLanguage = 'en' | 'ro';

/** Frequent function words, folded, that the other language does not have. */
const functionWords: Readonly<Record<RuleLanguage, ReadonlySet<string>>> = {
  en: new Set('the of and that with they this was have from you which will their would'.split(' ')),
  ro: new Set('si sa nu din pentru este sunt sau dar iar cel lui prin fost aceasta acest'.split(' ')),
};

/** Function words of the other language from which a text counts as mixed: about two sentences; quoted names have fewer. */
const LEAST_FOREIGN = 8;

/**
 * The languages whose rules apply to a text: its own, the other one too where a passage is written in it, and both for a
 * language without rules. `words` are folded (lower case, no diacritics).
 */
export function ruleLanguagesOf(words: Iterable<string>, language: string): RuleLanguage[] {
  if (language !== 'en' && language !== 'ro') return ['en', 'ro'];
  const foreign = functionWords[language === 'en' ? 'ro' : 'en'];
  let count = 0;
  for (const word of words) {
    if (!foreign.has(word)) continue;
    count += 1;
    if (count >= LEAST_FOREIGN) return ['en', 'ro'];
  }
  return [language];
}
