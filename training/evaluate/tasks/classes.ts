import { readFileSync } from 'node:fs';
import { packageFile } from '../../../src/foundation/files.ts';
import { clickbaitChance } from '../../../src/text/headlines.ts';
import { loadTextClassifier, type TextClass } from '../../../src/text/text-classifier.ts';
import { askedEmotions, sentimentOfEmotions } from '../../texts/plans.ts';
import {
  asChance,
  asTheyAre,
  calibrationOf,
  choiceFigures,
  type Figure,
  figuresOf,
  groupedBy,
  type Labelled,
  manyLabelFigures,
  yesNoFigures,
} from '../figures.ts';
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
  seen: (read: TextClass) => TextClass = (read) => read,
): { rows: Classified[]; notes: string[] } {
  const others = read.filter(({ language }) => files[language] === undefined);
  const rows = Object.entries(files).flatMap(([language, file]) => {
    const own = read.filter((row) => row.language === language);
    const vectors = vectorsOf(own.map(({ row }) => ({ text: String(row.text), language })));
    const classifier = loadTextClassifier(readFileSync(packageFile('models', `${file}.bin`)));
    return own.map((row, index) => {
      const text = String(row.row.text);
      const [both, alone] = [classifier.classify(text, vectors[index]), classifier.classify(text)];
      return { ...row, both: seen(both), alone: seen(alone) };
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

function labelledBy(one: Classified & { label: string }, which: Which): Labelled {
  const { label: said, confidence } = one[which];
  return { truth: one.label, said, confidence, group: groupOf(one.row, one.index) };
}

/** A task in which a text has one label; `seen` makes of what a classifier says what is compared with it. */
export function choiceTask(
  files: Readonly<Record<string, string>>,
  labels: readonly string[],
  extra: (
    part: string,
    rows: readonly (Classified & { label: string })[],
    which: Which,
  ) => Figure[] = () => [],
  seen?: (read: TextClass) => TextClass,
): Task {
  return {
    heldBack,
    evaluate: async (given) => {
      const { read, notes } = rowsWith(given, ['text']);
      const { rows, notes: missing } = classified(read, files, seen);
      const { known, notes: unknown } = rowsLabelled(rows, labels);
      const labelled = known as (Classified & { label: string })[];
      const figures = [...groupedBy(labelled, ({ language }) => language)].flatMap(([language, own]) =>
        WAYS.flatMap(([which, name]) => [
          ...extra(`${language}${name}`, own, which),
          ...choiceFigures(
            `${language}${name}`,
            own.map((one) => labelledBy(one, which)),
          ),
        ]),
      );
      const diagrams = [...groupedBy(labelled, ({ language }) => language)].map(([language, own]) => ({
        file: files[language] ?? language,
        title: `${files[language] ?? language}: the likeliest label`,
        rows: asChance(own.map((one) => labelledBy(one, 'both'))),
      }));
      return { figures, notes: [...notes, ...missing, ...unknown], diagrams };
    },
  };
}

/** One label, or several, against all others. */
const yesNo =
  (name: string, isYes: (label: string) => boolean) =>
  (part: string, rows: readonly (Classified & { label: string })[], which: Which): Figure[] =>
    yesNoFigures(
      `${part}, ${name}`,
      rows.map((one) => ({
        score: Object.entries(one[which].shares).reduce(
          (sum, [label, share]) => sum + (isYes(label) ? share : 0),
          0,
        ),
        truth: isYes(one.label),
        group: groupOf(one.row, one.index),
      })),
      0.5,
    );

/** The class of a headline, whose kinds the rows of others do not tell apart. */
function headlineClass(kind: TextClass): TextClass {
  const chance = clickbaitChance(kind);
  const label = chance > 0.5 ? 'clickbait' : 'news';
  const shares = { clickbait: chance, news: 1 - chance };
  return { label, confidence: shares[label], shares, labels: [label] };
}

export const clickbait = choiceTask(
  { en: 'clickbait-en', ro: 'clickbait-ro' },
  ['clickbait', 'news'],
  yesNo('clickbait', (label) => label === 'clickbait'),
  headlineClass,
);

/** Romanian rows are those of emotions, as in training. */
export const sentiment: Task = {
  ...choiceTask({ en: 'sentiment-en', ro: 'sentiment-ro' }, ['negative', 'neutral', 'positive']),
  further: (rowsOf) =>
    rowsOf('emotion').flatMap((row) => {
      const label = languageOf(row) === 'ro' ? sentimentOfEmotions(row) : undefined;
      return label === undefined ? [] : [{ ...row, label }];
    }),
};

export const toxicity = choiceTask(
  { en: 'offence-en', ro: 'offence-ro' },
  ['hate', 'offensive', 'neither', 'abuse', 'insult', 'profanity', 'other'],
  yesNo('any offence', (label) => label !== 'neither' && label !== 'other'),
);

const climateLabels =
  'ad hominem,anecdote,cherry picking,conspiracy theory,fake experts,false choice,false equivalence,impossible expectations,misrepresentation,oversimplification,single cause,slothful induction';

export const climate = choiceTask(
  { en: 'fallacy-climate' },
  climateLabels.split(','),
  yesNo('conspiracy theory', (label) => label === 'conspiracy theory'),
);

const commentLabels =
  'none,appeal to authority,appeal to majority,appeal to nature,appeal to tradition,appeal to worse problems,false dilemma,hasty generalization,slippery slope';

export const comments = choiceTask(
  { en: 'fallacy-comments' },
  commentLabels.split(','),
  yesNo('any fallacy', (label) => label !== 'none'),
);

/** Emotions: a text may have several, and a corpus may not have asked for all. */
export const emotion: Task = {
  heldBack,
  evaluate: async (given) => {
    const { read, notes } = rowsWith(given, ['text']);
    const marked = read.filter(({ row }) => Array.isArray(row.labels));
    const { rows, notes: missing } = classified(marked, { en: 'emotion-en', ro: 'emotion-ro' });
    const labels = [...new Set(rows.flatMap(({ both }) => Object.keys(both.shares)))].sort();
    const figures = [...groupedBy(rows, ({ language }) => language)].flatMap(([language, own]) =>
      WAYS.flatMap(([which, name]) =>
        manyLabelFigures(
          `${language}${name}`,
          own.map((one) => ({
            truth: new Set((one.row.labels as unknown[]).map(String)),
            said: new Set(one[which].labels),
            looked: new Set(askedEmotions(one.row)),
            group: groupOf(one.row, one.index),
          })),
          labels,
        ),
      ),
    );
    const without = read.length - marked.length;
    const told = without === 0 ? [] : [`${without} rows without labels were left out`];
    const chances = (own: readonly Classified[]) =>
      own.flatMap(({ row, index, both }) =>
        askedEmotions(row).map((label) => ({
          score: both.shares[label] ?? 0,
          truth: (row.labels as unknown[]).includes(label),
          group: groupOf(row, index),
        })),
      );
    const byLanguage = [...groupedBy(rows, ({ language }) => language)];
    const calibration = byLanguage.flatMap(([language, own]) => {
      const said = chances(own);
      return figuresOf(`${language}, each emotion`, said, {
        'calibration error': calibrationOf(said, asTheyAre),
      });
    });
    const diagrams = byLanguage.map(([language, own]) => ({
      file: `emotion-${language}`,
      title: `emotion-${language}: each emotion`,
      rows: chances(own),
    }));
    return { figures: [...figures, ...calibration], notes: [...notes, ...told, ...missing], diagrams };
  },
};
