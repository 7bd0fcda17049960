import type { LocalizedText } from '../../../../foundation/localized-text.ts';
import type { Disguise, DisguiseKind } from '../../../../text/plain/disguise.ts';
import type { Positions, Span } from '../../../../text/positions.ts';

/** Disguised words of one kind: shown to a reader, and worth nothing in any score. */
export interface DisguiseSign {
  readonly kind: DisguiseKind;
  /** How many words. */
  readonly count: number;
  /** The first of them. */
  readonly where: Span;
}

/** The disguised words of a text by their kind; `positions` are those of what was sent. */
export function disguiseSigns(disguises: readonly Disguise[], positions: Positions): DisguiseSign[] {
  const kinds = [...new Set(disguises.map(({ kind }) => kind))];
  return kinds.flatMap((kind) => {
    const all = disguises.filter((disguise) => disguise.kind === kind);
    const [first] = all;
    if (first === undefined) return [];
    return [{ kind, count: all.length, where: positions.span(first.start, first.end) }];
  });
}

/** The explanation of a kind, in both languages. */
export const disguiseReasons: Readonly<Record<DisguiseKind, (count: number) => LocalizedText>> = {
  invisible_characters: (count) => ({
    en: `Invisible characters inside words: ${count}.`,
    ro: `Caractere invizibile în interiorul cuvintelor: ${count}.`,
  }),
  markup: (count) => ({
    en: `Markup inside words that shows nothing: ${count}.`,
    ro: `Marcaje fără efect vizibil în interiorul cuvintelor: ${count}.`,
  }),
  spaced_letters: (count) => ({
    en: `Words with their letters set apart: ${count}.`,
    ro: `Cuvinte cu literele despărțite: ${count}.`,
  }),
  inner_marks: (count) => ({
    en: `Words with punctuation inside: ${count}.`,
    ro: `Cuvinte cu semne de punctuație în interior: ${count}.`,
  }),
  digits_for_letters: (count) => ({
    en: `Words with digits or signs in place of letters: ${count}.`,
    ro: `Cuvinte cu cifre sau semne în locul literelor: ${count}.`,
  }),
};
