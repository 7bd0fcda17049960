import type { TrainingPage } from './pages.ts';

/** Precision, recall and their harmonic mean. */
export interface Measured {
  readonly precision: number;
  readonly recall: number;
  readonly f1: number;
  readonly pages: number;
}

const WORD = /[\p{L}\p{N}_]+/gu;
const SHINGLE = 4;
const ratio = (part: number, whole: number) => (whole === 0 ? 0 : part / whole);
const mean = (values: readonly number[]) =>
  ratio(
    values.reduce((sum, each) => sum + each, 0),
    values.length,
  );
const harmonic = (one: number, other: number) => ratio(2 * one * other, one + other);

function bag(items: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const item of items) counts.set(item, (counts.get(item) ?? 0) + 1);
  return counts;
}

function overlap(one: ReadonlyMap<string, number>, other: ReadonlyMap<string, number>): number {
  let sum = 0;
  for (const [item, count] of one) sum += Math.min(count, other.get(item) ?? 0);
  return sum;
}

/** Precision, recall and F1 of the words of one page (the measure of wcxb). */
function wordScore(gold: string, text: string): [number, number, number] {
  const [wanted, found] = [gold.toLowerCase().match(WORD) ?? [], text.toLowerCase().match(WORD) ?? []];
  if (wanted.length === 0 || found.length === 0)
    return wanted.length === found.length ? [1, 1, 1] : [0, 0, 0];
  const same = overlap(bag(found), bag(wanted));
  const [precision, recall] = [same / found.length, same / wanted.length];
  return [precision, recall, harmonic(precision, recall)];
}

function shingles(text: string): string[] {
  const words = text.match(WORD) ?? [];
  const count = Math.max(1, words.length - SHINGLE + 1);
  return Array.from({ length: count }, (_, at) => words.slice(at, at + SHINGLE).join(' ')).filter(
    (each) => each !== '',
  );
}

/** Precision and recall of the runs of four words of one page (the measure of aeb). */
function shingleScore(gold: string, text: string): [precision: number, recall: number] {
  const [wanted, found] = [shingles(gold), shingles(text)];
  const same = overlap(bag(found), bag(wanted));
  return [ratio(same, found.length), ratio(same, wanted.length)];
}

/** Scores the texts made of pages: for aeb by runs of words, else by words; each as its authors do. */
export function measure(pages: readonly TrainingPage[], textOf: (page: TrainingPage) => string): Measured {
  const isShingled = pages.every(({ set }) => set === 'aeb');
  const scores = pages.map((page) => {
    const text = textOf(page);
    if (!isShingled) return wordScore(page.gold, text);
    return [...shingleScore(page.gold, text), 0] as const;
  });
  const precision = mean(scores.map(([each]) => each));
  const recall = mean(scores.map(([, each]) => each));
  const f1 = isShingled ? harmonic(precision, recall) : mean(scores.map(([, , each]) => each));
  return { precision, recall, f1, pages: pages.length };
}
