import {
  type CombinationWeights,
  type EncoderScores,
  sentenceInputs,
  tokenInputs,
} from '../../src/services/analysis/engines/techniques/encoder-scores.ts';
import { FeatureSink } from '../../src/services/analysis/engines/techniques/features.ts';
import {
  classifySpan,
  type ScreeningModel,
  scoreWords,
  type WordScores,
} from '../../src/services/analysis/engines/techniques/screening.ts';
import { linearScore } from '../../src/text/logistic.ts';
import { type Article, sentenceGold, trainDense } from './stages.ts';

/** An article with all that models which did not see it say of it. */
export interface ReadArticle {
  readonly article: Article;
  readonly model: ScreeningModel;
  readonly words: WordScores;
  readonly close: EncoderScores;
}

/** Reads an article with the model of words of its fold. */
export function readArticle(article: Article, model: ScreeningModel, close: EncoderScores): ReadArticle {
  return { article, model, words: scoreWords(article.view, model), close };
}

/** The weights before the spans are cut. */
export type FittedWeights = Omit<CombinationWeights, 'spanThreshold' | 'joinGap'>;

/** Every so many tokens one is learned from. */
const EVERY = 12;

/** Fits the weights by which words and pieces are added. */
export function fitClose(items: readonly ReadArticle[], labels: readonly string[]): FittedWeights {
  const sentence = fitSentences(items);
  return { sentence, token: fitTokens(items, sentence), name: fitNames(items, labels) };
}

function fitSentences(items: readonly ReadArticle[]): number[] {
  const inputs: Float64Array[] = [];
  const answers: number[] = [];
  for (const { article, words, close } of items) {
    const gold = sentenceGold(article);
    sentenceInputs(close, article.view.sentences, words).forEach((input, index) => {
      if (input === undefined) return;
      inputs.push(input);
      answers.push(gold[index] ?? 0);
    });
  }
  return trainDense(inputs, answers);
}

function fitTokens(items: readonly ReadArticle[], weights: readonly number[]): number[] {
  const inputs: Float64Array[] = [];
  const answers: number[] = [];
  let seen = 0;
  for (const { article, words, close } of items) {
    const { view, spans } = article;
    const gold = new Uint8Array(view.tokens.length);
    for (const span of spans) gold.fill(1, span.from, span.to);
    sentenceInputs(close, view.sentences, words).forEach((input, index) => {
      const [sentence, chain] = [view.sentences[index], words.chains[index]];
      if (input === undefined || sentence === undefined || chain === undefined) return;
      const logOdds = linearScore(weights, input);
      tokenInputs(close, sentence, chain.inside, logOdds).forEach((token, offset) => {
        seen += 1;
        if (seen % EVERY !== 0) return;
        inputs.push(token);
        answers.push(gold[sentence.from + offset] ?? 0);
      });
    });
  }
  return trainDense(inputs, answers);
}

const [ROUNDS, RATE, DECAY] = [300, 0.5, 0.002];

/** Softmax over the labels: three shared weights and a constant a label. */
function fitNames(items: readonly ReadArticle[], labels: readonly string[]): number[] {
  const examples = items.flatMap(({ article, model, close }) => {
    const sink = new FeatureSink(model.namer.bits);
    return article.spans.flatMap((span) => {
      const sentence = article.view.sentences[span.sentence];
      if (sentence === undefined || span.to <= span.from) return [];
      const words = classifySpan(article.view, model, sentence, span, sink).map((chance) =>
        Math.log(chance + 1e-6),
      );
      const parts = [words, close.labelScores(span), close.sentenceLabelScores(span.sentence)];
      return [{ parts, label: labels.indexOf(span.label) }];
    });
  });
  const count = labels.length;
  const weights = [0.5, 0.5, 0, ...new Array<number>(count).fill(0)];
  for (let round = 0; round < ROUNDS; round += 1) {
    const slopes = weights.map((weight, index) => (index < 3 ? 0 : -DECAY * weight));
    for (const { parts, label } of examples) {
      const powers = labels.map((_, at) =>
        Math.exp(
          parts.reduce(
            (sum, part, index) => sum + (weights[index] ?? 0) * (part[at] ?? 0),
            weights[3 + at] ?? 0,
          ),
        ),
      );
      const total = powers.reduce((sum, power) => sum + power, 0);
      powers.forEach((power, at) => {
        const error = ((at === label ? 1 : 0) - power / total) / examples.length;
        slopes[3 + at] = (slopes[3 + at] ?? 0) + error;
        parts.forEach((part, index) => {
          slopes[index] = (slopes[index] ?? 0) + error * (part[at] ?? 0);
        });
      });
    }
    const rate = RATE / (1 + round / 100);
    slopes.forEach((slope, index) => {
      weights[index] = (weights[index] ?? 0) + (index < 3 ? 0.3 : 3) * rate * slope;
    });
  }
  return weights;
}
