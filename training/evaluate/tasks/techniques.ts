import { readFileSync } from 'node:fs';
import meta from '../../../data/taxonomy/technique-meta.json' with { type: 'json' };
import { packageFile } from '../../../src/foundation/files.ts';
import { encodingOf } from '../../../src/services/analysis/engines/encoding/text-encoding.ts';
import { encoderScores } from '../../../src/services/analysis/engines/techniques/encoder-scores.ts';
import {
  createTechniquesEngine,
  ruleCodesByToken,
  type TechniqueFinding,
} from '../../../src/services/analysis/engines/techniques/engine.ts';
import { readTechniquesModel } from '../../../src/services/analysis/engines/techniques/model-file.ts';
import { applyRules, loadRuleBooks } from '../../../src/services/analysis/engines/techniques/rules.ts';
import { loadTextClassifier } from '../../../src/text/text-classifier.ts';
import type { Scored } from '../../metrics.ts';
import { articlesOf } from '../../techniques/articles.ts';
import { endToEnd, type HeldOut, heldOut, figuresOf as stageFigures } from '../../techniques/folds.ts';
import { codesOfLabel, LABELLED } from '../../techniques/list-reading.ts';
import { merged, spanScore } from '../../techniques/measure.ts';
import type { Row } from '../../techniques/rows.ts';
import { type Article, sentenceGold } from '../../techniques/stages.ts';
import {
  asTheyAre,
  calibrationOf,
  type Figure,
  figuresOf,
  groupedBy,
  manyLabelFigures,
  yesNoFigures,
} from '../figures.ts';
import { groupOf, type RawRow, textOf } from '../rows.ts';
import { packagedEncoder, type ReadRow, rowsWith, type Task } from '../task.ts';

const bytes = () => readFileSync(packageFile('models', 'techniques.bin'));
const plainName = (name: string) => name.toLowerCase().replace(/[^a-z]/g, '');

/** Labels of the corpus by any spelling, and by the names of later inventories that mean the same codes. */
function labelNames(): Map<string, string> {
  const own = meta.label_to_codes.semeval2020 as Record<string, string[]>;
  const names = new Map(Object.keys(own).map((label) => [plainName(label), label]));
  for (const inventory of Object.values(meta.label_to_codes) as Record<string, string[]>[])
    for (const [label, codes] of Object.entries(inventory)) {
      const same = Object.keys(own).find((name) => own[name]?.some((code) => codes.includes(code)));
      if (same !== undefined && !names.has(plainName(label))) names.set(plainName(label), same);
    }
  return names;
}

/** The fields of a row that the measures need; a row without a document is one by itself. */
function rowOf(
  { row, index }: ReadRow,
  names: ReadonlyMap<string, string>,
  unknown: Map<string, number>,
): Row {
  const label = (name: unknown) => {
    const found = names.get(plainName(String(name)));
    if (found === undefined) unknown.set(String(name), (unknown.get(String(name)) ?? 0) + 1);
    return found;
  };
  const labels = (Array.isArray(row.labels) ? row.labels : []).flatMap((name) => label(name) ?? []);
  const spans = (Array.isArray(row.spans) ? row.spans : []).flatMap((span: unknown) => {
    if (!Array.isArray(span)) return [];
    const [start, end, name] = span as unknown[];
    const found = label(name);
    return typeof start === 'number' && typeof end === 'number' && found !== undefined
      ? [[start, end, found] as const]
      : [];
  });
  return {
    id: textOf(row, 'id') ?? `row ${index}`,
    doc: groupOf(row, index),
    line: index,
    offset: Number.isFinite(row.offset) ? Number(row.offset) : index,
    // A line of a corpus is a line: those inside it would part it.
    text: String(row.text).replace(/[\r\n]/g, ' '),
    labels,
    spans,
  };
}

/** An article with what the product shows of it. */
export interface Shown {
  readonly article: Article;
  readonly findings: readonly TechniqueFinding[];
}

/** What the list says of each passage and of each technique of an article, with whether annotators marked the same. */
function listedChances({ article, findings }: Shown): { passages: Scored[]; techniques: Scored[] } {
  const group = article.doc;
  const known = findings.filter(({ code }) => LABELLED.has(code));
  const golden = (code: string) => article.spans.filter(({ label }) => codesOfLabel(label).includes(code));
  const passages = known.flatMap(({ code, spans }) =>
    spans.map(({ start_utf16: start, end_utf16: end, confidence: score }) => {
      const truth = golden(code).some((span) => span.startUtf16 < end && span.endUtf16 > start);
      return { score, truth, group };
    }),
  );
  const techniques = known.map(({ code, confidence: score }) => {
    return { score, truth: golden(code).length > 0, group };
  });
  return { passages, techniques };
}

