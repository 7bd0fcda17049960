import { readFileSync } from 'node:fs';
import { packageFile } from '../../../src/foundation/files.ts';
import { pairVector } from '../../../src/services/analysis/engines/stance/perspective.ts';
import { loadTextClassifier } from '../../../src/text/text-classifier.ts';
import { asChance, choiceFigures, groupedBy, type Labelled } from '../figures.ts';
import { isHeldBack, textOf } from '../rows.ts';
import { rowsLabelled, rowsWith, type Task, vectorsOf } from '../task.ts';

/** Whether a perspective speaks for a claim or against it. Rows of one claim are drawn together. */
export const task: Task = {
  heldBack: (row) => isHeldBack(textOf(row, 'claim') ?? ''),
  evaluate: async (rows) => {
    const { read, notes } = rowsWith(rows, ['claim', 'evidence']);
    const { known, notes: others } = rowsLabelled(read, ['SUPPORTS', 'REFUTES'], (row) =>
      textOf(row, 'label')?.toUpperCase(),
    );
    const side = (name: 'claim' | 'evidence') =>
      vectorsOf(known.map(({ row, language }) => ({ text: String(row[name]), language })));
    const [claims, perspectives] = [side('claim'), side('evidence')];
    const model = loadTextClassifier(readFileSync(packageFile('models', 'perspective-en.bin')));
    const judged = known.map(({ row, language, label }, at): Labelled & { language: string } => {
      const pair = pairVector(claims[at] ?? new Float32Array(), perspectives[at] ?? new Float32Array());
      const { label: said, confidence } = model.classify(String(row.evidence), pair);
      return { truth: label, said, confidence, group: String(row.claim), language };
    });
    const figures = [...groupedBy(judged, ({ language }) => language)].flatMap(([language, own]) =>
      choiceFigures(language, own),
    );
    const diagrams = [{ file: 'perspective-en', title: 'perspective-en', rows: asChance(judged) }];
    return { figures, notes: [...notes, ...others], diagrams };
  },
};
