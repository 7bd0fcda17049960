import { readFileSync } from 'node:fs';
import { packageFile } from '../../../src/foundation/files.ts';
import { loadTextClassifier, type TextClass } from '../../../src/text/text-classifier.ts';
import { sentimentOfEmotions } from '../../texts/plans.ts';
import { choiceFigures, type Figure, groupedBy, type Labelled } from '../figures.ts';
import { groupOf, isHeldBack, languageOf, type RawRow } from '../rows.ts';
import { type ReadRow, rowsLabelled, rowsWith, type Task, vectorsOf } from '../task.ts';

/** A row with what its classifier says of it, by words and vector, and by words alone. */
interface Classified extends ReadRow {
  readonly both: TextClass;
  readonly alone: TextClass;
}

const heldBack = (row: RawRow) => isHeldBack(String(row.text));

/** Reads the rows of each language that has a classifier; `files` names them by language. */
function classified(
  read: readonly ReadRow[],
  files: Readonly<Record<string, string>>,
): { rows: Classified[]; notes: string[] } {
  const others = read.filter(({ language }) => files[language] === undefined);
  const rows = Object.entries(files).flatMap(([language, file]) => {
    const own = read.filter((row) => row.language === language);
    const vectors = vectorsOf(own.map(({ row }) => ({ text: String(row.text), language })));
    const classifier = loadTextClassifier(readFileSync(packageFile('models', `${file}.bin`)));
    return own.map((row, index) => {
      const text = String(row.row.text);
      return { ...row, both: classifier.classify(text, vectors[index]), alone: classifier.classify(text) };
    });
  });
  const notes = others.length === 0 ? [] : [`${others.length} rows are in a language without a model`];
  return { rows, notes };
}

type Which = 'both' | 'alone';
const WAYS: readonly (readonly [Which, string])[] = [
  ['both', ''],
  ['alone', ', words alone'],
];

/** A task in which a text has one label. */
export function choiceTask(
  files: Readonly<Record<string, string>>,
  labels: readonly string[],
  extra: (
    part: string,
    rows: readonly (Classified & { label: string })[],
    which: Which,
  ) => Figure[] = () => [],
): Task {
  return {
    heldBack,
    evaluate: async (given) => {
      const { read, notes } = rowsWith(given, ['text']);
      const { rows, notes: missing } = classified(read, files);
      const { known, notes: unknown } = rowsLabelled(rows, labels);
      const labelled = known as (Classified & { label: string })[];
      const figures = [...groupedBy(labelled, ({ language }) => language)].flatMap(([language, own]) =>
        WAYS.flatMap(([which, name]) => [
          ...extra(`${language}${name}`, own, which),
          ...choiceFigures(
            `${language}${name}`,
            own.map((one): Labelled => {
              const { label: said, confidence } = one[which];
              return { truth: one.label, said, confidence, group: groupOf(one.row, one.index) };
            }),
          ),
        ]),
      );
      return { figures, notes: [...notes, ...missing, ...unknown] };
    },
  };
}

/** Romanian rows are those of emotions, as in training. */
export const sentiment: Task = {
  ...choiceTask({ en: 'sentiment-en', ro: 'sentiment-ro' }, ['negative', 'neutral', 'positive']),
  further: (rowsOf) =>
    rowsOf('emotion').flatMap((row) => {
      const label = languageOf(row) === 'ro' ? sentimentOfEmotions(row) : undefined;
      return label === undefined ? [] : [{ ...row, label }];
    }),
};
