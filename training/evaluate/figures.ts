import {
  areaUnderCurve,
  atThreshold,
  averagePrecision,
  calibrationError,
  calibrationErrorIfRight,
  type Scored,
} from '../metrics.ts';
import { randomStream } from '../rows.ts';

/** A figure with its 95 % interval, and what it is compared with: an answer without any model, another reader, chances that are right. */
export interface Figure {
  /** Which rows: a language, a source. */
  readonly part: string;
  readonly metric: string;
  readonly value: number;
  readonly low: number;
  readonly high: number;
  readonly rows: number;
  readonly baseline: { readonly name: string; readonly value: number } | null;
}

/** What was measured of a task, and what was left out and why. */
export interface Report {
  readonly figures: readonly Figure[];
  readonly notes: readonly string[];
  /** Reliability diagrams to be drawn, by the name of the file in models/. */
  readonly diagrams?: readonly {
    readonly file: string;
    readonly title: string;
    readonly rows: readonly Scored[];
  }[];
}

/** Something that belongs to a document. */
interface Grouped {
  readonly group: string;
}

/** A number over rows. */
export type Metric<Row> = (rows: readonly Row[]) => number;

/** Rows by a key, in the order of their first appearance. */
export function groupedBy<Row>(rows: readonly Row[], keyOf: (row: Row) => string): Map<string, Row[]> {
  const groups = new Map<string, Row[]>();
  for (const row of rows) {
    const key = keyOf(row);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [row]);
    else group.push(row);
  }
  return groups;
}

/** Draws of the bootstrap: fewer where there are many rows, which need fewer. */
const drawsFor = (rows: number) => (rows > 5000 ? 60 : 200);

/** The figures of some rows: intervals by drawing whole documents with replacement. */
export function figuresOf<Row extends Grouped>(
  part: string,
  rows: readonly Row[],
  metrics: Readonly<Record<string, { of: Metric<Row>; baseline?: Figure['baseline'] }>>,
): Figure[] {
  if (rows.length === 0) return [];
  const groups = [...groupedBy(rows, ({ group }) => group).values()];
  const random = randomStream(20);
  const draws = Array.from({ length: drawsFor(rows.length) }, () =>
    groups.flatMap(() => groups[Math.floor(random() * groups.length)] ?? []),
  );
  return Object.entries(metrics).map(([metric, { of, baseline = null }]) => {
    const values = draws
      .map(of)
      .filter(Number.isFinite)
      .sort((one, other) => one - other);
    const at = (share: number) => values[Math.min(values.length - 1, Math.floor(share * values.length))];
    const [low = Number.NaN, high = Number.NaN] = [at(0.025), at(0.975)];
    return { part, metric, value: of(rows), low, high, rows: rows.length, baseline };
  });
}

/** Calibration error of what the rows say, beside the one that as few rows would have if every chance were right. */
export function calibrationOf<Row>(
  rows: readonly Row[],
  chancesOf: (rows: readonly Row[]) => readonly Scored[],
): { readonly of: Metric<Row>; readonly baseline: NonNullable<Figure['baseline']> } {
  return {
    of: (some) => calibrationError(chancesOf(some)),
    baseline: { name: 'if all chances were right', value: calibrationErrorIfRight(chancesOf(rows)) },
  };
}

/** Rows that are chances already. */
export const asTheyAre = (rows: readonly Scored[]): readonly Scored[] => rows;

/** A row that has one true label, with the label that was said and how surely. */
export interface Labelled extends Grouped {
  readonly truth: string;
  readonly said: string;
  /** Probability of what was said, 0 to 1. */
  readonly confidence: number;
}

/** Share of rows that are right. */
export function accuracy(rows: readonly Labelled[]): number {
  return rows.filter(({ truth, said }) => truth === said).length / rows.length;
}

