/**
 * Trains and scores the model that separates main text from the rest of a page: models/page-lines.json.
 * Usage: tsx training/page-lines.ts [data folder, default ../shared/data] [file that keeps the measured pages between runs]
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { deserialize, serialize } from 'node:v8';
import { packageFile } from '../src/foundation/files.ts';
import { likeliestLines } from '../src/services/web/extract/likeliest-lines.ts';
import {
  COLUMNS,
  chancesOf,
  mainTextProbabilities,
  secondStageRow,
} from '../src/services/web/extract/line-model.ts';
import { secondStageFeatures } from '../src/services/web/extract/second-stage-features.ts';
import type { BoostedTrees } from '../src/text/boosted-trees.ts';
import { binRows, trainTrees } from './boosting.ts';
import { measure } from './extraction/measure.ts';
import { readTrainingPages, type TrainingPage } from './extraction/pages.ts';
import { DATA_FOLDER, randomStream } from './rows.ts';

const BOOSTING = { leaves: 20, leastHessian: 8, l2: 4, rowShare: 0.5, columnShare: 0.25 };
/** The first look takes more and slower trees than the second, which begins with its chances. */
const [FIRST, SECOND] = [
  { ...BOOSTING, trees: 120, rate: 0.07 },
  { ...BOOSTING, trees: 100, rate: 0.07 },
];
/** Lines of one page that are learned from, and words of a line that count. */
const [MOST_LINES, MOST_WORDS] = [160, 150];
/** Brings the weights of a page to about this sum. */
const PAGE_WEIGHT = 200;

const [folder = DATA_FOLDER, kept] = process.argv.slice(2);

function pages(): TrainingPage[] {
  if (kept !== undefined && existsSync(kept)) return deserialize(readFileSync(kept)) as TrainingPage[];
  const read = readTrainingPages(folder);
  if (kept !== undefined) writeFileSync(kept, serialize(read));
  return read;
}

type RowsOf = (page: TrainingPage) => readonly Float32Array[];

/** Weighs each line by the part of its page's text that it is: pages count alike, as in the measures. */
function fit(
  from: readonly TrainingPage[],
  rowsOf: RowsOf,
  options: typeof FIRST,
  seed: number,
): BoostedTrees {
  const random = randomStream(seed);
  const [rows, targets, weights]: [Float32Array[], number[], number[]] = [[], [], []];
  for (const page of from) {
    const whole = page.words.reduce((sum, each) => sum + each, 0);
    const share = Math.min(1, MOST_LINES / page.lines.length);
    const scale = PAGE_WEIGHT / (Math.min(whole, 2 * page.goldWords) + page.goldWords + 20) / share;
    for (const [at, row] of rowsOf(page).entries()) {
      const words = page.words[at] ?? 0;
      if (words === 0 || random() > share) continue;
      rows.push(row);
      targets.push(page.shares[at] ?? 0);
      weights.push(scale * Math.min(words, MOST_WORDS));
    }
  }
  const data = binRows(rows);
  return trainTrees(data, Float32Array.from(targets), Float32Array.from(weights), { ...options, seed });
}

/** Chances of the lines of each page by trees that were fitted to the pages of other sites. */
function byOthers(
  pages: readonly TrainingPage[],
  rowsOf: RowsOf,
  options: typeof FIRST,
): Map<TrainingPage, Float32Array> {
  const chances = new Map<TrainingPage, Float32Array>();
  for (const fold of new Set(pages.map((page) => page.fold))) {
    const trees = fit(
      pages.filter((page) => page.fold !== fold),
      rowsOf,
      options,
      fold + 1,
    );
    for (const page of pages.filter((each) => each.fold === fold))
      chances.set(page, chancesOf(trees, rowsOf(page)));
  }
  return chances;
}

function report(
  name: string,
  on: readonly TrainingPage[],
  chances: ReadonlyMap<TrainingPage, Float32Array>,
): void {
  const textOf = (page: TrainingPage) => {
    const chosen = likeliestLines(page.places.words, chances.get(page) ?? new Float32Array());
    return page.lines.filter((_, at) => chosen[at] === true).join('\n');
  };
  const of = (part: readonly TrainingPage[]) => {
    const { f1, precision, recall, pages: count } = measure(part, textOf);
    return `${f1.toFixed(4)} (precision ${precision.toFixed(3)}, recall ${recall.toFixed(3)}, ${count} pages)`;
  };
  console.log(`${name}: aeb ${of(on.filter(({ set }) => set === 'aeb'))}`);
  const mixed = on.filter(({ set }) => set !== 'aeb');
  console.log(`${name}: wcxb ${of(mixed)}`);
  for (const type of new Set(mixed.map((page) => page.type)))
    console.log(`${name}:   ${type} ${of(mixed.filter((page) => page.type === type))}`);
}

/** Nine digits keep a bound as it is; the values of leaves need fewer. */
const shortened = (trees: BoostedTrees) => ({
  ...trees,
  thresholds: trees.thresholds.map((each, at) => Number(each.toPrecision(trees.features[at] === -1 ? 4 : 9))),
});

const all = pages();
const firstRows: RowsOf = (page) => page.rows;
const seen = byOthers(all, firstRows, FIRST);
report('first look, pages of other sites', all, seen);
// The second stage learns from probabilities with the errors that unseen pages have.
const made = new Map(
  all.map((page) => {
    const look = secondStageFeatures(page.places, seen.get(page) ?? new Float32Array());
    return [page, page.rows.map((row, at) => secondStageRow(row, look(at)))] as const;
  }),
);
const laterRows: RowsOf = (page) => made.get(page) ?? [];
const model = { first: fit(all, firstRows, FIRST, 5), second: fit(all, laterRows, SECOND, 6) };
writeFileSync(
  packageFile('models', 'page-lines.json'),
  `${JSON.stringify({ columns: COLUMNS, first: shortened(model.first), second: shortened(model.second) })}\n`,
);
const inSample = new Map(
  all.map((page) => [page, mainTextProbabilities(model, page.rows, page.places)] as const),
);
report('fitted on all, the same pages', all, inSample);
report('second look, pages of other sites', all, byOthers(all, laterRows, SECOND));
