import { readFileSync } from 'node:fs';
import { packageFile } from '../../../src/foundation/files.ts';
import { CheckworthinessScorer } from '../../../src/services/analysis/engines/claims/checkworthiness.ts';
import { claimText } from '../../../src/services/analysis/engines/claims/cues.ts';
import { loadVectorHead } from '../../../src/services/analysis/engines/claims/vector-head.ts';
import { loadLinear } from '../../../src/text/linear.ts';
import { groupedBy, yesNoFigures } from '../figures.ts';
import { groupOf } from '../rows.ts';
import { rowsLabelled, rowsWith, type Task, vectorsOf } from '../task.ts';

const model = (name: string) => loadLinear(readFileSync(packageFile('models', name)));

/** Whether a sentence is worth checking (CFS), and whether it states a fact at all (CFS or UFS). */
export const task: Task = {
  evaluate: async (rows) => {
    const { read, notes } = rowsWith(rows, ['text']);
    const { known, notes: others } = rowsLabelled(read, ['NFS', 'UFS', 'CFS']);
    const scorer = new CheckworthinessScorer({
      words: model('claims-words.bin'),
      cues: model('claims-cues.bin'),
      head: loadVectorHead(),
    });
    const vectors = vectorsOf(known.map(({ row, language }) => ({ text: String(row.text), language })));
    const scored = known.map(({ row, index, language, label }, at) => ({
      language,
      group: groupOf(row, index),
      label,
      ...scorer.score(claimText(String(row.text)), language, vectors[at]),
    }));
    const figures = [...groupedBy(scored, ({ language }) => language)].flatMap(([language, own]) => [
      ...yesNoFigures(
        `${language}, check-worthy`,
        own.map((one) => ({ score: one.checkworthy, truth: one.label === 'CFS', group: one.group })),
        scorer.threshold(language, true),
      ),
      ...yesNoFigures(
        `${language}, states a fact`,
        own.map((one) => ({ score: one.factual, truth: one.label !== 'NFS', group: one.group })),
        0.5,
      ),
    ]);
    return { figures, notes: [...notes, ...others] };
  },
};
