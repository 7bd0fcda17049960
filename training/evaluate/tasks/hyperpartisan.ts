import { readFileSync } from 'node:fs';
import { packageFile } from '../../../src/foundation/files.ts';
import { encodingOf } from '../../../src/services/analysis/engines/encoding/text-encoding.ts';
import { createTechniquesEngine } from '../../../src/services/analysis/engines/techniques/engine.ts';
import { areaUnderCurve } from '../../metrics.ts';
import { figuresOf, groupedBy } from '../figures.ts';
import { groupOf, textOf } from '../rows.ts';
import { packagedEncoder, rowsLabelled, rowsWith, type Task } from '../task.ts';

/** Whether an article is hyperpartisan: by the wording alone, as manipulation_score has it. */
export const task: Task = {
  evaluate: async (rows) => {
    const { read, notes } = rowsWith(rows, ['text']);
    const { known, notes: others } = rowsLabelled(read, ['hyperpartisan', 'mainstream'], (row) => {
      if (row.label === true) return 'hyperpartisan';
      return row.label === false ? 'mainstream' : textOf(row, 'label');
    });
    const engine = createTechniquesEngine(readFileSync(packageFile('models', 'techniques.bin')));
    const scored = known.map(({ row, index, language, label }) => {
      const text = [textOf(row, 'title'), String(row.text)].filter(Boolean).join('\n\n');
      const encoding = encodingOf(packagedEncoder(), { text, language });
      const score = engine.analyse(text, { language, encoding }).manipulation_score;
      return { language, group: groupOf(row, index), truth: label === 'hyperpartisan', score };
    });
    const figures = [...groupedBy(scored, ({ language }) => language)].flatMap(([language, own]) =>
      figuresOf(`${language}, manipulation_score`, own, {
        AUC: { of: areaUnderCurve, baseline: { name: 'chance', value: 0.5 } },
        'at 40 or more, hyperpartisan': {
          of: (some) => {
            const loud = some.filter(({ truth }) => truth);
            return loud.filter(({ score }) => score >= 40).length / loud.length;
          },
        },
      }),
    );
    return { figures, notes: [...notes, ...others] };
  },
};
