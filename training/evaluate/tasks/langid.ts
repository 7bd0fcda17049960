import { readFileSync } from 'node:fs';
import { packageFile } from '../../../src/foundation/files.ts';
import { identifyLanguage } from '../../../src/text/language.ts';
import { loadLinear } from '../../../src/text/linear.ts';
import { choiceFigures } from '../figures.ts';
import { groupOf } from '../rows.ts';
import { rowsWith, type Task } from '../task.ts';

const LONG = 40;
/** Three standards of one language: lines of them are often the same, letter by letter. */
const ONE_LANGUAGE: ReadonlySet<string> = new Set(['bs', 'hr', 'sr']);
const asOne = (code: string) => (ONE_LANGUAGE.has(code) ? 'bs, hr, sr' : code);

/** Which language a text is in; "und" is a wrong answer. */
export const task: Task = {
  evaluate: async (rows) => {
    const { read, notes } = rowsWith(rows, ['text', 'label']);
    const model = loadLinear(readFileSync(packageFile('models', 'language.bin')));
    const said = read.map(({ row, index }) => {
      const text = String(row.text);
      const { code, confidence } = identifyLanguage(model, text);
      const truth = String(row.label);
      return { truth, said: code, confidence, group: groupOf(row, index), length: text.length };
    });
    const merged = said.map((one) => ({ ...one, truth: asOne(one.truth), said: asOne(one.said) }));
    const long = ({ length }: { readonly length: number }) => length >= LONG;
    const parts: [string, typeof said][] = [
      ['all languages', said],
      [`all, ${LONG} characters or more`, said.filter(long)],
      ['bs, hr, sr as one', merged],
      [`bs, hr, sr as one, ${LONG} characters or more`, merged.filter(long)],
      ...['en', 'ro'].map((code): [string, typeof said] => [
        code,
        said.filter(({ truth }) => truth === code),
      ]),
    ];
    return { figures: parts.flatMap(([part, own]) => choiceFigures(part, own)), notes };
  },
};
