import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { packageFile } from '../../src/foundation/files.ts';
import type { Figure } from './figures.ts';

/** Figures that were measured while a model was made, on rows that the measured weights had not seen. */
export interface Recorded {
  readonly task: string;
  /** How the rows were kept apart. */
  readonly split: string;
  readonly figures: readonly Figure[];
}

const FILE = packageFile('models', 'figures.json');

/** All recorded figures. */
export function recordedFigures(): Recorded[] {
  return existsSync(FILE) ? (JSON.parse(readFileSync(FILE, 'utf8')) as Recorded[]) : [];
}

const short = (value: number) => Number(value.toFixed(4));

/** Puts the figures of a task over a split in the place of its former ones. */
export function recordFigures(record: Recorded): void {
  const figures = record.figures.map((figure) => ({
    ...figure,
    value: short(figure.value),
    low: short(figure.low),
    high: short(figure.high),
    baseline: figure.baseline && { ...figure.baseline, value: short(figure.baseline.value) },
  }));
  const others = recordedFigures().filter(
    ({ task, split }) => task !== record.task || split !== record.split,
  );
  const all = [...others, { ...record, figures }].sort((one, other) => (one.task < other.task ? -1 : 1));
  writeFileSync(FILE, `${JSON.stringify(all, null, 1)}\n`);
}
