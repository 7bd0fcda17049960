/**
 * Trains and scores the model that tells main text from the rest of a page: models/page-lines.json.
 * Usage: tsx training/page-lines.ts [data folder, default ../shared/data] [file that keeps the measured pages between runs]
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { deserialize, serialize } from 'node:v8';
import { packageFile } from '../src/foundation/files.ts';
import { likeliestLines } from '../src/services/web/extract/likeliest-lines.ts';
import { LINE_FEATURES } from '../src/services/web/extract/line-features.ts';
import { chancesOf } from '../src/services/web/extract/line-model.ts';
import type { BoostedTrees } from '../src/text/boosted-trees.ts';
import { binRows, trainTrees } from './boosting.ts';
import { measure } from './extraction/measure.ts';
import { readTrainingPages, type TrainingPage } from './extraction/pages.ts';
import { DATA_FOLDER, randomStream } from './rows.ts';

/** Few and coarse trees: larger ones, and a second look at the chances of the first, did worse on sites that were kept aside. */
const BOOSTING = {
  trees: 60,
  leaves: 20,
  rate: 0.15,
  leastHessian: 8,
  l2: 4,
  rowShare: 0.5,
  columnShare: 0.25,
};
/** Lines of one page that are learned from, and words of a line that count. */
const [MOST_LINES, MOST_WORDS] = [250, 150];
/** Brings the weights of a page to about this sum. */
const PAGE_WEIGHT = 200;

const [folder = DATA_FOLDER, kept] = process.argv.slice(2);

function pages(): TrainingPage[] {
  if (kept !== undefined && existsSync(kept)) return deserialize(readFileSync(kept)) as TrainingPage[];
  const read = readTrainingPages(folder);
  if (kept !== undefined) writeFileSync(kept, serialize(read));
  return read;
}

/** Weighs each line by the part of its page's text that it is: pages count alike, as in the measures. */
function fit(from: readonly TrainingPage[], seed: number): BoostedTrees {
  const random = randomStream(seed);
  const [rows, targets, weights]: [Float32Array[], number[], number[]] = [[], [], []];
  for (const page of from) {
    const whole = page.words.reduce((sum, each) => sum + each, 0);
    const share = Math.min(1, MOST_LINES / page.lines.length);
    const scale = PAGE_WEIGHT / (Math.min(whole, 2 * page.goldWords) + page.goldWords + 20) / share;
    for (const [at, row] of page.rows.entries()) {
      const words = page.words[at] ?? 0;
      if (words === 0 || random() > share) continue;
      rows.push(row);
      targets.push(page.shares[at] ?? 0);
      weights.push(scale * Math.min(words, MOST_WORDS));
    }
  }
  return trainTrees(binRows(rows), Float32Array.from(targets), Float32Array.from(weights), {
    ...BOOSTING,
    seed,
  });
}

function report(name: string, on: readonly TrainingPage[], trees: BoostedTrees): void {
  const texts = new Map(
    on.map((page) => {
      const chosen = likeliestLines(page.words, chancesOf(trees, page.rows));
      return [page, page.lines.filter((_, at) => chosen[at] === true).join('\n')];
    }),
  );
  const of = (part: readonly TrainingPage[]) => {
    const { f1, precision, recall, pages: count } = measure(part, (page) => texts.get(page) ?? '');
    return `${f1.toFixed(4)} (precision ${precision.toFixed(3)}, recall ${recall.toFixed(3)}, ${count} pages)`;
  };
  console.log(`${name}: aeb ${of(on.filter(({ set }) => set === 'aeb'))}`);
  const mixed = on.filter(({ set }) => set !== 'aeb');
  console.log(`${name}: wcxb ${of(mixed)}`);
  for (const type of new Set(mixed.map((page) => page.type)))
    console.log(`${name}:   ${type} ${of(mixed.filter((page) => page.type === type))}`);
}

const all = pages();
const [one, other] = [all.filter(({ fold }) => fold < 2), all.filter(({ fold }) => fold >= 2)];
report('fitted on the first half, scored on the second', other, fit(one, 1));
report('fitted on the second half, scored on the first', one, fit(other, 2));
const trees = fit(all, 3);
report('fitted on all, scored on the same', all, trees);
// Nine digits keep a bound as it is; the values of leaves need fewer.
const thresholds = trees.thresholds.map((each, at) =>
  Number(each.toPrecision(trees.features[at] === -1 ? 4 : 9)),
);
writeFileSync(
  packageFile('models', 'page-lines.json'),
  `${JSON.stringify({ columns: LINE_FEATURES, trees: { ...trees, thresholds } })}\n`,
);
