/**
 * Trains and measures models/articles-en.bin, the model of whole articles. Usage: npx tsx training/articles.ts [data folder,
 * default ../shared/data] [--record]. Seven minutes of CPU. Every article is scored by weights that did not see it.
 */
import { writeFileSync } from 'node:fs';
import {
  ARTICLE_LABELS,
  type ArticleDirections,
  type ArticleParameters,
  articleDirections,
} from '../src/services/analysis/engines/articles/article.ts';
import { encodingOf } from '../src/services/analysis/engines/encoding/text-encoding.ts';
import { toPlainText } from '../src/services/analysis/engines/plain-text.ts';
import { FeatureHasher, type Features } from '../src/text/features.ts';
import { createGaussianKernel } from '../src/text/gaussian-kernel.ts';
import { saveLinear } from '../src/text/linear.ts';
import { sigmoid } from '../src/text/logistic.ts';
import { textFeatures } from '../src/text/text-classifier.ts';
import { reliabilityDiagram } from './diffuse/reliability.ts';
import { yesNoFigures } from './evaluate/figures.ts';
import { recordFigures } from './evaluate/recorded.ts';
import { tableOf } from './evaluate/table.ts';
import { packagedEncoder } from './evaluate/task.ts';
import { fitKernelLogistic } from './kernel-logistic.ts';
import { plattScale } from './logistic.ts';
import { bestF1Threshold, type Scored } from './metrics.ts';
import { DATA_FOLDER, readRows, shuffled } from './rows.ts';
import {
  addGaussianKernel,
  addLinearKernel,
  gaussianKernelFile,
  landmarksOf,
  linearWeights,
} from './text-kernels.ts';
import { short } from './texts/file.ts';

const folder = process.argv.slice(2).find((argument) => !argument.startsWith('--')) ?? DATA_FOLDER;
const log = (line: string) => process.stdout.write(`${line}\n`);

/** Chosen on other folds of the same articles. */
const BITS = 18;
const AXES = 128;
const PENALTY = 0.01;
const KERNELS = {
  body: { gamma: 2, share: 0.5 },
  headline: { gamma: 1, share: 0.25 },
} as const;
const PARTS = ['headline', 'body'] as const;
const FOLDS = 10;

interface ArticleRow {
  readonly id: string;
  readonly title: string;
  readonly text: string;
  readonly label: string;
}

interface EncodedArticle {
  readonly id: string;
  readonly truth: boolean;
  readonly weight: number;
  readonly words: Features;
  readonly directions: ArticleDirections;
}

interface Article extends EncodedArticle {
  readonly row: number;
  /** Of its words and those of each article. */
  readonly kernels: Float32Array;
}

const hasher = new FeatureHasher(BITS);

/** An article with its numbers, with or without its headline; none where nothing of it was encoded. */
function articleOf({ id, title, text: body, label }: ArticleRow): EncodedArticle[] {
  const text = title === '' ? body : `${title}\n\n${body}`;
  const encoding = encodingOf(packagedEncoder(), { text, language: 'en' });
  const headline = title === '' ? undefined : { start: 0, end: toPlainText(title).text.length };
  const directions = articleDirections({ headline, encoding });
  if (directions === undefined) return [];
  const words = textFeatures(hasher, toPlainText(text).text);
  return [{ id, truth: label === 'hyperpartisan', weight: 1, words, directions }];
}

const pairsOf = ({ indices, values }: Features) =>
  Array.from(indices, (place, at) => ({ place, value: values[at] as number }));

/** One part of the articles on its principal axes, and the mean that was taken from it. */
function placed(articles: readonly Article[], part: keyof ArticleDirections) {
  const rows = articles.map(({ directions }) => directions[part]);
  const centre = Array.from(rows[0] ?? [], (_, at) =>
    short(rows.reduce((sum, row) => sum + (row[at] as number), 0) / rows.length),
  );
  const centred = rows.map((row) => Float32Array.from(row, (value, at) => value - (centre[at] as number)));
  return { centre, landmarks: landmarksOf(centred, AXES) };
}

/** What is fitted to articles before it is calibrated. */
interface Fitted {
  readonly words: Float64Array;
  readonly bias: number;
  readonly parts: Pick<ArticleParameters, 'headline' | 'body'>;
}

/** Words, headline and body learned together: logistic regression in the space of the sum of their kernels. */
function fitted(articles: readonly Article[]): Fitted {
  const sums = articles.map(({ kernels }) =>
    Float32Array.from(articles, ({ row }) => kernels[row] as number),
  );
  const placedParts = { headline: placed(articles, 'headline'), body: placed(articles, 'body') };
  for (const part of PARTS) addGaussianKernel(sums, placedParts[part].landmarks, KERNELS[part]);
  const { weights, bias } = fitKernelLogistic(sums, articles, PENALTY);
  const partOf = (part: keyof ArticleDirections) => {
    const { gamma, share } = KERNELS[part];
    const { centre, landmarks } = placedParts[part];
    return {
      ...gaussianKernelFile(landmarks, { gamma, weights: weights.map((weight) => share * weight) }),
      centre,
    };
  };
  return {
    words: linearWeights(
      articles.map(({ words }) => pairsOf(words)),
      weights,
      { size: 2 ** BITS, share: 1 },
    ),
    bias,
    parts: { headline: partOf('headline'), body: partOf('body') },
  };
}

