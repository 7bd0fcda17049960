import type { Language } from '../foundation/localized-text.ts';
import { shippedVerdictRules } from '../services/analysis/resources/verdict-rules.ts';
import type { BatchResult } from './batch.ts';

const TEXTS = {
  en: {
    columns: ['Input', 'Risk', 'Category', 'Confidence', 'State'],
    completed: 'done',
    earlier: 'done before',
    accepted: 'not finished',
    failed: 'failed',
    unjudged: 'nothing could be checked',
    counts: (done: number, all: number) => `${done} of ${all} analysed`,
  },
  ro: {
    columns: ['Conținut', 'Risc', 'Categorie', 'Încredere', 'Stare'],
    completed: 'gata',
    earlier: 'gata dinainte',
    accepted: 'neîncheiat',
    failed: 'eșuat',
    unjudged: 'nimic nu s-a putut verifica',
    counts: (done: number, all: number) => `${done} din ${all} analizate`,
  },
} as const;
/** Longest name of an input in the table, in code points. */
const LONGEST_NAME = 44;

function categoryOf(code: string | null, language: Language): string {
  const { risk_bands, inconclusive } = shippedVerdictRules;
  const row = [...risk_bands, inconclusive].find(({ risk_category }) => risk_category === code);
  return row?.[`category_${language}`] ?? '–';
}

function number(value: number | null, places: number, language: Language): string {
  if (value === null) return '–';
  const text = value.toFixed(places);
  return language === 'ro' ? text.replace('.', ',') : text;
}

/** The end of a long name is kept, not its beginning: most addresses begin alike. */
function shortName(name: string): string {
  const points = [...name];
  return points.length <= LONGEST_NAME ? name : `…${points.slice(1 - LONGEST_NAME).join('')}`;
}

type Texts = (typeof TEXTS)[Language];

function stateOf({ judged, earlier, status }: BatchResult, texts: Texts): string {
  if (status === 'completed' && !judged) return texts.unjudged;
  return earlier ? texts.earlier : texts[status];
}

/** A table of what a batch did, with a line for each input and the count at the end. */
export function batchSummary(results: readonly BatchResult[], language: Language): string {
  const texts = TEXTS[language];
  const rows = results.map((result) => [
    shortName(result.input),
    number(result.risk_score, 1, language),
    categoryOf(result.risk_category, language),
    number(result.confidence, 2, language),
    result.error ?? stateOf(result, texts),
  ]);
  const table = [[...texts.columns], ...rows];
  const widths = texts.columns.map((_, column) =>
    Math.max(...table.map((row) => [...(row[column] ?? '')].length)),
  );
  const lines = table.map((row) =>
    row
      .map((cell, column) => cell + ' '.repeat((widths[column] ?? 0) - [...cell].length))
      .join('  ')
      .trimEnd(),
  );
  const done = results.filter(({ status, judged }) => status === 'completed' && judged).length;
  return ['', ...lines.map((line) => `  ${line}`), '', `  ${texts.counts(done, results.length)}`, ''].join(
    '\n',
  );
}
