import { readFileSync } from 'node:fs';
import { packageFile } from '../../../src/foundation/files.ts';
import { foldedWords } from '../../../src/services/analysis/engines/context/phrases.ts';
import { directionOf, temperedShares } from '../../../src/services/analysis/engines/context/subject.ts';
import { encodingOf } from '../../../src/services/analysis/engines/encoding/text-encoding.ts';
import { toPlainText } from '../../../src/services/analysis/engines/plain-text.ts';
import { loadTextClassifier } from '../../../src/text/text-classifier.ts';
import type { SubjectKind } from '../../subjects/plans.ts';
import type { SubjectRow } from '../../subjects/rows.ts';
import { asChance, choiceFigures, type Figure, figuresOf, type Labelled, type Report } from '../figures.ts';
import { groupOf, type RawRow, textOf } from '../rows.ts';
import { packagedEncoder, rowsWith, type Task } from '../task.ts';

/** A text and what is said of it; `also` is true for what a reader may say as well. */
interface Judged extends Labelled {
  readonly part: string;
  readonly also: boolean;
}

const rightOrAlso = (rows: readonly Judged[]) =>
  rows.filter(({ truth, said, also }) => also || truth === said).length / Math.max(1, rows.length);

/** The parts of a set, all of it last. */
function figuresBy(rows: readonly Judged[]): Figure[] {
  const parts = new Set(rows.map(({ part }) => part));
  return [...parts, ...(parts.size > 1 ? ['all'] : [])].flatMap((part) => {
    const own = part === 'all' ? rows : rows.filter((row) => row.part === part);
    const second = own.some(({ also }) => also)
      ? figuresOf(part, own, { 'one of two named topics': { of: rightOrAlso } })
      : [];
    return [...choiceFigures(part, own), ...second];
  });
}

/** What a classifier of subjects says of texts, read as an analysis reads them. */
export function subjectReport(kind: SubjectKind, rows: readonly SubjectRow[]): Report {
  const classifier = loadTextClassifier(readFileSync(packageFile('models', `${kind}.bin`)));
  const judged = rows.map(({ id, text, language, topics, genre, isPublished }): Judged => {
    const plain = toPlainText(text).text;
    const direction = directionOf(encodingOf(packagedEncoder(), { text: plain, language }));
    const { label: said, shares } = classifier.classify(plain, direction);
    const confidence = temperedShares(shares, foldedWords(plain).length)[said] ?? 0;
    const truth = kind === 'genre' ? genre : (topics[0] ?? '');
    const also = kind === 'topic' && topics.slice(1).includes(said);
    return {
      truth,
      said,
      confidence,
      group: id,
      also,
      part: isPublished ? `${language}, published` : language,
    };
  });
  const diagrams = [{ file: kind, title: `${kind}: the likeliest one`, rows: asChance(judged) }];
  return { figures: figuresBy(judged), notes: [], diagrams };
}

function rowOf(row: RawRow, index: number, language: string): SubjectRow {
  const label = textOf(row, 'label') ?? '';
  return {
    id: groupOf(row, index),
    text: textOf(row, 'text') ?? '',
    language: language === 'ro' ? 'ro' : 'en',
    topics: [label],
    genre: label,
    isPublished: false,
  };
}

/** A task of rows with a text and a label. */
function taskOf(kind: SubjectKind): Task {
  return {
    evaluate: async (given) => {
      const { read, notes } = rowsWith(given, ['text', 'label']);
      const report = subjectReport(
        kind,
        read.map(({ row, index, language }) => rowOf(row, index, language)),
      );
      return { ...report, notes: [...notes, ...report.notes] };
    },
  };
}

export const topic = taskOf('topic');
export const genre = taskOf('genre');
