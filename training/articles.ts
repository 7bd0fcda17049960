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
import { plattScale, rawMargins, type TrainedWeights, trainLinear } from './logistic.ts';
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
const WORDS_ALONE = { epochs: 12, rate: 0.15, l2: 1e-4 } as const;
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

/** An article with its numbers; none where nothing of it was encoded. */
function articleOf({ id, title, text: body, label }: ArticleRow): EncodedArticle[] {
  const text = `${title}\n\n${body}`;
  const encoding = encodingOf(packagedEncoder(), { text, language: 'en' });
  const directions = articleDirections({
    headline: { start: 0, end: toPlainText(title).text.length },
    encoding,
  });
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
  /** Words where nothing was encoded. */
  readonly alone: TrainedWeights;
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
    alone: trainLinear(
      articles.map(({ words, truth }) => ({
        features: words,
        targets: Float32Array.of(truth ? 1 : 0),
        weight: 1,
      })),
      { labels: 1, bits: BITS, link: 'logistic', ...WORDS_ALONE, seed: 3 },
    ),
    bias,
    parts: { headline: partOf('headline'), body: partOf('body') },
  };
}

/** Scores of an article by all that was fitted, and by its words. */
interface ArticleScores {
  readonly both: number;
  readonly alone: number;
}

/** Scores articles that were not learned from. */
function scoresOf({ words, bias, alone, parts }: Fitted, articles: readonly Article[]): ArticleScores[] {
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
    return {
      both: likeness.reduce((sum, value) => sum + value, byWords),
      alone: rawMargins(alone, article.words, 1)[0] as number,
    };
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
const folds = Array.from({ length: FOLDS }, (_, fold) => {
  const model = fitted(articles.filter((__, index) => index % FOLDS !== fold));
  const own = articles.filter((__, index) => index % FOLDS === fold);
  return scoresOf(model, own).map((scores, index) => ({ article: own[index] as Article, scores }));
});

/** Slope and intercept by the unseen scores of all folds but one (or of all). */
function calibrationWithout(fold: number | undefined, kind: keyof ArticleScores) {
  const others = folds.filter((_, index) => index !== fold).flat();
  return plattScale(
    others.map(({ scores }) => scores[kind]),
    others.map(({ article }) => article.truth),
  );
}

function heldOut(kind: keyof ArticleScores): Scored[] {
  return folds.flatMap((own, fold) => {
    const { slope, intercept } = calibrationWithout(fold, kind);
    return own.map(({ article, scores }) => ({
      score: sigmoid(slope * scores[kind] + intercept),
      truth: article.truth,
      group: article.id,
    }));
  });
}

const [both, alone] = [heldOut('both'), heldOut('alone')];
const threshold = bestF1Threshold(both);
const figures = [
  ...yesNoFigures('en, whole article', both, threshold),
  ...yesNoFigures('en, whole article, words alone', alone, bestF1Threshold(alone)),
];
log(tableOf([{ task: 'hyperpartisan', report: { figures, notes: [] } }]));

function modelBytes(): Uint8Array {
  const { words, bias, alone: byWords, parts } = fitted(articles);
  const shortened = (kind: keyof ArticleScores) => {
    const { slope, intercept } = calibrationWithout(undefined, kind);
    return { slope: short(slope), intercept: short(intercept) };
  };
  return saveLinear(
    {
      name: 'limpede-articles-en-2',
      version: '2.0.0',
      labels: [...ARTICLE_LABELS],
      bits: BITS,
      quantisation: 'int8',
      scales: [],
      bias: [bias, ...byWords.bias],
      calibration: { link: 'logistic', slope: [1, 1], intercept: [0, 0] },
      thresholds: { hyperpartisan: threshold },
      parameters: { ...parts, both: shortened('both'), alone: shortened('alone') },
    },
    Float32Array.from({ length: 2 * words.length }, (_, at) =>
      at % 2 === 0 ? (words[at / 2] as number) : (byWords.weights[(at - 1) / 2] as number),
    ),
  );
}

if (process.argv.includes('--record')) {
  recordFigures({ task: 'hyperpartisan', split: `${FOLDS} folds by article`, figures });
  writeFileSync('models/articles-en.svg', reliabilityDiagram('An article takes sides (English)', both));
  const bytes = modelBytes();
  writeFileSync('models/articles-en.bin', bytes);
  log(`models/articles-en.bin: ${bytes.length} bytes; threshold ${threshold.toFixed(3)}`);
}