/** Scores articles that were not learned from. */
function scoresOf({ words, bias, parts }: Fitted, articles: readonly EncodedArticle[]): number[] {
  const read = Object.fromEntries(PARTS.map((part) => [part, createGaussianKernel(parts[part])]));
  return articles.map((article) => {
    const byWords = pairsOf(article.words).reduce(
      (sum, { place, value }) => sum + (words[place] as number) * value,
      bias,
    );
    const likeness = PARTS.map(
      (part) =>
        read[part]?.(
          article.directions[part].map((value, at) => value - (parts[part].centre[at] as number)),
        ) ?? 0,
    );
    return likeness.reduce((sum, value) => sum + value, byWords);
  });
}

/** Articles with the kernels of their words, which all folds share. */
function readArticles(): Article[] {
  const read = shuffled(readRows<ArticleRow>(folder, 'hyperpartisan'), 9).flatMap(articleOf);
  const sums = read.map(() => new Float32Array(read.length));
  addLinearKernel(
    sums,
    read.map(({ words }) => pairsOf(words)),
    1,
  );
  return read.map((article, row) => ({ ...article, row, kernels: sums[row] as Float32Array }));
}

const articles = readArticles();
/** The same articles without their headlines, by id; nothing learns from them. */
const bodies = new Map(
  readRows<ArticleRow>(folder, 'hyperpartisan')
    .flatMap((row) => articleOf({ ...row, title: '' }))
    .map((article) => [article.id, article]),
);

interface ScoredArticle {
  readonly id: string;
  readonly truth: boolean;
  readonly score: number;
}

const folds = Array.from({ length: FOLDS }, (_, fold) => {
  const model = fitted(articles.filter((__, index) => index % FOLDS !== fold));
  const own = articles.filter((__, index) => index % FOLDS === fold);
  const bare = own.flatMap(({ id }) => bodies.get(id) ?? []);
  const scored = (some: readonly EncodedArticle[]): ScoredArticle[] =>
    scoresOf(model, some).map((score, index) => {
      const { id, truth } = some[index] as EncodedArticle;
      return { id, truth, score };
    });
  return { whole: scored(own), bare: scored(bare) };
});

/** Slope and intercept by the unseen scores of all folds but one (or of all). */
function calibrationWithout(fold: number | undefined) {
  const others = folds.filter((_, index) => index !== fold).flatMap(({ whole }) => whole);
  return plattScale(
    others.map(({ score }) => score),
    others.map(({ truth }) => truth),
  );
}

const heldOut = (kind: 'whole' | 'bare'): Scored[] =>
  folds.flatMap((own, fold) => {
    const { slope, intercept } = calibrationWithout(fold);
    return own[kind].map(({ id, truth, score }) => ({
      score: sigmoid(slope * score + intercept),
      truth,
      group: id,
    }));
  });

const [whole, bare] = [heldOut('whole'), heldOut('bare')];
const threshold = bestF1Threshold(whole);
const figures = [
  ...yesNoFigures('en, whole article', whole, threshold),
  ...yesNoFigures('en, whole article, without its headline', bare, threshold),
];
log(tableOf([{ task: 'hyperpartisan', report: { figures, notes: [] } }]));
for (const chance of [0.5, 0.65, 0.8])
  for (const [name, scored] of Object.entries({ whole, bare })) {
    const called = (truth: boolean) =>
      scored.filter((row) => row.truth === truth && row.score >= chance).length;
    log(`${name}, chance of ${chance} or more: ${called(true)} that take sides, ${called(false)} others`);
  }

function modelBytes(): Uint8Array {
  const { words, bias, parts } = fitted(articles);
  const { slope, intercept } = calibrationWithout(undefined);
  return saveLinear(
    {
      name: 'limpede-articles-en-3',
      version: '3.0.0',
      labels: [...ARTICLE_LABELS],
      bits: BITS,
      quantisation: 'int8',
      scales: [],
      bias: [bias],
      calibration: { link: 'logistic', slope: [1], intercept: [0] },
      thresholds: { hyperpartisan: threshold },
      parameters: { ...parts, calibration: { slope: short(slope), intercept: short(intercept) } },
    },
    Float32Array.from(words),
  );
}

if (process.argv.includes('--record')) {
  recordFigures({ task: 'hyperpartisan', split: `${FOLDS} folds by article`, figures });
  writeFileSync('models/articles-en.svg', reliabilityDiagram('An article takes sides (English)', whole));
  const bytes = modelBytes();
  writeFileSync('models/articles-en.bin', bytes);
  log(`models/articles-en.bin: ${bytes.length} bytes; threshold ${threshold.toFixed(3)}`);
}
