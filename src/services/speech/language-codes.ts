const LETTERS = [...'abcdefghijklmnopqrstuvwxyz'];

/** Codes of ISO 639-1 by the English names of their languages. */
const BY_NAME: ReadonlyMap<string, string> = (() => {
  const names = new Intl.DisplayNames(['en'], { type: 'language', fallback: 'none' });
  const codes = LETTERS.flatMap((one) => LETTERS.map((two) => one + two));
  return new Map(
    codes.flatMap((code): [string, string][] => {
      const name = names.of(code);
      // Codes that were given up lead to those that took their place.
      return name === undefined ? [] : [[name.toLowerCase(), Intl.getCanonicalLocales(code)[0] ?? code]];
    }),
  );
})();

/** The code of a language that an engine names by a code, a locale or an English word; null when it is none that is known. */
export function languageCode(written: string | null | undefined): string | null {
  const name = written?.trim().toLowerCase() ?? '';
  const byName = BY_NAME.get(name);
  if (byName !== undefined) return byName;
  const code = /^([a-z]{2,3})(?:[-_][a-z\d-_]*)?$/.exec(name)?.[1];
  return code === undefined || code === 'und' ? null : code;
}
