/** The languages that rules and word lists exist for. */
export type ReadLanguage = 'en' | 'ro';

/** Frequent function words, folded, that the other language does not have. */
const functionWords: Readonly<Record<ReadLanguage, ReadonlySet<string>>> = {
  en: new Set('the of and that with they this was have from you which will their would'.split(' ')),
  ro: new Set('si sa nu din pentru este sunt sau dar iar cel lui prin fost aceasta acest'.split(' ')),
};

/** About two sentences: names of papers and firms bring less, a foreign paragraph brings more. */
const LEAST_FOREIGN = 8;

/**
 * The languages in which a text has to be read: that of the whole, and the other one too where a passage is written in
 * it; both for a language without rules. `words` are folded (small letters, no diacritics).
 */
export function languagesToRead(words: Iterable<string>, language: string): ReadLanguage[] {
  if (language !== 'en' && language !== 'ro') return ['en', 'ro'];
  const foreign = functionWords[language === 'en' ? 'ro' : 'en'];
  let found = 0;
  for (const word of words) {
    if (!foreign.has(word)) continue;
    found += 1;
    if (found >= LEAST_FOREIGN) return ['en', 'ro'];
  }
  return [language];
}
