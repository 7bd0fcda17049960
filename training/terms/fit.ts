/** Logistic regression over sparse rows, and weights of words and pairs fitted by it. */

import { type TermReading, type TermWeights, TfIdfModel, termCounts } from '../../src/text/term-weights.ts';
import { conjugateGradients } from '../conjugate-gradients.ts';

/** A row of numbers, most of them 0: places and values. */
export interface SparseRow {
  readonly places: ArrayLike<number>;
  readonly values: ArrayLike<number>;
}

/** A row with what it is an example of, and how much it counts. */
export interface LabelledRow extends SparseRow {
  readonly truth: boolean;
  readonly weight: number;
}

const NEWTON_STEPS = 8;
const SOLVER = { steps: 60, least: 1e-10 };

/** Score of a row; the last weight is the bias. */
export function sparseScore(weights: ArrayLike<number>, { places, values }: SparseRow): number {
  let sum = weights[weights.length - 1] ?? 0;
  for (let at = 0; at < places.length; at += 1)
    sum += (weights[places[at] as number] as number) * (values[at] as number);
  return sum;
}

function addRow(sums: Float64Array, { places, values }: SparseRow, factor: number): void {
  for (let at = 0; at < places.length; at += 1) {
    const place = places[at] as number;
    sums[place] = (sums[place] as number) + factor * (values[at] as number);
  }
  const last = sums.length - 1;
  sums[last] = (sums[last] as number) + factor;
}

/**
 * Logistic regression by Newton's method: `width` weights under a quadratic penalty (half of it times the square of each), and last
 * the bias, which is free. Where it is `balanced` both truths weigh alike in sum.
 */
export function fitSparse(
  rows: readonly LabelledRow[],
  width: number,
  { penalty, balanced }: { readonly penalty: number; readonly balanced: boolean },
): Float64Array {
  const total = (truth: boolean) =>
    rows.reduce((sum, row) => sum + (row.truth === truth ? row.weight : 0), 0);
  const [yes, no] = [total(true), total(false)];
  const counts = rows.map(({ truth, weight }) =>
    balanced ? (weight * (yes + no)) / 2 / (truth ? yes : no) : weight,
  );
  const weights = new Float64Array(width + 1);
  const pull = (at: number) => (at < width ? penalty : 1e-6);
  for (let step = 0; step < NEWTON_STEPS; step += 1) {
    const slope = weights.map((weight, at) => -pull(at) * weight);
    const curve = rows.map((row, index) => {
      const chance = 1 / (1 + Math.exp(-sparseScore(weights, row)));
      addRow(slope, row, (counts[index] ?? 0) * ((row.truth ? 1 : 0) - chance));
      return (counts[index] ?? 0) * Math.max(1e-6, chance * (1 - chance));
    });
    const change = conjugateGradients(
      (x) => {
        const image = x.map((value, at) => pull(at) * value);
        rows.forEach((row, index) => {
          addRow(image, row, (curve[index] ?? 0) * sparseScore(x, row));
        });
        return image;
      },
      slope,
      SOLVER,
    );
    for (let at = 0; at < weights.length; at += 1)
      weights[at] = (weights[at] as number) + (change[at] as number);
  }
  return weights;
}

/** A text to learn from; `labels` are the codes of the outputs that it is an example of. */
export interface TermExample {
  readonly text: string;
  readonly labels: ReadonlySet<string>;
  readonly weight: number;
}

/** Signed bytes with the number that one step is worth. */
export function asBytes(numbers: ArrayLike<number>): { scale: number; bytes: number[] } {
  const all = Array.from(numbers);
  const scale = all.reduce((most, value) => Math.max(most, Math.abs(value)), 1e-9) / 127;
  return { scale: Number(scale.toPrecision(5)), bytes: all.map((value) => Math.round(value / scale)) };
}

/** Words and pairs that stand in `least` texts, and how rare each is. */
export function termsOf(
  texts: readonly string[],
  { least, reading }: { readonly least: number; readonly reading?: TermReading | undefined },
): Pick<TermWeights, 'reading' | 'terms' | 'rarity'> {
  const found = new Map<string, number>();
  for (const text of texts)
    for (const term of termCounts(text, reading).keys()) found.set(term, (found.get(term) ?? 0) + 1);
  const kept = [...found].filter(([, count]) => count >= least).sort(([one], [two]) => (one < two ? -1 : 1));
  // Smoothed as if one more text held every term.
  const rarity = kept.map(([, count]) => Math.round(100 * (1 + Math.log((1 + texts.length) / (1 + count)))));
  return { ...(reading && { reading }), terms: kept.map(([term]) => term), rarity };
}

/** How terms are chosen and weighed. */
interface TermRecipe {
  /** A term must stand in so many texts. */
  readonly least: number;
  readonly reading?: TermReading;
  readonly penalty: number;
  /** Which texts an output learns from; all of them where it is left out. */
  readonly among?: (code: string, labels: ReadonlySet<string>) => boolean;
}

/** Fits one output for each code: is a text an example of it or not. */
export function fitTerms(
  examples: readonly TermExample[],
  codes: readonly string[],
  { least, reading, penalty, among = () => true }: TermRecipe,
): TermWeights {
  const space = termsOf(
    examples.map(({ text }) => text),
    { least, reading },
  );
  const { terms } = space;
  const reader = new TfIdfModel({ ...space, outputs: [] });
  const rows = examples.map(({ text, weight, labels }) => {
    const values = reader.valuesOf(text);
    return {
      places: values.map(({ place }) => place),
      values: values.map(({ value }) => value),
      weight,
      labels,
    };
  });
  const outputs = codes.map((code) => {
    const weights = fitSparse(
      rows
        .filter(({ labels }) => among(code, labels))
        .map(({ labels, ...row }) => ({ ...row, truth: labels.has(code) })),
      terms.length,
      { penalty, balanced: true },
    );
    const { scale, bytes } = asBytes(weights.subarray(0, terms.length));
    return { code, bias: Number((weights[terms.length] ?? 0).toPrecision(5)), scale, weights: bytes };
  });
  return { ...space, outputs };
}
