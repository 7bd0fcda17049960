import type { Edit, Stretch } from './edited-text.ts';

/** Ways to write a word so that people read it and programs do not. */
export type DisguiseKind =
  | 'invisible_characters'
  | 'markup'
  | 'spaced_letters'
  | 'inner_marks'
  | 'digits_for_letters';

/** A disguised word, in UTF-16 units of the text that it stands in. */
export interface Disguise extends Stretch {
  readonly kind: DisguiseKind;
}

/** What to change in a text, in order and without overlap, and the disguises that this takes off. */
export interface Unmasked {
  readonly edits: readonly Edit[];
  readonly disguises: readonly Disguise[];
}
