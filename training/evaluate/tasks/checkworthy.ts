import { readFileSync } from 'node:fs';
import { packageFile } from '../../../src/foundation/files.ts';
import { CheckworthinessScorer } from '../../../src/services/analysis/engines/claims/checkworthiness.ts';
import { claimText } from '../../../src/services/analysis/engines/claims/cues.ts';
import { loadLinear } from '../../../src/text/linear.ts';
import { groupedBy, yesNoFigures } from '../figures.ts';
import { groupOf } from '../rows.ts';
import { rowsLabelled, rowsWith, type Task } from '../task.ts';

const model = (name: string) => loadLinear(readFileSync(packageFile('models', name)));

/** Whether a sentence is worth checking (CFS), and whether it states a fact at all (CFS or UFS). */
export const task: Task = {
  evaluate: async (rows) => {
    const { read, notes } = rowsWith(rows, ['text']);
    const { known, notes: others } = rowsLabelled(read, ['NFS', 'UFS', 'CFS']);
    const scorer = new CheckworthinessScorer({
      words: model('claims-words.bin'),
      cues: model('claims-cues.bin'),
    });
    const scored = known.map(({ row, index, language, label }) => ({
      language,
      group: groupOf(row, index),
      label,
      ...scorer.score(claimText(String(row.text)), language),
    }));
    const figures = [...groupedBy(scored, ({ language }) => language)].flatMap(([language, own]) => [
      ...yesNoFigures(
        `${language}, check-worthy`,
        own.map((one) => ({ score: one.checkworthy, truth: one.label === 'CFS', group: one.group })),
        scorer.threshold(language),
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
