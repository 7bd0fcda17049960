import { readFileSync } from 'node:fs';
import { packageFile } from '../../../src/foundation/files.ts';
import { loadArticleModel } from '../../../src/services/analysis/engines/articles/article.ts';
import { encodingOf } from '../../../src/services/analysis/engines/encoding/text-encoding.ts';
import { toPlainText } from '../../../src/services/analysis/engines/plain-text.ts';
import { createTechniquesEngine } from '../../../src/services/analysis/engines/techniques/engine.ts';
import { areaUnderCurve } from '../../metrics.ts';
import { type Figure, figuresOf, groupedBy, yesNoFigures } from '../figures.ts';
import { groupOf, textOf } from '../rows.ts';
import { packagedEncoder, rowsLabelled, rowsWith, type Task } from '../task.ts';

/** An article with what the model of whole articles, and the wording of its sentences, say of it. */
interface Read {
  readonly group: string;
  readonly truth: boolean;
  /** Chance that it takes sides, 0 to 1. */
  readonly score: number;
  /** manipulation_score, 0 to 100. */
  readonly manipulation: number;
}

/** Share of the articles that get the right side from an even chance on. */
const accuracy = (rows: readonly Read[]) =>
  rows.filter(({ score, truth }) => score >= 0.5 === truth).length / rows.length;

function figuresFor(language: string, rows: readonly Read[]): Figure[] {
  const share = rows.filter(({ truth }) => truth).length / Math.max(1, rows.length);
  const chance = { name: 'chance', value: 0.5 };
  const wording = rows.map((row) => ({ ...row, score: row.manipulation }));
  const byModel =
    language === 'en'
      ? [
          ...yesNoFigures('en, whole article', rows, 0.5),
          ...figuresOf('en, whole article', rows, {
            accuracy: {
              of: accuracy,
              baseline: { name: 'most frequent', value: Math.max(share, 1 - share) },
            },
          }),
        ]
      : [];
  return [
    ...byModel,
    ...figuresOf(`${language}, manipulation_score`, wording, {
      AUC: { of: areaUnderCurve, baseline: chance },
      'at 40 or more, hyperpartisan': {
        of: (some) => {
          const loud = some.filter(({ truth }) => truth);
          return loud.filter(({ score }) => score >= 40).length / loud.length;
        },
      },
    }),
  ];
}

/** Whether an article is hyperpartisan: by title and body as a whole, and by its wording as manipulation_score has it. */
export const task: Task = {
  evaluate: async (rows) => {
    const { read, notes } = rowsWith(rows, ['text']);
    const { known, notes: others } = rowsLabelled(read, ['hyperpartisan', 'mainstream'], (row) => {
      if (row.label === true) return 'hyperpartisan';
      return row.label === false ? 'mainstream' : textOf(row, 'label');
    });
    const engine = createTechniquesEngine(readFileSync(packageFile('models', 'techniques.bin')));
    const model = loadArticleModel(readFileSync(packageFile('models', 'articles-en.bin')));
    const scored = known.map(({ row, index, language, label }) => {
      const title = textOf(row, 'title') ?? '';
      const text = [title, String(row.text)].filter(Boolean).join('\n\n');
      const encoding = encodingOf(packagedEncoder(), { text, language });
      const headline = title === '' ? undefined : { start: 0, end: toPlainText(title).text.length };
      return {
        language,
        group: groupOf(row, index),
        truth: label === 'hyperpartisan',
        // The product calls no article that it cannot read.
        score: model.oneSided({ text: toPlainText(text).text, headline, encoding }) ?? 0,
        manipulation: engine.analyse(text, { language, encoding }).manipulation_score,
      };
    });
    const figures = [...groupedBy(scored, ({ language }) => language)].flatMap(([language, own]) =>
      figuresFor(language, own),
    );
    return { figures, notes: [...notes, ...others] };
  },
};