/** Figures of the list of findings against the marked spans: what it finds, and how far its confidences are probabilities. */
export function listFigures(part: string, shown: readonly Shown[]): Figure[] {
  const rows = shown.map((one) => ({ ...one, group: one.article.doc }));
  const chances = shown.map(listedChances);
  const passages = chances.flatMap((one) => one.passages);
  const techniques = chances.flatMap((one) => one.techniques);
  const found = figuresOf(part, rows, {
    'span F1 of the list': {
      of: (some) =>
        spanScore(
          some.map(({ article, findings }) => ({
            found: merged(
              findings.flatMap(({ spans }) =>
                spans.map((span) => ({ start: span.start_utf16, end: span.end_utf16 })),
              ),
            ),
            gold: merged(article.spans.map((span) => ({ start: span.startUtf16, end: span.endUtf16 }))),
          })),
        ).f1,
    },
  });
  return [
    ...found,
    ...figuresOf(part, passages, {
      'calibration error of listed passages': calibrationOf(passages, asTheyAre),
    }),
    ...figuresOf(part, techniques, {
      'calibration error of listed techniques': calibrationOf(techniques, asTheyAre),
    }),
  ];
}

/** Figures of the trained stages against the marked spans. */
export function spanFigures(
  part: string,
  items: readonly HeldOut[],
  calibration: Parameters<typeof endToEnd>[1],
): Figure[] {
  const rows = items.map((item) => ({ ...item, group: item.article.doc }));
  return figuresOf(part, rows, {
    'span F1 of the trained stages': { of: (some) => stageFigures(some).spanF1 },
    'technique of a span, micro F1': { of: (some) => stageFigures(some).namingF1 },
    'labels of sentences, micro F1': { of: (some) => endToEnd(some, calibration, LABEL_FROM).micro.f1 },
  });
}

/** Confidence from which a label of a sentence counts: the best on the folds of training. */
const LABEL_FROM = 0.12;

/** Labels of whole rows, where a file marks no spans: those of the codes that the list names. */
function rowLabels(
  part: string,
  shown: readonly Shown[],
  rows: ReadonlyMap<string, readonly Row[]>,
): Figure[] {
  const own = meta.label_to_codes.semeval2020 as Record<string, string[]>;
  const labels = Object.keys(own);
  const looked = new Set(labels);
  const scored = shown.map(({ article, findings }) => {
    const codes = new Set(findings.map(({ code }) => code));
    const said = new Set(labels.filter((label) => own[label]?.some((code) => codes.has(code))));
    const truth = new Set(rows.get(article.doc)?.flatMap(({ labels: marked }) => marked));
    return { group: article.doc, truth, said, looked };
  });
  return manyLabelFigures(`${part}, labels of a text by the list`, scored, labels);
}

/** Figures of the chance that a sentence has any technique. */
export function anyFigures(part: string, chances: readonly Scored[]): Figure[] {
  return yesNoFigures(`${part}, any technique in a sentence`, chances, ANY_FROM);
}

/** Chance from which a sentence counts as having a technique: the best on the folds of training. */
const ANY_FROM = 0.3;

function reportOf(language: string, rows: readonly Row[]): Figure[] {
  const model = readTechniquesModel(bytes());
  const reader = loadTextClassifier(readFileSync(packageFile('models', 'technique-sentences.bin')));
  const engine = createTechniquesEngine(bytes(), reader);
  const book = loadRuleBooks()[language === 'ro' ? 'ro' : 'en'];
  const byDoc = groupedBy(rows, ({ doc }) => doc);
  const articles = articlesOf(rows, model.screening.words, (_, tokens, sentences) =>
    ruleCodesByToken(tokens.length, applyRules(book, tokens, sentences)),
  );
  const encodings = articles.map(({ text }) => encodingOf(packagedEncoder(), { text, language }));
  const shown = articles.map((article, index): Shown => {
    const encoding = encodings[index];
    return { article, findings: engine.analyse(article.text, { language, encoding }).techniques_detected };
  });
  const hasSpans = rows.some(({ spans }) => spans.length > 0);
  const list = hasSpans ? listFigures(language, shown) : rowLabels(language, shown, byDoc);
  if (language !== 'en') return list;
  const items = articles.map((article, index) => {
    const { tokens, sentences } = article.view;
    const pieces = encodings[index]?.pieces;
    const close = pieces && encoderScores(pieces, tokens, sentences, model.screening.labels.length);
    return heldOut(article, model.screening, close);
  });
  const chances = items.flatMap(({ article, screening }) => {
    const marked = sentenceGold(article);
    return [...screening.sentences].map((score, at) => ({
      score,
      truth: hasSpans ? marked[at] === 1 : (byDoc.get(article.doc)?.[at]?.labels.length ?? 0) > 0,
      group: article.doc,
    }));
  });
  const spans = hasSpans
    ? spanFigures(language, items, model.combinationCalibration ?? model.calibration)
    : [];
  return [...anyFigures(language, chances), ...spans, ...list];
}

/** Persuasion techniques: rows of one `doc` are the lines of one article; without `spans` only labels are scored. */
export const task: Task = {
  evaluate: async (given: readonly RawRow[]) => {
    const { read, notes } = rowsWith(given, ['text']);
    const [names, unknown] = [labelNames(), new Map<string, number>()];
    const languages = groupedBy(read, ({ language }) => language);
    const figures = [...languages].flatMap(([language, own]) =>
      reportOf(
        language,
        own.map((row) => rowOf(row, names, unknown)),
      ),
    );
    const told = [...unknown].map(([label, count]) => `${label} ${count}`).join(', ');
    return {
      figures,
      notes: told === '' ? notes : [...notes, `labels without a counterpart were left out: ${told}`],
    };
  },
};
