/**
 * What a list of techniques with surer and less sure passages would find, and what it would cost calm texts; nothing is written. Usage:
 * npx tsx training/techniques-list.ts FOLDER [data folder, default ../shared/data]; FOLDER holds `words-N.bin` of some folds
 * (training/techniques/fold-models.ts). Words alone are read.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageFile } from '../src/foundation/files.ts';
import { readTechniquesModel } from '../src/services/analysis/engines/techniques/model-file.ts';
import { summarise } from '../src/services/analysis/engines/techniques/summary.ts';
import { rowsOf, wholeTexts } from './judgement/sets.ts';
import { bootstrapInterval, calibrationError } from './metrics.ts';
import { readRows, shuffled } from './rows.ts';
import { FOLDS, readArticles } from './techniques/held-back.ts';
import { type ListDocument, type ListedPassage, ListReader, logOdds } from './techniques/list-reading.ts';
import { merged, type Range, spanScore } from './techniques/measure.ts';
import { trainDense } from './techniques/stages.ts';

const [folder = '', data = '../shared/data'] = process.argv.slice(2);
/** How often a passage of a marked article counts beside one of a calm text, when the chance is fitted. */
const WEIGHTS = [1, 2, 5] as const;
const BOUNDS = [0.3, 0.25, 0.2, 0.15, 0.12, 0.1] as const;
/** A technique is named from this presence on: 1 - product over its passages of (1 - confidence). */
const LEAST_PRESENCE = 0.5;
/** Mainstream articles that taught nothing: on them a choice is checked. */
const CHECKED = { from: 160, to: 230 } as const;

const shipped = readTechniquesModel(readFileSync(packageFile('models', 'techniques.bin')));
const log = (line: string) => process.stdout.write(`${line}\n`);

/** Articles with marked spans, each read by words that did not see it. */
function markedDocuments(): ListDocument[] {
  const readers = Array.from({ length: FOLDS }, (_, fold) => {
    const file = join(folder, `words-${fold}.bin`);
    return existsSync(file)
      ? new ListReader({ ...shipped, screening: readTechniquesModel(readFileSync(file)).screening })
      : undefined;
  });
  return readArticles(data, shipped.screening.words).flatMap((article, index) => {
    const fold = index % FOLDS;
    const gold = article.spans.map(({ startUtf16, endUtf16, label }) => ({
      start: startUtf16,
      end: endUtf16,
      label,
    }));
    return readers[fold]?.read({ text: article.text, fold, gold }) ?? [];
  });
}

const reader = new ListReader(shipped);
const calmTexts = [
  ...rowsOf('calm').filter(({ lang }) => lang === 'en'),
  ...wholeTexts(undefined, data).filter(
    ({ lang, expected }) => lang === 'en' && expected?.accept.length === 1 && expected.accept[0] === 'low',
  ),
];
const articles = shuffled(
  readRows<{ text: string; label: string }>(data, 'hyperpartisan').filter(
    ({ label }) => label === 'mainstream',
  ),
  7,
);
const plain = ({ text }: { readonly text: string }) => reader.read({ text, fold: -1, gold: [] });
const calm = calmTexts.map(plain);
const [checked, others] = [
  articles.slice(CHECKED.from, CHECKED.to).map(plain),
  [...articles.slice(100, CHECKED.from), ...articles.slice(CHECKED.to)].map(plain),
];
const marked = markedDocuments();
const folds = [...new Set(marked.map(({ fold }) => fold))];
log(
  `${marked.length} marked articles of folds ${folds.join(', ')}; ${calm.length} calm texts; ${others.length} and ${checked.length} mainstream articles`,
);

/** What is known of a passage: 1, its own log-odds, the mean of the other sentences of its text. */
const inputsOf = (document: ListDocument, { chance, sentence }: ListedPassage) =>
  Float64Array.of(1, logOdds(chance), document.around(sentence));