/** Mean F1 over the labels that stand in the rows. */
export function macroF1(rows: readonly Labelled[]): number {
  const labels = [...new Set(rows.map(({ truth }) => truth))];
  const sum = labels.reduce((total, label) => {
    const hits = rows.filter(({ truth, said }) => truth === label && said === label).length;
    const all = rows.filter(({ truth }) => truth === label).length;
    const found = rows.filter(({ said }) => said === label).length;
    return total + (2 * hits) / Math.max(1, all + found);
  }, 0);
  return sum / labels.length;
}

/** The most frequent label as the only answer. */
function constantAnswer(rows: readonly Labelled[]): Labelled[] {
  const counts = [...groupedBy(rows, ({ truth }) => truth)].map(
    ([label, own]) => [label, own.length] as const,
  );
  const [said = ''] = counts.sort((one, other) => other[1] - one[1])[0] ?? [];
  return rows.map((row) => ({ ...row, said }));
}

/** Rows as said and right or wrong. */
export const asChance = (rows: readonly Labelled[]): Scored[] =>
  rows.map(({ confidence, truth, said, group }) => ({ score: confidence, truth: truth === said, group }));

/** Figures of a choice between labels. */
export function choiceFigures(part: string, rows: readonly Labelled[]): Figure[] {
  const constant = constantAnswer(rows);
  const name = 'most frequent';
  return figuresOf(part, rows, {
    accuracy: { of: accuracy, baseline: { name, value: accuracy(constant) } },
    'macro F1': { of: macroF1, baseline: { name, value: macroF1(constant) } },
    'calibration error': calibrationOf(rows, asChance),
  });
}

/** Figures of a yes or no: `threshold` is the one in use. */
export function yesNoFigures(part: string, rows: readonly Scored[], threshold: number): Figure[] {
  const share = rows.filter(({ truth }) => truth).length / Math.max(1, rows.length);
  const all = { name: 'always yes', value: (2 * share) / (1 + share) };
  return figuresOf(part, rows, {
    F1: { of: (some) => atThreshold(some, threshold).f1, baseline: all },
    AUC: { of: areaUnderCurve, baseline: { name: 'chance', value: 0.5 } },
    'average precision': { of: averagePrecision, baseline: { name: 'chance', value: share } },
    'calibration error': calibrationOf(rows, asTheyAre),
  });
}

/** A row that has any number of labels. */
export interface ManyLabels extends Grouped {
  readonly truth: ReadonlySet<string>;
  readonly said: ReadonlySet<string>;
  /** Labels that were annotated in this row: others are neither right nor wrong. */
  readonly looked: ReadonlySet<string>;
}

function countsOf(rows: readonly ManyLabels[], label: string): [hits: number, sum: number] {
  let [hits, sum] = [0, 0];
  for (const { truth, said, looked } of rows) {
    if (!looked.has(label)) continue;
    const [yes, found] = [truth.has(label), said.has(label)];
    hits += yes && found ? 1 : 0;
    sum += (yes ? 1 : 0) + (found ? 1 : 0);
  }
  return [hits, sum];
}

/** Figures of labels of which a row may have several; labels without a true row take no part in the mean. */
export function manyLabelFigures(
  part: string,
  rows: readonly ManyLabels[],
  labels: readonly string[],
): Figure[] {
  const present = labels.filter((label) => rows.some(({ truth }) => truth.has(label)));
  const macro = (some: readonly ManyLabels[]) =>
    present.reduce((total, label) => {
      const [hits, sum] = countsOf(some, label);
      return total + (2 * hits) / Math.max(1, sum);
    }, 0) / present.length;
  const micro = (some: readonly ManyLabels[]) => {
    const all = labels.map((label) => countsOf(some, label));
    const total = (of: 0 | 1) => all.reduce((sum, counts) => sum + counts[of], 0);
    return (2 * total(0)) / Math.max(1, total(1));
  };
  const everything = rows.map((row) => ({ ...row, said: row.looked }));
  const name = 'all labels';
  return figuresOf(part, rows, {
    'macro F1': { of: macro, baseline: { name, value: macro(everything) } },
    'micro F1': { of: micro, baseline: { name, value: micro(everything) } },
  });
}
