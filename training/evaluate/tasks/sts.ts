import { spearman } from '../../encoder/evaluation.ts';
import { figuresOf, groupedBy } from '../figures.ts';
import { rowsWith, type Task, vectorsOf } from '../task.ts';

function cosine(one: Float32Array, other: Float32Array): number {
  return one.reduce((sum, value, index) => sum + value * (other[index] ?? 0), 0);
}

/** Share of the words of both sentences that stand in both. */
function sharedWords(one: string, other: string): number {
  const words = (text: string) => new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu));
  const [own, others] = [words(one), words(other)];
  const common = [...own].filter((word) => others.has(word)).length;
  return common / Math.max(1, own.size + others.size - common);
}

/** How alike two sentences are, against the grades of people. */
export const task: Task = {
  evaluate: async (rows) => {
    const { read, notes } = rowsWith(rows, ['a', 'b']);
    const graded = read.filter(({ row }) => Number.isFinite(row.score));
    const first = vectorsOf(graded.map(({ row, language }) => ({ text: String(row.a), language })));
    const second = vectorsOf(graded.map(({ row, language }) => ({ text: String(row.b), language })));
    const pairs = graded.map(({ row, index, language }, at) => ({
      language,
      group: `${index}`,
      grade: Number(row.score),
      cosine: cosine(first[at] ?? new Float32Array(), second[at] ?? new Float32Array()),
      words: sharedWords(String(row.a), String(row.b)),
    }));
    const figures = [...groupedBy(pairs, ({ language }) => language)].flatMap(([language, own]) => {
      const grades = (some: typeof pairs) => some.map(({ grade }) => grade);
      const value = spearman(
        own.map(({ words }) => words),
        grades(own),
      );
      return figuresOf(language, own, {
        'rank correlation': {
          of: (some) =>
            spearman(
              some.map(({ cosine: nearness }) => nearness),
              grades([...some]),
            ),
          baseline: { name: 'shared words', value },
        },
      });
    });
    const without = read.length - graded.length;
    return {
      figures,
      notes: without === 0 ? notes : [...notes, `${without} rows without a score were left out`],
    };
  },
};
