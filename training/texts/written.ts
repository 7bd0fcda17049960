/** Rows by our own writers that teach text classifiers. */
import { readFileSync } from 'node:fs';
import { packageFile } from '../../src/foundation/files.ts';
import { parseRows, type RawRow } from '../evaluate/rows.ts';

/** The hands of training/data/hands that teach, by the file that they wrote; others judge only. */
const HANDS = {
  'headlines.jsonl': ['cg', 'ch', 'ci', 'cj'],
} as const;

/** A file that hands wrote. */
export type WrittenFile = keyof typeof HANDS;

/** The rows of all hands that teach, each marked as `written`. */
export function writtenRows(file: WrittenFile): RawRow[] {
  return HANDS[file]
    .flatMap((hand) => parseRows(readFileSync(packageFile('training', 'data', 'hands', hand, file))).rows)
    .map((row) => ({ ...row, written: true }));
}
