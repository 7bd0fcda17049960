/**
 * Trains and measures models/diffuse-evidence-weights.json. Usage: npx tsx training/diffuse-evidence.ts [data folder, default ../shared/data]
 * [folder for vectors, default .cache/vectors]. About a minute of CPU once the vectors are there, five before. Then run
 * training/diffuse-romanian.ts, which adds the Romanian part.
 */

import { readFileSync, writeFileSync } from 'node:fs';
import { toPlainText } from '../src/services/analysis/engines/plain-text.ts';
import {
  createTechniquesEngine,
  ruleCodesByToken,
} from '../src/services/analysis/engines/techniques/engine.ts';
import { createTextView } from '../src/services/analysis/engines/techniques/features.ts';
import { readTechniquesModel } from '../src/services/analysis/engines/techniques/model-file.ts';
import { applyRules, loadRuleBooks } from '../src/services/analysis/engines/techniques/rules.ts';
import { sentenceScores } from '../src/services/analysis/engines/techniques/screening.ts';
import {
  sentenceRanges,
  type Token,
  type TokenRange,
  tokenise,
} from '../src/services/analysis/engines/techniques/tokens.ts';
import { DIMENSIONS } from '../src/text/encoder/layers.ts';
import { sigmoid } from '../src/text/logistic.ts';
import { type DenseModel, denseScore, trainDenseModel } from './diffuse/dense.ts';
import { reliabilityDiagram } from './diffuse/reliability.ts';
import { sentenceVectors, vectorIn } from './diffuse/vectors.ts';
import {
  areaUnderCurve,
  atThreshold,
  bestF1Threshold,
  calibrationError,
  type Scored,
  withInterval,
} from './metrics.ts';
import { articlesOf } from './techniques/articles.ts';
import { type Row, randomFrom, readRows, shuffled } from './techniques/rows.ts';
import { sentenceGold, trainDense, trainSentences } from './techniques/stages.ts';

const [data = '../shared/data', cache = '.cache/vectors'] = process.argv.slice(2);
const log = (line: string) => process.stdout.write(`${line}\n`);

/** Sentences of an article that are read for training and measuring: the beginning says what it is. */
const MOST_SENTENCES = 24;
const FOLDS = 10;
/** Chosen on the folds and on 181 web articles that must stay calm. */
const shape = { floor: 0.6, prior: 8, strength: 9, least_words: 5 };
const technique = { epochs: 8, rate: 0.02, decay: 5e-3 };
const slant = { epochs: 3, rate: 0.01, decay: 5e-2 };

const bytes = readFileSync('models/techniques.bin');
const { screening } = readTechniquesModel(bytes);
const book = loadRuleBooks().en;

interface Article {
  readonly text: string;
  readonly vectors: Float32Array;
  /** Log-odds of any technique by the words of each sentence. */
  readonly words: Float64Array;
  /** Words in each sentence. */
  readonly lengths: readonly number[];
}

const quoteOf = (text: string, tokens: readonly Token[], { from, to }: TokenRange) =>
  text.slice(tokens[from]?.start ?? 0, tokens[to - 1]?.end ?? 0);

function cutText(sent: string) {
  const { text } = toPlainText(sent);
  const tokens = tokenise(text);
  const sentences = sentenceRanges(text, tokens).slice(0, MOST_SENTENCES);
  return { text, tokens, sentences, quotes: sentences.map((range) => quoteOf(text, tokens, range)) };
}

function readArticles(name: string, texts: readonly string[]): Article[] {
  const cut = texts.map(cutText);
  const vectors = sentenceVectors(
    cache,
    name,
    cut.map(({ quotes }) => quotes),
    'en',
  );
  return cut.map(({ tokens, sentences, quotes }, index) => {
    const rules = ruleCodesByToken(tokens.length, applyRules(book, tokens, sentences));
    return {
      text: texts[index] ?? '',
      vectors: vectors[index] ?? new Float32Array(),
      words: sentenceScores(createTextView(tokens, sentences, screening.words, rules), screening),
      lengths: quotes.map((quote) => quote.split(/\s+/u).length),
    };
  });
}

interface Example {
  readonly vectors: Float32Array;
  readonly sentence: number;
  readonly yes: number;
}

function trainHead(
  examples: readonly Example[],
  recipe: { epochs: number; rate: number; decay: number },
): DenseModel {
  return trainDenseModel({
    count: examples.length,
    width: DIMENSIONS,
    row: (index, out) => {
      const example = examples[index];
      if (example !== undefined) out.set(vectorIn(example.vectors, example.sentence));
    },
    targets: examples.map(({ yes }) => [yes]),
    outputs: 1,
    link: 'logistic',
    ...recipe,
  });
}

const scoresOf = (head: DenseModel, vectors: Float32Array) =>
  Float64Array.from({ length: vectors.length / DIMENSIONS }, (_, index) =>
    denseScore(head, 0, vectorIn(vectors, index)),
  );

