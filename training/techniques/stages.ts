import { marginals } from '../../src/services/analysis/engines/techniques/crf.ts';
import {
  FeatureSink,
  type SentenceSignal,
  sentenceFeatures,
  spanFeatures,
  type TextView,
  tokenFeatures,
} from '../../src/services/analysis/engines/techniques/features.ts';
import {
  AVERAGE_SCORE,
  edgeFeatures,
  type ScreeningModel,
  sentenceScores,
  stackedLogOdds,
  stackInputs,
  type WeightTable,
} from '../../src/services/analysis/engines/techniques/screening.ts';
import type { TokenRange } from '../../src/services/analysis/engines/techniques/tokens.ts';
import type { WordTable } from '../../src/services/analysis/engines/techniques/word-table.ts';
import { randomFrom, shuffled } from './rows.ts';

/** A gold span of one technique, in tokens. */
export interface GoldSpan extends TokenRange {
  readonly label: string;
  readonly sentence: number;
  readonly startUtf16: number;
  readonly endUtf16: number;
}

/** An article, tokenised, with its gold spans. */
export interface Article {
  readonly doc: string;
  readonly text: string;
  readonly view: TextView;
  readonly spans: readonly GoldSpan[];
}

/** Sizes and rates of training; chosen on the validation folds. */
export const recipe = {
  sentenceBits: 17,
  sentenceEpochs: 12,
  sentenceRate: 0.15,
  sentenceDecay: 3e-4,
  taggerBits: 18,
  taggerEpochs: 8,
  taggerRate: 0.08,
  taggerDecay: 1e-5,
  namerBits: 16,
  namerEpochs: 14,
  namerRate: 0.2,
  namerDecay: 2e-5,
  innerFolds: 4,
} as const;

/** Whether each sentence holds any technique. */
export function sentenceGold(article: Article): Uint8Array {
  const gold = new Uint8Array(article.view.sentences.length);
  for (const span of article.spans) gold[span.sentence] = 1;
  return gold;
}

const steadiness = 1e-6;

/** AdaGrad on hashed features. */
class Learner {
  readonly weights: Float32Array;
  readonly #squares: Float32Array;
  readonly #rate: number;
  readonly #decay: number;

  constructor(size: number, rate: number, decay: number) {
    this.weights = new Float32Array(size);
    this.#squares = new Float32Array(size).fill(steadiness);
    this.#rate = rate;
    this.#decay = decay;
  }

