import type { TextRange } from '../positions.ts';
import type { TextEdit } from './edited-text.ts';

/** Ways to write a word so that people can read it and filters cannot. */
export type DisguiseKind =
  | 'invisible_characters'
  | 'markup'
  | 'spaced_letters'
  | 'inner_marks'
  | 'digits_for_letters';

/** A disguised word, in UTF-16 units of the text that it stands in. */
export interface Disguise extends TextRange {
  readonly kind: DisguiseKind;
}

/** Edits that restore plain spelling, in order and without overlap, and the disguises that they remove. */
export interface DisguiseRemoval {
  readonly edits: readonly TextEdit[];
  readonly disguises: readonly Disguise[];
}