function fit(loud: readonly ListDocument[], weight: number): number[] {
  const rows = [...loud, ...calm, ...others].flatMap((document) =>
    document.passages.flatMap((passage) => {
      const row = { input: inputsOf(document, passage), answer: passage.right ? 1 : 0 };
      return new Array<typeof row>(document.fold < 0 ? 1 : weight).fill(row);
    }),
  );
  return trainDense(
    rows.map(({ input }) => input),
    rows.map(({ answer }) => answer),
  );
}

interface Listed {
  readonly passages: ListedPassage[];
  readonly added: ListedPassage[];
}

/** Today's list and the best-named passages of the trained stages above a bound, in techniques that are present. */
function listOf(document: ListDocument, weights: readonly number[], bound: number): Listed {
  const more = document.passages.flatMap((passage) => {
    const sum = inputsOf(document, passage).reduce(
      (total, value, at) => total + value * (weights[at] ?? 0),
      0,
    );
    const confidence = passage.share / (1 + Math.exp(-sum));
    const known = document.listed.some(
      ({ code, start, end }) => code === passage.code && start < passage.end && end > passage.start,
    );
    return known || confidence < bound ? [] : [{ ...passage, confidence }];
  });
  const all = [...document.listed, ...more];
  const presence = (code: string) =>
    1 -
    all.filter((one) => one.code === code).reduce((absent, { confidence }) => absent * (1 - confidence), 1);
  const isPresent = ({ code }: ListedPassage) => presence(code) >= LEAST_PRESENCE;
  return { passages: all.filter(isPresent), added: more.filter(isPresent) };
}

function scoreOf({ wordCount }: ListDocument, passages: readonly ListedPassage[]): number {
  const findings = passages.map(({ code, confidence }) => ({ code, confidence, spans: [{ confidence }] }));
  return summarise(findings, wordCount).manipulation_score;
}

const rangesOf = (passages: readonly Range[]) => merged(passages.map(({ start, end }) => ({ start, end })));

function tell(name: string, list: (document: ListDocument) => Listed): void {
  const lists = marked.map((document, at) => ({
    found: rangesOf(list(document).passages),
    gold: rangesOf(document.gold),
    group: String(at),
    score: 0,
    truth: false,
  }));
  const { precision, recall, f1 } = spanScore(lists);
  const [low, high] = bootstrapInterval(lists, (some) => spanScore(some as typeof lists).f1, 200);
  const errorOf = (part: keyof Listed) => {
    const rows = marked.flatMap((document, at) =>
      list(document)[part].map(({ confidence, right }) => ({
        score: confidence,
        truth: right,
        group: String(at),
      })),
    );
    return `${rows.length} (${rows.length === 0 ? 'none' : calibrationError(rows).toFixed(3)})`;
  };
  const above = (documents: readonly ListDocument[]) =>
    [20, 40]
      .map((from) => documents.filter((one) => scoreOf(one, list(one).passages) >= from).length)
      .join(' and ');
  log(
    `${name}: P ${precision.toFixed(3)} R ${recall.toFixed(3)} F1 ${f1.toFixed(3)} (${low.toFixed(3)} to ${high.toFixed(3)}); passages ${errorOf('passages')}, added ${errorOf('added')}; at 20 and at 40: calm ${above(calm)}, mainstream ${above(others)}, checked ${above(checked)}`,
  );
}

tell('today', ({ listed }) => ({ passages: [...listed], added: [] }));
for (const weight of WEIGHTS) {
  const fits = new Map(
    folds.map((fold) => [
      fold,
      fit(
        marked.filter((one) => one.fold !== fold),
        weight,
      ),
    ]),
  );
  const whole = fit(marked, weight);
  log(`weight ${weight}: ${whole.map((value) => value.toFixed(3)).join(', ')}`);
  for (const bound of BOUNDS)
    tell(`weight ${weight}, from ${bound}`, (document) =>
      listOf(document, fits.get(document.fold) ?? whole, bound),
    );
}
