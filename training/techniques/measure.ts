/** A range of characters; `label` where the measure needs one. */
export interface Range {
  readonly start: number;
  readonly end: number;
  readonly label?: string;
}

/** Precision, recall and their harmonic mean, 0 to 1. */
export interface Score {
  readonly precision: number;
  readonly recall: number;
  readonly f1: number;
}

/** F1 from precision and recall. */
export function scoreFrom(precision: number, recall: number): Score {
  const sum = precision + recall;
  return { precision, recall, f1: sum === 0 ? 0 : (2 * precision * recall) / sum };
}

/** Area under the ROC curve by ranks. */
export function areaUnderCurve(scores: readonly number[], answers: readonly number[]): number {
  const order = scores.map((_, index) => index).sort((a, b) => (scores[a] ?? 0) - (scores[b] ?? 0));
  let [rankSum, yes] = [0, 0];
  for (let at = 0; at < order.length; ) {
    let to = at;
    while (to < order.length && scores[order[to] ?? 0] === scores[order[at] ?? 0]) to += 1;
    const rank = (at + to + 1) / 2;
    for (; at < to; at += 1) {
      if (answers[order[at] ?? 0] !== 1) continue;
      rankSum += rank;
      yes += 1;
    }
  }
  return (rankSum - (yes * (yes + 1)) / 2) / (yes * (scores.length - yes));
}

/** Best F1 over all thresholds, with the threshold. */
export function bestF1(
  scores: readonly number[],
  answers: readonly number[],
): { f1: number; threshold: number } {
  const order = scores.map((_, index) => index).sort((a, b) => (scores[b] ?? 0) - (scores[a] ?? 0));
  const total = answers.reduce((sum, answer) => sum + answer, 0);
  let [hits, best, threshold] = [0, 0, 1];
  order.forEach((index, rank) => {
    hits += answers[index] ?? 0;
    const f1 = (2 * hits) / (rank + 1 + total);
    if (f1 > best) [best, threshold] = [f1, scores[index] ?? 0];
  });
  return { f1: best, threshold };
}

/** Joins overlapping ranges, as the span task does with its gold. */
export function merged(ranges: readonly Range[]): Range[] {
  const joined: { start: number; end: number }[] = [];
  for (const range of [...ranges].sort((a, b) => a.start - b.start)) {
    const last = joined.at(-1);
    if (last !== undefined && range.start < last.end) last.end = Math.max(last.end, range.end);
    else joined.push({ start: range.start, end: range.end });
  }
  return joined;
}

/** Span identification score of SemEval-2020 task 11 over articles (partial overlaps count by their share). */
export function spanScore(
  articles: readonly { readonly found: readonly Range[]; readonly gold: readonly Range[] }[],
): Score {
  let [precision, found, recall, gold] = [0, 0, 0, 0];
  for (const article of articles) {
    found += article.found.length;
    gold += article.gold.length;
    for (const own of article.found) {
      for (const truth of article.gold) {
        const overlap = Math.min(own.end, truth.end) - Math.max(own.start, truth.start);
        if (overlap <= 0) continue;
        precision += overlap / (own.end - own.start);
        recall += overlap / (truth.end - truth.start);
      }
    }
  }
  return scoreFrom(found === 0 ? 0 : precision / found, gold === 0 ? 0 : recall / gold);
}

/** Sets of labels, found and true, one pair an example: micro F1, macro F1 and F1 per label. */
export function labelScores(
  examples: readonly { readonly found: ReadonlySet<string>; readonly gold: ReadonlySet<string> }[],
  labels: readonly string[],
): { micro: Score; macroF1: number; perLabel: Map<string, Score> } {
  const counts = labels.map((label) => {
    const [hits, found, gold] = [
      examples.filter((example) => example.found.has(label) && example.gold.has(label)).length,
      examples.filter((example) => example.found.has(label)).length,
      examples.filter((example) => example.gold.has(label)).length,
    ];
    return { label, hits, found, gold };
  });
  const of = ({ hits, found, gold }: { hits: number; found: number; gold: number }) =>
    scoreFrom(found === 0 ? 0 : hits / found, gold === 0 ? 0 : hits / gold);
  const sum = (key: 'hits' | 'found' | 'gold') => counts.reduce((total, count) => total + count[key], 0);
  const perLabel = new Map(counts.map((count) => [count.label, of(count)]));
  const macroF1 = [...perLabel.values()].reduce((total, score) => total + score.f1, 0) / labels.length;
  return { micro: of({ hits: sum('hits'), found: sum('found'), gold: sum('gold') }), macroF1, perLabel };
}
