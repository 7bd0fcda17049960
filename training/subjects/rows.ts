/** Texts with the topics and the genre that readers gave them. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageFile } from '../../src/foundation/files.ts';
import { parseRows, type RawRow, textOf } from '../evaluate/rows.ts';
import { readRows } from '../rows.ts';

/** A text, what it is about, and of which kind it is. */
export interface SubjectRow {
  readonly id: string;
  readonly text: string;
  readonly language: 'en' | 'ro';
  /** The main topic first. */
  readonly topics: readonly string[];
  readonly genre: string;
  /** Whether a site published it: the others were written for this project. */
  readonly isPublished: boolean;
}

const linesOf = (...names: readonly string[]) =>
  parseRows(readFileSync(packageFile('training', 'data', ...names))).rows;

function articlesIn(folder: string): [string, RawRow][] {
  return readRows<{ id: string; title?: string; text: string }>(folder, 'hyperpartisan').map(
    ({ id, title, text }) => [String(id), { text: title === undefined ? text : `${title}. ${text}` }],
  );
}

function pagesIn(folder: string): [string, RawRow][] {
  const { rows } = parseRows(readFileSync(join(folder, 'extraction', 'wcxb-dev', 'index.jsonl')));
  return rows.map((row) => [
    String(row.id ?? row.file),
    { text: (row.gold as { text?: string }).text ?? '' },
  ]);
}

/** The texts of a set by their ids; `folder` holds the training data of others. */
function textsOf(set: string, folder: string): Map<string, RawRow> {
  if (set === 'hyperpartisan') return new Map(articlesIn(folder));
  if (set === 'wcxb-dev') return new Map(pagesIn(folder));
  return new Map(linesOf(`${set}.jsonl`).map((row) => [String(row.id), row]));
}

/** Finds texts by their set and id, each set read once; `folder` holds the training data of others. Throws where a text is gone. */
export function createTextLookup(folder: string): (set: string, id: string) => RawRow {
  const sets = new Map<string, Map<string, RawRow>>();
  return (set, id) => {
    const texts = sets.get(set) ?? textsOf(set, folder);
    sets.set(set, texts);
    const found = texts.get(id);
    if (found === undefined || textOf(found, 'text') === undefined)
      throw new Error(`There is no text ${id} in ${set}.`);
    return found;
  };
}

/** The labelled texts of a file of training/data/subjects. Throws where a text is gone. */
export function subjectRows(file: 'labels' | 'judging', folder: string): SubjectRow[] {
  const textIn = createTextLookup(folder);
  return linesOf('subjects', `${file}.jsonl`).map((row) => {
    const [set, id] = [String(row.set), String(row.id)];
    const found = textIn(set, id);
    const text = textOf(found, 'text') ?? '';
    return {
      id: `${set} ${id}`,
      text,
      language: found.lang === 'ro' ? 'ro' : 'en',
      topics: (row.topics as unknown[]).map(String),
      genre: String(row.genre),
      isPublished: !set.startsWith('hands/'),
    };
  });
}