/** How sentences with a technique are told: words, encoder, and both, over folds by article; and the final parts. */
function learnTechniques() {
  const rows = readRows<Row>(`${data}/techniques/train.jsonl.gz`);
  const mark = (_: string, tokens: readonly Token[], sentences: readonly TokenRange[]) =>
    ruleCodesByToken(tokens.length, applyRules(book, tokens, sentences));
  const articles = shuffled(articlesOf(rows, screening.words, mark), randomFrom(5));
  const quotes = articles.map(({ text, view }) =>
    view.sentences.map((range) => quoteOf(text, view.tokens, range)),
  );
  const vectors = sentenceVectors(cache, 'techniques', quotes, 'en');
  const examplesOf = (index: number) =>
    Array.from(sentenceGold(articles[index] as (typeof articles)[number]), (yes, sentence) => ({
      vectors: vectors[index] ?? new Float32Array(),
      sentence,
      yes,
    }));
  const all = articles.map((_, index) => examplesOf(index));
  const held: { words: number; encoder: number; yes: number; group: string }[] = [];
  for (let fold = 0; fold < 5; fold += 1) {
    const kept = articles.filter((_, index) => index % 5 !== fold);
    const sentence = trainSentences(kept, screening.words);
    const head = trainHead(all.filter((_, index) => index % 5 !== fold).flat(), technique);
    articles.forEach((article, index) => {
      if (index % 5 !== fold) return;
      const words = sentenceScores(article.view, { words: screening.words, sentence });
      const encoder = scoresOf(head, vectors[index] ?? new Float32Array());
      all[index]?.forEach(({ yes }, at) => {
        held.push({ words: words[at] ?? 0, encoder: encoder[at] ?? 0, yes, group: article.doc });
      });
    });
    log(`techniques: fold ${fold + 1} of 5`);
  }
  const mix = trainDense(
    held.map(({ words, encoder }) => Float64Array.of(1, words, encoder)),
    held.map(({ yes }) => yes),
  );
  const scored = (score: (row: (typeof held)[number]) => number): Scored[] =>
    held.map((row) => ({ score: score(row), truth: row.yes === 1, group: row.group }));
  const both = scored(({ words, encoder }) =>
    sigmoid((mix[0] ?? 0) + (mix[1] ?? 0) * words + (mix[2] ?? 0) * encoder),
  );
  for (const [name, rowsOf] of [
    ['words', scored(({ words }) => words)],
    ['encoder', scored(({ encoder }) => encoder)],
    ['both', both],
  ] as const)
    log(
      `any technique, ${name}: AUC ${withInterval(rowsOf, areaUnderCurve)}, F1 ${atThreshold(rowsOf, bestF1Threshold(rowsOf)).f1.toFixed(3)}`,
    );
  log(`any technique, both: calibration error ${calibrationError(both).toFixed(3)}`);
  writeFileSync(
    'models/diffuse-techniques.svg',
    reliabilityDiagram('A sentence carries a technique (English)', both),
  );
  return { head: trainHead(all.flat(), technique), mix };
}

/** Log-odds of a technique for each sentence of an article. */
const techniqueScores = ({ words, vectors }: Article, { head, mix }: ReturnType<typeof learnTechniques>) =>
  scoresOf(head, vectors).map(
    (encoder, index) => (mix[0] ?? 0) + (mix[1] ?? 0) * (words[index] ?? 0) + (mix[2] ?? 0) * encoder,
  );

interface HyperRow {
  readonly id: string;
  readonly title: string;
  readonly text: string;
  readonly label: string;
}

const sentencesIn = ({ vectors }: Article) => vectors.length / DIMENSIONS;
const examplesIn = ({ vectors }: Article, yes: number): Example[] =>
  Array.from({ length: vectors.length / DIMENSIONS }, (_, sentence) => ({ vectors, sentence, yes }));

const techniques = learnTechniques();
const rows = readRows<HyperRow>(`${data}/hyperpartisan/train.jsonl.gz`);
const labels = rows.map(({ label }) => (label === 'hyperpartisan' ? 1 : 0));
const articles = readArticles(
  'hyper',
  rows.map(({ title, text }) => `${title}\n\n${text}`),
);
const onTechniques = articles.map((article) => techniqueScores(article, techniques));
const onSlant = articles.map((article) => new Float64Array(sentencesIn(article)));
const foldsOfSlant = Array.from({ length: FOLDS }, (_, fold) => {
  const head = trainHead(
    articles.flatMap((article, index) =>
      index % FOLDS === fold ? [] : examplesIn(article, labels[index] ?? 0),
    ),
    slant,
  );
  articles.forEach((article, index) => {
    if (index % FOLDS === fold) onSlant[index] = scoresOf(head, article.vectors);
  });
  return head;
});
const inputs = articles.flatMap((_, index) =>
  Array.from(onSlant[index] ?? [], (score, at) => Float64Array.of(1, score, onTechniques[index]?.[at] ?? 0)),
);
const answers = articles.flatMap((article, index) =>
  examplesIn(article, labels[index] ?? 0).map(({ yes }) => yes),
);
const sum = trainDense(inputs, answers, 0);
log(`sum: ${sum.map((weight) => weight.toFixed(3)).join(' ')}`);
const [constant = 0, slantShare = 0, techniqueShare = 0] = sum;

