import { readFileSync } from 'node:fs';
import { packageFile } from '../../../foundation/files.ts';
import { type PlainText, plainTextOf } from '../../../text/plain/plain-text.ts';
import { loadVocabulary, type Vocabulary } from '../../../text/vocabulary.ts';

let vocabulary: Vocabulary | undefined;

/** A text as a person reads it; every engine reads it so, and its findings point into what was sent. */
export function toPlainText(text: string): PlainText {
  vocabulary ??= loadVocabulary(readFileSync(packageFile('models', 'vocabulary.bin')));
  return plainTextOf(text, vocabulary);
}
