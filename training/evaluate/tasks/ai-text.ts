import { readFileSync } from 'node:fs';
import { packageFile } from '../../../src/foundation/files.ts';
import {
  AI_TEXT_BITS,
  aiTextProbability,
  LEAST_WORDS,
} from '../../../src/services/analysis/engines/ai-text/detector.ts';
import { FeatureHasher } from '../../../src/text/features.ts';
import { loadLinear } from '../../../src/text/linear.ts';
import { countWords } from '../../../src/text/words.ts';
import { areaUnderCurve, atThreshold } from '../../metrics.ts';
import { figuresOf, groupedBy } from '../figures.ts';
import { groupOf, textOf } from '../rows.ts';
import { rowsLabelled, rowsWith, type Task } from '../task.ts';

/** Share of human texts that are called machine-made, and of machine texts that are, from a probability on. */
const THRESHOLDS = [0.6, 0.8];

/** Whether a machine wrote a text: English, from the least number of words on. */
export const task: Task = {
  evaluate: async (rows) => {
    const { read, notes } = rowsWith(rows, ['text']);
    const { known, notes: others } = rowsLabelled(read, ['ai', 'human']);
    const fit = known.filter(
      ({ row, language }) => language === 'en' && countWords(String(row.text)) >= LEAST_WORDS,
    );
    const outside = known.length - fit.length;
    const model = loadLinear(readFileSync(packageFile('models', 'ai-text.bin')));
    const hasher = new FeatureHasher(AI_TEXT_BITS);
    const scored = fit.map(({ row, index, label }) => ({
      score: aiTextProbability(model, hasher, String(row.text)),
      truth: label === 'ai',
      group: groupOf(row, index),
      source: [textOf(row, 'source'), textOf(row, 'domain')].filter(Boolean).join(', '),
    }));
    const parts = [['en', scored] as const, ...groupedBy(scored, ({ source }) => `en, ${source}`)];
    const figures = parts.flatMap(([part, own]) =>
      figuresOf(part, own, {
        AUC: { of: areaUnderCurve, baseline: { name: 'chance', value: 0.5 } },
        ...Object.fromEntries(
          THRESHOLDS.flatMap((at) => [
            [`false alarms at ${at}`, { of: (some: typeof own) => atThreshold(some, at).falsePositiveRate }],
            [`found at ${at}`, { of: (some: typeof own) => atThreshold(some, at).recall }],
          ]),
        ),
      }),
    );
    const told =
      outside === 0 ? [] : [`${outside} rows get no number: not English, or under ${LEAST_WORDS} words`];
    return {
      figures: figures.filter(({ value }) => Number.isFinite(value)),
      notes: [...notes, ...others, ...told],
    };
  },
};
