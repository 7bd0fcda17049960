import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { packageFile } from '../../src/foundation/files.ts';
import { DATA_FOLDER, readRows } from '../rows.ts';

/** A text of a written set; which fields there are beside the first three depends on the file. */
export interface WrittenRow {
  readonly id: string;
  readonly lang: 'en' | 'ro';
  readonly text: string;
  readonly kind?: string;
  readonly register?: string;
  readonly scam?: boolean;
  readonly stance?: string;
  readonly plain?: string;
  readonly expected?: { readonly accept: readonly Band[] };
}

/** Bands of a whole text: low is under 40, medium under 60. */
export type Band = 'low' | 'medium' | 'high';

/** The band of a risk score. */
export function bandOf(risk: number): Band {
  if (risk < 40) return 'low';
  return risk < 60 ? 'medium' : 'high';
}

/** The set that the authors of the rules wrote. */
export const WRITTEN = packageFile('training', 'data', 'written');

/** Rows of one file of a set. */
export function rowsOf(name: string, folder: string = WRITTEN): WrittenRow[] {
  return readFileSync(join(folder, `${name}.jsonl`), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as WrittenRow);
}

/** A row of a set of others, which stays where it is; the band is that of our own annotator. */
interface ForeignRow extends Omit<WrittenRow, 'text'> {
  readonly set: string;
  readonly row: string;
}

interface StoredRow {
  readonly id: string;
  readonly title?: string;
  readonly text?: string;
  readonly gold?: { readonly text: string };
}

/** Whole texts with the bands that a careful reader would accept; a loud text without its own may be medium or high. */
export function wholeTexts(folder: string = WRITTEN, data: string = DATA_FOLDER): WrittenRow[] {
  if (resolve(folder) !== WRITTEN) return rowsOf('whole', folder);
  const loud = rowsOf('loud', folder).map((row) => ({
    ...row,
    expected: { accept: ['medium', 'high'] as const },
  }));
  return [...rowsOf('whole', folder), ...loud, ...foreignTexts(folder, data)];
}

/** The texts that `whole-others.jsonl` names. Throws when one is not where it says. */
function foreignTexts(folder: string, data: string): WrittenRow[] {
  const named = readFileSync(join(folder, 'whole-others.jsonl'), 'utf8').trim().split('\n');
  const sets = new Map<string, Map<string, StoredRow>>();
  return named.map((line) => {
    const { set, row, ...rest } = JSON.parse(line) as ForeignRow;
    const rows = sets.get(set) ?? new Map(storedRows(set, folder, data).map((one) => [one.id, one]));
    sets.set(set, rows);
    const { title, text, gold } = rows.get(row) ?? {};
    const body = text ?? gold?.text;
    if (body === undefined) throw new Error(`${set} has no row ${row}.`);
    return { ...rest, text: title ? `${title}\n\n${body}` : body };
  });
}

function storedRows(set: string, folder: string, data: string): readonly StoredRow[] {
  if (set === 'scams') return rowsOf(set, folder);
  if (set !== 'extraction') return readRows(data, set);
  const index = readFileSync(join(data, 'extraction', 'wcxb-dev', 'index.jsonl'), 'utf8');
  return index
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as StoredRow);
}

/** Forty calm passages: two of each register, one in each language. */
export function calmForty(folder: string = WRITTEN): WrittenRow[] {
  const seen = new Set<string>();
  return rowsOf('calm', folder).filter(({ lang, register }) => {
    const key = `${lang} ${register}`;
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}

/** The text with a phrase put in as a sentence or line of its own: before it, after it, or between two sentences. */
export function withPhrase(text: string, phrase: string, share: number): string {
  const breaks = [...text.matchAll(/[.!?…]["”]?\s+(?=\S)/gu)].map((match) => match.index + match[0].length);
  const places = [0, ...breaks, text.length];
  const at = places[Math.min(places.length - 1, Math.floor(share * places.length))] ?? 0;
  const before = text.slice(0, at);
  const after = text.slice(at);
  const joint = before === '' || /\s$/u.test(before) ? '' : ' ';
  return `${before}${joint}${phrase}${after === '' ? '' : after.startsWith('\n') || phrase.endsWith(':') ? after : ` ${after}`}`;
}
