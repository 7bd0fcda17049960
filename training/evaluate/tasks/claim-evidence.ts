import { loadClaimComparer } from '../../../src/services/analysis/engines/stance/claim-comparer.ts';
import { sentencesOf } from '../../../src/text/sentences.ts';
import { cleanedPassage } from '../../passages.ts';
import { choiceFigures, groupedBy } from '../figures.ts';
import { groupOf, textOf } from '../rows.ts';
import { rowsLabelled, rowsWith, type Task, vectorsOf } from '../task.ts';

const LABELS = ['SUPPORTS', 'REFUTES', 'NEITHER'] as const;
/** What others call a passage that decides nothing. */
const NEITHER = new Set(['NEI', 'NOT ENOUGH INFO', 'NOT_ENOUGH_INFO', 'NEUTRAL', 'NEITHER']);
/** Sentences of a passage that are read, as in training. */
const MOST_SENTENCES = 12;

/** Whether evidence supports or refutes a claim; rows of neither are scored where a file has some. */
export const task: Task = {
  evaluate: async (rows) => {
    const { read, notes } = rowsWith(rows, ['claim', 'evidence']);
    const { known, notes: others } = rowsLabelled(read, LABELS, (row) => {
      const label = textOf(row, 'label')?.toUpperCase();
      return label !== undefined && NEITHER.has(label) ? 'NEITHER' : label;
    });
    const pairs = known.map(({ row, index, language, label }) => {
      const evidence = cleanedPassage(String(row.evidence));
      const sentences = sentencesOf(evidence).map(({ text }) => text);
      return {
        claim: cleanedPassage(String(row.claim)),
        sentences: sentences.slice(0, MOST_SENTENCES),
        label,
        language,
        source: textOf(row, 'source') ?? '',
        group: groupOf(row, index),
      };
    });
    const texts = new Map(
      pairs.flatMap(({ claim, sentences, language }) =>
        [claim, ...sentences].map((text) => [text, { text, language }] as const),
      ),
    );
    const all = [...texts.values()];
    const vectors = new Map(vectorsOf(all).map((vector, index) => [all[index]?.text ?? '', vector]));
    const reading = loadClaimComparer();
    const hasNeither = pairs.some(({ label }) => label === 'NEITHER');
    const judged = pairs.map(({ claim, sentences, ...pair }) => {
      const chances = reading.stance(claim, sentences, (text) => vectors.get(text));
      // Where no row is neither, the question is which of the two.
      const choices = hasNeither ? chances : chances.slice(0, 2);
      const total = choices.reduce((sum, chance) => sum + chance, 0);
      const best = choices.indexOf(Math.max(...choices));
      const said = LABELS[best] ?? 'NEITHER';
      return { ...pair, truth: pair.label, said, confidence: (choices[best] ?? 0) / total };
    });
    const parts = [...groupedBy(judged, ({ language }) => language)];
    const sources = [...groupedBy(judged, ({ language, source }) => `${language}, ${source}`)];
    const figures = [...parts, ...(sources.length > parts.length ? sources : [])].flatMap(([part, own]) =>
      choiceFigures(part, own),
    );
    return { figures, notes: [...notes, ...others] };
  },
};
