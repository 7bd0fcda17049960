import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { hashText } from '../../src/text/features.ts';

/** A row of a file as it was read; its fields are not known before they are checked. */
export type RawRow = Readonly<Record<string, unknown>>;

/** What a file holds. */
export interface RowFile {
  readonly rows: readonly RawRow[];
  /** Numbers of lines that are no JSON objects. */
  readonly bad: readonly number[];
}

const GZIP = [0x1f, 0x8b];

/** Reads JSON lines, plain or gzip, which the first bytes distinguish. */
export function parseRows(bytes: Uint8Array): RowFile {
  const isGzip = GZIP.every((byte, index) => bytes[index] === byte);
  const text = (isGzip ? gunzipSync(bytes) : Buffer.from(bytes)).toString('utf8').replace(/^\uFEFF/, '');
  const rows: RawRow[] = [];
  const bad: number[] = [];
  text.split(/\r?\n/).forEach((line, index) => {
    if (line.trim() === '') return;
    const row = objectOf(line);
    if (row === undefined) bad.push(index + 1);
    else rows.push(row);
  });
  return { rows, bad };
}

function objectOf(line: string): RawRow | undefined {
  try {
    const value: unknown = JSON.parse(line);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? (value as RawRow) : undefined;
  } catch {
    return undefined;
  }
}

/** Reads a file of rows. */
export function readRowFile(path: string): RowFile {
  return parseRows(readFileSync(path));
}

/** A field as text, or undefined. */
export function textOf(row: RawRow, name: string): string | undefined {
  const value = row[name];
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}

/** The language of a row, English where it says nothing. */
export function languageOf(row: RawRow): string {
  return (textOf(row, 'lang') ?? 'en').slice(0, 2).toLowerCase();
}

/** What keeps rows together when rows are drawn: the document, else the row itself. */
export function groupOf(row: RawRow, index: number): string {
  return textOf(row, 'doc') ?? textOf(row, 'id') ?? `row ${index}`;
}

/** One row in ten is held back: by its text, so that it is the same one wherever and however often it stands. */
export function isHeldBack(text: string): boolean {
  return (hashText(text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, ' ')) >>> 7) % 10 === 0;
}
