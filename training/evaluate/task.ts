import {
  createEncoder,
  type Encoder,
  type EncoderLanguage,
  shareEncoder,
} from '../../src/text/encoder/encoder.ts';
import { readEncoderParts } from '../encoder/parts.ts';
import type { Report } from './figures.ts';
import { languageOf, type RawRow, textOf } from './rows.ts';

/** A task that can be scored: one folder of the training data. */
export interface Task {
  /** Whether the shipped weights were made without this row; no function where they saw all of them. */
  readonly heldBack?: (row: RawRow) => boolean;
  /** Held-back rows that lie in the folder of another task. */
  readonly further?: (rowsOf: (task: string) => readonly RawRow[]) => readonly RawRow[];
  /** Scores rows with the shipped models. */
  evaluate(rows: readonly RawRow[]): Promise<Report>;
}

/** A row of which the fields that are needed are there. */
export interface ReadRow {
  readonly row: RawRow;
  readonly index: number;
  readonly language: string;
}

/** Rows with the fields that a task needs, and a note about the others. */
export function rowsWith(
  rows: readonly RawRow[],
  fields: readonly string[],
): { read: ReadRow[]; notes: string[] } {
  const read = rows
    .map((row, index) => ({ row, index, language: languageOf(row) }))
    .filter(({ row }) => fields.every((field) => textOf(row, field) !== undefined));
  const missing = rows.length - read.length;
  const notes = missing === 0 ? [] : [`${missing} rows without ${fields.join(', ')} were left out`];
  return { read, notes };
}

/** Rows whose label the model knows, and a note about the others. */
export function rowsLabelled(
  rows: readonly ReadRow[],
  labels: readonly string[],
  nameOf: (row: RawRow) => string | undefined = (row) => textOf(row, 'label'),
): { known: (ReadRow & { label: string })[]; notes: string[] } {
  const unknown = new Map<string, number>();
  const known = rows.flatMap((one) => {
    const label = nameOf(one.row);
    if (label !== undefined && labels.includes(label)) return [{ ...one, label }];
    const name = label ?? '(none)';
    unknown.set(name, (unknown.get(name) ?? 0) + 1);
    return [];
  });
  const told = [...unknown].map(([label, count]) => `${label} ${count}`).join(', ');
  return { known, notes: told === '' ? [] : [`rows with other labels were left out: ${told}`] };
}

let encoder: Encoder | undefined;

/** The packaged encoder, loaded when it is first asked. */
export function packagedEncoder(): Encoder {
  encoder ??= createEncoder(shareEncoder(readEncoderParts(), 1), 0);
  return encoder;
}

const BATCH = 64;

/** Vectors of texts, each read as its language; zeros where there is nothing to read. */
export function vectorsOf(texts: readonly { text: string; language: string }[]): Float32Array[] {
  const own = packagedEncoder();
  const vectors: Float32Array[] = texts.map(() => new Float32Array(512));
  // Texts of like length are read together: a batch costs what its longest text costs.
  const order = [...texts.keys()].sort(
    (one, other) => (texts[one]?.text.length ?? 0) - (texts[other]?.text.length ?? 0),
  );
  for (const language of ['en', 'ro'] satisfies EncoderLanguage[]) {
    const part = order.filter((at) => (texts[at]?.language === 'ro') === (language === 'ro'));
    for (let start = 0; start < part.length; start += BATCH) {
      const batch = part.slice(start, start + BATCH);
      const encoded = own.encode(
        batch.map((at) => texts[at]?.text ?? ''),
        language,
      );
      encoded.forEach(({ vector }, at) => {
        if (vector !== null) vectors[batch[at] ?? 0] = vector;
      });
    }
  }
  return vectors;
}
