import { randomStream } from './rows.ts';

/** A scored row of a validation part. `group` keeps rows of one document together in the bootstrap. */
export interface Scored {
  score: number;
  truth: boolean;
  group: string;
}

/** Area under the ROC curve: the chance that a true row scores above a false one (ties count half). */
export function areaUnderCurve(rows: readonly Scored[]): number {
  const sorted = [...rows].sort((one, two) => one.score - two.score);
  let rankSum = 0;
  let positives = 0;
  for (let start = 0; start < sorted.length; ) {
    let end = start;
    while (end < sorted.length && sorted[end]?.score === sorted[start]?.score) end++;
    const rank = (start + end + 1) / 2;
    for (let index = start; index < end; index++) {
      if (!sorted[index]?.truth) continue;
      rankSum += rank;
      positives++;
    }
    start = end;
  }
  const negatives = sorted.length - positives;
  if (positives === 0 || negatives === 0) return Number.NaN;
  return (rankSum - (positives * (positives + 1)) / 2) / (positives * negatives);
}

/** Precision averaged over the ranks of the true rows. */
export function averagePrecision(rows: readonly Scored[]): number {
  const sorted = [...rows].sort((one, two) => two.score - one.score);
  let found = 0;
  let sum = 0;
  sorted.forEach((row, index) => {
    if (!row.truth) return;
    found++;
    sum += found / (index + 1);
  });
  return found === 0 ? Number.NaN : sum / found;
}

/** Precision, recall, F1 and false positive rate at a threshold. */
export function atThreshold(rows: readonly Scored[], threshold: number) {
  let hits = 0;
  let alarms = 0;
  let misses = 0;
  let rejections = 0;
  for (const row of rows) {
    if (row.score >= threshold) row.truth ? hits++ : alarms++;
    else row.truth ? misses++ : rejections++;
  }
  const precision = hits / Math.max(1, hits + alarms);
  const recall = hits / Math.max(1, hits + misses);
  const f1 = (2 * hits) / Math.max(1, 2 * hits + alarms + misses);
  return { precision, recall, f1, falsePositiveRate: alarms / Math.max(1, alarms + rejections) };
}

/** The threshold of the rows' own scores that gives the highest F1. */
export function bestF1Threshold(rows: readonly Scored[]): number {
  const sorted = [...rows].sort((one, two) => two.score - one.score);
  const positives = rows.filter((row) => row.truth).length;
  let hits = 0;
  let best = { f1: -1, threshold: 0.5 };
  sorted.forEach((row, index) => {
    if (row.truth) hits++;
    const f1 = (2 * hits) / (index + 1 + positives);
    if (f1 > best.f1) best = { f1, threshold: row.score };
  });
  return best.threshold;
}

/** Mean gap between probability and frequency over ten equal bins (expected calibration error). */
export function calibrationError(rows: readonly Scored[]): number {
  const bins = Array.from({ length: 10 }, () => ({ count: 0, score: 0, truth: 0 }));
  for (const row of rows) {
    const bin = bins[Math.min(9, Math.floor(row.score * 10))];
    if (!bin) continue;
    bin.count++;
    bin.score += row.score;
    bin.truth += row.truth ? 1 : 0;
  }
  return bins.reduce((sum, bin) => sum + Math.abs(bin.score - bin.truth), 0) / Math.max(1, rows.length);
}

/** Draws of the truth that `calibrationErrorIfRight` averages over: the mean is then known to about a hundredth of itself. */
const TRUTH_DRAWS = 200;

/**
 * The calibration error that these rows would have on average if every probability were right, 0 to 1: few rows give a gap in each bin by
 * chance alone (Bröcker and Smith, Increasing the reliability of reliability diagrams, 2007). Rows are drawn one by one, so that it is
 * too low where rows of one document are right or wrong together.
 */
export function calibrationErrorIfRight(rows: readonly Scored[]): number {
  const random = randomStream(20);
  let sum = 0;
  for (let draw = 0; draw < TRUTH_DRAWS; draw++)
    sum += calibrationError(rows.map((row) => ({ ...row, truth: random() < row.score })));
  return sum / TRUTH_DRAWS;
}

/** 95 % interval of a metric by drawing whole groups with replacement. */
export function bootstrapInterval(
  rows: readonly Scored[],
  metric: (rows: readonly Scored[]) => number,
  rounds = 200,
): [number, number] {
  const groups = grouped(rows);
  const random = randomStream(20);
  const values: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const drawn = groups.flatMap(() => groups[Math.floor(random() * groups.length)] ?? []);
    const value = metric(drawn);
    if (Number.isFinite(value)) values.push(value);
  }
  values.sort((one, two) => one - two);
  const at = (share: number) =>
    values[Math.min(values.length - 1, Math.floor(share * values.length))] ?? Number.NaN;
  return [at(0.025), at(0.975)];
}

function grouped(rows: readonly Scored[]): Scored[][] {
  const groups = new Map<string, Scored[]>();
  for (const row of rows) {
    const group = groups.get(row.group);
    if (group) group.push(row);
    else groups.set(row.group, [row]);
  }
  return [...groups.values()];
}

/** "0.912 (0.901 to 0.922)" */
export function withInterval(
  rows: readonly Scored[],
  metric: (rows: readonly Scored[]) => number,
  rounds = 200,
): string {
  const [low, high] = bootstrapInterval(rows, metric, rounds);
  return `${metric(rows).toFixed(3)} (${low.toFixed(3)} to ${high.toFixed(3)})`;
}
