/** Texts in which readers named the techniques of each sentence (training/data/techniques). */
import { readFileSync } from 'node:fs';
import { packageFile } from '../../src/foundation/files.ts';
import { toPlainText } from '../../src/services/analysis/engines/plain-text.ts';
import { sentencesOf } from '../../src/text/sentences.ts';
import { parseRows, textOf } from '../evaluate/rows.ts';
import { createTextLookup } from '../subjects/rows.ts';

/** A sentence with what readers named in it. */
export interface ReadSentence {
  readonly text: string;
  /** UTF-16 offset in the text as a person reads it. */
  readonly start: number;
  /** The clearest first; none where it shows nothing. */
  readonly codes: readonly string[];
  /** Those of a second reader, where there was one. */
  readonly second?: readonly string[] | undefined;
}

/** A text whose sentences, or the first of them, readers have judged. */
export interface ReadText {
  readonly id: string;
  readonly text: string;
  readonly language: 'en' | 'ro';
  /** Whether a site published it: the others were written for this project. */
  readonly isPublished: boolean;
  readonly sentences: readonly ReadSentence[];
}

/** What teaches, what bounds and mixtures are chosen on, and what only judges. */
export type ReadFile = 'labels' | 'choosing' | 'judging';

type Marks = Readonly<Record<string, readonly string[]>>;

/** The texts of a file; `folder` holds the training data of others. Throws where a text is gone or is cut otherwise than its readers saw it. */
export function readTexts(file: ReadFile, folder: string): ReadText[] {
  const textIn = createTextLookup(folder);
  const { rows } = parseRows(readFileSync(packageFile('training', 'data', 'techniques', `${file}.jsonl`)));
  return rows.map((row) => {
    const [set, id] = [String(row.set), String(row.id)];
    const found = textIn(set, id);
    const text = textOf(found, 'text') ?? '';
    const cut = sentencesOf(toPlainText(text).text).slice(0, Number(row.sentences));
    if (cut.length !== row.sentences)
      throw new Error(`${set} ${id} has other sentences than its readers saw.`);
    const [marks, second] = [row.marks as Marks, row.second as Marks | undefined];
    return {
      id: `${set} ${id}`,
      text,
      language: found.lang === 'ro' ? 'ro' : 'en',
      isPublished: !set.startsWith('hands/'),
      sentences: cut.map((sentence, index) => ({
        text: sentence.text,
        start: sentence.start,
        codes: marks[index + 1] ?? [],
        ...(second && { second: second[index + 1] ?? [] }),
      })),
    };
  });
}