  move(at: number, gradient: number): void {
    const full = gradient - this.#decay * (this.weights[at] as number) * 100;
    const square = (this.#squares[at] as number) + full * full;
    this.#squares[at] = square;
    this.weights[at] = (this.weights[at] as number) + (this.#rate * full) / Math.sqrt(square + 1);
  }
}

/** Logistic regression over the features of sentences. */
export function trainSentences(articles: readonly Article[], words: WordTable): WeightTable {
  const sink = new FeatureSink(recipe.sentenceBits);
  const examples = articles.flatMap((article) => {
    const gold = sentenceGold(article);
    return article.view.sentences.map((sentence, index) => {
      sink.clear();
      sentenceFeatures(article.view, words, sentence, sink);
      return { ids: sink.ids.slice(0, sink.count), yes: gold[index] ?? 0 };
    });
  });
  const learner = new Learner(2 ** recipe.sentenceBits, recipe.sentenceRate, recipe.sentenceDecay);
  const random = randomFrom(11);
  let bias = -1;
  for (let epoch = 0; epoch < recipe.sentenceEpochs; epoch += 1) {
    for (const { ids, yes } of shuffled(examples, random)) {
      if (ids.length === 0) continue;
      const norm = 1 / Math.sqrt(ids.length);
      const sum = ids.reduce((total, id) => total + (learner.weights[id] as number), 0);
      const error = yes - 1 / (1 + Math.exp(-(sum * norm + bias)));
      bias += 0.003 * error;
      for (const id of ids) learner.move(id, error * norm);
    }
  }
  return { bits: recipe.sentenceBits, labels: 1, scale: 1, weights: learner.weights, bias: [bias] };
}

/** Small dense logistic regression by gradient descent. */
export function trainDense(
  inputs: readonly Float64Array[],
  answers: readonly number[],
  decay = 1e-4,
): number[] {
  const size = inputs[0]?.length ?? 0;
  const weights = new Array<number>(size).fill(0);
  const squares = new Array<number>(size).fill(1e-8);
  for (let round = 0; round < 400; round += 1) {
    const gradient = weights.map((weight) => -decay * weight);
    inputs.forEach((input, row) => {
      const sum = input.reduce((total, value, index) => total + value * (weights[index] ?? 0), 0);
      const error = ((answers[row] ?? 0) - 1 / (1 + Math.exp(-sum))) / inputs.length;
      for (let index = 0; index < size; index += 1)
        gradient[index] = (gradient[index] ?? 0) + error * (input[index] ?? 0);
    });
    gradient.forEach((slope, index) => {
      squares[index] = 0.97 * (squares[index] ?? 0) + 0.03 * slope * slope;
      weights[index] =
        (weights[index] ?? 0) + (0.05 * slope) / (Math.sqrt(squares[index] ?? 0) + 1e-4) / (1 + round / 80);
    });
  }
  return weights;
}

/** Sentence scores for every article by models that did not see it. */
function heldOutScores(articles: readonly Article[], words: WordTable): Map<string, Float64Array> {
  const scores = new Map<string, Float64Array>();
  for (let fold = 0; fold < recipe.innerFolds; fold += 1) {
    const own = articles.filter((_, index) => index % recipe.innerFolds === fold);
    const sentence = trainSentences(
      articles.filter((_, index) => index % recipe.innerFolds !== fold),
      words,
    );
    for (const article of own) scores.set(article.doc, sentenceScores(article.view, { words, sentence }));
  }
  return scores;
}

/** Trains all stages. Later stages see what earlier ones say of articles they were not trained on. */
export function trainScreening(
  articles: readonly Article[],
  words: WordTable,
  labels: readonly string[],
): ScreeningModel {
  const sentence = trainSentences(articles, words);
  const scores = heldOutScores(articles, words);
  const inputs = articles.flatMap((article) =>
    stackInputs(scores.get(article.doc) ?? new Float64Array(), AVERAGE_SCORE),
  );
  const stack = trainDense(
    inputs,
    articles.flatMap((article) => [...sentenceGold(article)]),
  );
  const signals = new Map(
    articles.map((article) => [
      article.doc,
      stackedLogOdds(scores.get(article.doc) ?? new Float64Array(), stack).signals,
    ]),
  );
  const { table: tagger, leave } = trainTagger(articles, words, signals);
  return {
    words,
    sentence,
    stack,
    tagger,
    leave,
    namer: trainNamer(articles, words, labels),
    labels,
    blend: [0, 1, 0],
    spanThreshold: 0.25,
  };
}

interface Chain {
  readonly nodes: readonly Int32Array[];
  readonly enters: readonly Int32Array[];
  readonly stays: readonly Int32Array[];
  readonly gold: Uint8Array;
}

function chainsOf(article: Article, words: WordTable, signals: readonly SentenceSignal[]): Chain[] {
  const sink = new FeatureSink(recipe.taggerBits);
  const taken = (fill: () => void) => {
    sink.clear();
    fill();
    return sink.ids.slice(0, sink.count);
  };
  return article.view.sentences.map((sentence, at) => {
    const indices = Array.from(
      { length: sentence.to - sentence.from },
      (_, offset) => sentence.from + offset,
    );
    const signal = signals[at] ?? { own: 0, around: 0 };
    const gold = new Uint8Array(indices.length);
    for (const span of article.spans) {
      if (span.sentence === at) gold.fill(1, span.from - sentence.from, span.to - sentence.from);
    }
    return {
      nodes: indices.map((index) =>
        taken(() => tokenFeatures(article.view, words, sentence, signal, index, sink)),
      ),
      enters: indices.map((index) =>
        taken(() => edgeFeatures(article.view, words, sentence, index, false, sink)),
      ),
      stays: indices.map((index) =>
        taken(() => edgeFeatures(article.view, words, sentence, index, true, sink)),
      ),
      gold,
    };
  });
}

function trainTagger(
  articles: readonly Article[],
  words: WordTable,
  signals: ReadonlyMap<string, readonly SentenceSignal[]>,
): { table: WeightTable; leave: number } {
  const chains = articles.flatMap((article) => chainsOf(article, words, signals.get(article.doc) ?? []));
  const learner = new Learner(2 ** recipe.taggerBits, recipe.taggerRate, recipe.taggerDecay);
  const random = randomFrom(13);
  let leave = 0;
  for (let epoch = 0; epoch < recipe.taggerEpochs; epoch += 1) {
    for (const chain of shuffled(chains, random)) leave += 0.002 * learnChain(chain, learner, leave);
  }
  return {
    table: { bits: recipe.taggerBits, labels: 1, scale: 1, weights: learner.weights, bias: [] },
    leave,
  };
}

/** One gradient step on a sentence; answers the gradient of `leave`. */
function learnChain(chain: Chain, learner: Learner, leave: number): number {
  const length = chain.gold.length;
  const sum = (ids: Int32Array | undefined) =>
    (ids ?? new Int32Array()).reduce((total, id) => total + (learner.weights[id] as number), 0);
  const nodes = chain.nodes.map(sum);
  const enter = Float64Array.from(nodes, (node, index) => node + sum(chain.enters[index]));
  const stay = Float64Array.from(nodes, (node, index) => node + sum(chain.stays[index]));
  const { inside, insideToInside, insideToOutside } = marginals({ length, enter, stay, leave });
  let leaving = 0;
  for (let index = 0; index < length; index += 1) {
    const own = chain.gold[index] ?? 0;
    const before = chain.gold[index - 1] ?? 0;
    const node = own - (inside[index] ?? 0);
    const stayError = own * before - (insideToInside[index] ?? 0);
    for (const id of chain.nodes[index] ?? []) learner.move(id, node);
    for (const id of chain.stays[index] ?? []) learner.move(id, stayError);
    for (const id of chain.enters[index] ?? []) learner.move(id, node - stayError);
    leaving += before * (1 - own) - (insideToOutside[index] ?? 0);
  }
  return leaving;
}

/** Multinomial logistic regression over the features of gold spans. */
function trainNamer(articles: readonly Article[], words: WordTable, labels: readonly string[]): WeightTable {
  const sink = new FeatureSink(recipe.namerBits);
  const examples = articles.flatMap((article) =>
    article.spans.flatMap((span) => {
      const sentence = article.view.sentences[span.sentence];
      if (sentence === undefined || span.to <= span.from) return [];
      sink.clear();
      spanFeatures(article.view, words, sentence, span, sink);
      return [{ ids: sink.ids.slice(0, sink.count), label: labels.indexOf(span.label) }];
    }),
  );
  const count = labels.length;
  const learner = new Learner(count * 2 ** recipe.namerBits, recipe.namerRate, recipe.namerDecay);
  const random = randomFrom(17);
  const bias = new Array<number>(count).fill(0);
  for (let epoch = 0; epoch < recipe.namerEpochs; epoch += 1) {
    for (const example of shuffled(examples, random)) learnName(example, learner, bias);
  }
  return { bits: recipe.namerBits, labels: count, scale: 1, weights: learner.weights, bias };
}

function learnName(
  { ids, label }: { ids: Int32Array; label: number },
  learner: Learner,
  bias: number[],
): void {
  const count = bias.length;
  const norm = 1 / Math.sqrt(ids.length);
  const scores = Float64Array.from(bias);
  for (const id of ids) {
    for (let other = 0; other < count; other += 1)
      scores[other] = (scores[other] as number) + norm * (learner.weights[id * count + other] as number);
  }
  const top = Math.max(...scores);
  const powers = scores.map((score) => Math.exp(score - top));
  const total = powers.reduce((sum, power) => sum + power, 0);
  for (let other = 0; other < count; other += 1) {
    const error = (other === label ? 1 : 0) - (powers[other] as number) / total;
    bias[other] = (bias[other] as number) + 0.01 * error;
    if (Math.abs(error) < 1e-3) continue;
    for (const id of ids) learner.move(id * count + other, error * norm);
  }
}