const probability = (slantScore: number, techniqueScore: number) =>
  sigmoid(constant + slantShare * slantScore + techniqueShare * techniqueScore);
const heldOut = articles.map((_, index) =>
  Array.from(onSlant[index] ?? [], (score, at) => probability(score, onTechniques[index]?.[at] ?? 0)),
);
const perSentence: Scored[] = heldOut.flatMap((chances, index) =>
  chances.map((score) => ({ score, truth: labels[index] === 1, group: rows[index]?.id ?? '' })),
);
log(
  `sentences: AUC ${withInterval(perSentence, areaUnderCurve)}, calibration error ${calibrationError(perSentence).toFixed(3)}`,
);
writeFileSync(
  'models/diffuse-sentences.svg',
  reliabilityDiagram('A sentence stands in a one-sided article (English)', perSentence),
);

/** Weight of an article: chances above the floor, shrunken mean. */
function density(chances: readonly number[], lengths: readonly number[]): number {
  const read = chances.filter((_, index) => (lengths[index] ?? 0) >= shape.least_words);
  return (
    read.reduce((total, chance) => total + Math.max(0, chance - shape.floor), 0) / (read.length + shape.prior)
  );
}

const engine = createTechniquesEngine(bytes);
/** The score of today, and with the diffuse evidence of all sentences. */
function productScores(texts: readonly Article[], chances: readonly (readonly number[])[]) {
  return texts.map(({ text, lengths }, index) => {
    const before = engine.analyse(text, { language: 'en' }).manipulation_score;
    const load = -Math.log(1 - Math.min(99.9, before) / 100);
    const added = shape.strength * density(chances[index] ?? [], lengths);
    return { before, after: 100 * (1 - Math.exp(-load - added)), alone: added };
  });
}
const scores = productScores(articles, heldOut);
const documents = (of: (row: (typeof scores)[number]) => number): Scored[] =>
  scores.map((row, index) => ({ score: of(row), truth: labels[index] === 1, group: rows[index]?.id ?? '' }));
for (const [name, of] of [
  ['list alone', (row: (typeof scores)[number]) => row.before],
  ['diffuse alone', (row: (typeof scores)[number]) => row.alone],
  ['both', (row: (typeof scores)[number]) => row.after],
] as const)
  log(`articles, ${name}: AUC ${withInterval(documents(of), areaUnderCurve)}`);
const shareOf = (yes: number, of: (row: (typeof scores)[number]) => number) => {
  const own = scores.filter((_, index) => labels[index] === yes);
  return (own.filter((row) => of(row) >= 40).length / own.length).toFixed(3);
};
for (const yes of [1, 0])
  log(
    `${yes ? 'hyperpartisan' : 'mainstream'} at 40 or more: ${shareOf(yes, ({ before }) => before)} before, ${shareOf(yes, ({ after }) => after)} after`,
  );

const calm = readArticles(
  'aeb',
  readFileSync(`${data}/extraction/aeb/index.jsonl`, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => (JSON.parse(line) as { gold: { text: string } }).gold.text),
);
const calmChances = calm.map((article) => {
  const onSlantHere = scoresOf(foldsOfSlant[0] as DenseModel, article.vectors);
  return Array.from(techniqueScores(article, techniques), (score, at) =>
    probability(onSlantHere[at] ?? 0, score),
  );
});
const calmScores = productScores(calm, calmChances);
for (const bound of [20, 40])
  log(
    `web articles at ${bound} or more: ${calmScores.filter(({ before }) => before >= bound).length} before, ${calmScores.filter(({ after }) => after >= bound).length} after, of ${calm.length}`,
  );

const final = trainHead(
  articles.flatMap((article, index) => examplesIn(article, labels[index] ?? 0)),
  slant,
);
const encoderShare = techniqueShare * (techniques.mix[2] ?? 0);
const vector = Array.from(
  { length: DIMENSIONS },
  (_, at) => slantShare * (final.weights[at] ?? 0) + encoderShare * (techniques.head.weights[at] ?? 0),
);
const bias =
  constant +
  slantShare * (final.bias[0] ?? 0) +
  techniqueShare * ((techniques.mix[0] ?? 0) + (techniques.mix[2] ?? 0) * (techniques.head.bias[0] ?? 0));
const words = techniqueShare * (techniques.mix[1] ?? 0);

const round = (value: number) => Number(value.toPrecision(5));
const model = {
  name: 'limpede-diffuse-1',
  version: '1.0.0',
  ...shape,
  bias: round(bias),
  words: round(words),
  vector: vector.map(round),
};
writeFileSync('models/diffuse-evidence-weights.json', `${JSON.stringify(model)}\n`);
log(`models/diffuse-evidence-weights.json written`);
