import { softmax } from '../../../../text/linear.ts';
import { linearScore, sigmoid } from '../../../../text/logistic.ts';
import { type ChainMarginals, marginals } from './crf.ts';
import {
  type CombinationWeights,
  combinedLabelChances,
  type EncoderScores,
  mergeRanges,
  sentenceInputs,
  tokenInputs,
} from './encoder-scores.ts';
import {
  FeatureSink,
  type SentenceSignal,
  sentenceFeatures,
  spanFeatures,
  type TextView,
  tokenFeatures,
} from './features.ts';
import type { TokenRange } from './tokens.ts';
import type { WordTable } from './word-table.ts';

/** Hashed weights: row `id` holds one weight per label; stored weights times `scale` are the real ones. */
export interface WeightTable {
  readonly bits: number;
  readonly labels: number;
  readonly scale: number;
  readonly weights: Int8Array | Float32Array;
  readonly bias: readonly number[];
}

/** The trained parts of the screening stage. */
export interface ScreeningModel {
  readonly words: WordTable;
  readonly sentence: WeightTable;
  /** Stacking: weights of 1, the score of a sentence, of the one before, of the one after, of the rest of the text. */
  readonly stack: readonly number[];
  readonly tagger: WeightTable;
  /** Score of ending a span. */
  readonly leave: number;
  /** Blending after tagging: weights of 1, the stacked log-odds, the tagger's log-odds of any span. */
  readonly blend: readonly number[];
  readonly namer: WeightTable;
  /** Names of the namer's labels. */
  readonly labels: readonly string[];
  /** Token probability above which a span continues. */
  readonly spanThreshold: number;
  /** Weights that add the encoder scores; without them words decide alone. */
  readonly combination?: CombinationWeights | undefined;
}

/** A span found by the tagger, with the probability of each label given that it is one. */
export interface TaggedSpan extends TokenRange {
  readonly sentence: number;
  /** Mean and highest probability of its tokens to be inside a span. */
  readonly mean: number;
  readonly highest: number;
  readonly sentenceProbability: number;
  readonly labels: Float64Array;
  /** Log-odds of each label in its sentence, where the encoder was used. */
  readonly sentenceLabels?: Float64Array | undefined;
}

/** Result of the screening stage for a text. */
export interface Screening {
  /** Log-odds of each sentence to carry any technique, by its own words alone. */
  readonly own: Float64Array;
  /** Probability of each sentence to carry any technique. */
  readonly sentences: Float64Array;
  readonly spans: readonly TaggedSpan[];
}

const EMPTY_SENTENCE = -1;

/** Score of each sentence by its own words; sums are divided by the root of the number of features. */
export function sentenceScores(
  view: TextView,
  model: Pick<ScreeningModel, 'words' | 'sentence'>,
): Float64Array {
  const sink = new FeatureSink(model.sentence.bits);
  return Float64Array.from(view.sentences, (sentence) => {
    sink.clear();
    sentenceFeatures(view, model.words, sentence, sink);
    return sink.count === 0
      ? EMPTY_SENTENCE
      : scoreOf(model.sentence, sink, 0) / Math.sqrt(sink.count) + (model.sentence.bias[0] ?? 0);
  });
}

/** Sentences that the prior of the average over a text counts for: a short text has few of its own. */
const PRIOR_SENTENCES = 4;

/** Inputs of stacking: 1, own, before, after, shrunken mean of the other sentences (all log-odds). */
export function stackInputs(scores: Float64Array, average: number): Float64Array[] {
  const sum = scores.reduce((total, score) => total + score, 0);
  return Array.from(scores, (own, index) => {
    const others = (sum - own + PRIOR_SENTENCES * average) / (scores.length - 1 + PRIOR_SENTENCES);
    return Float64Array.of(1, own, scores[index - 1] ?? others, scores[index + 1] ?? others, others);
  });
}

/** Average sentence score assumed of a text about which nothing is known; part of the stack's training too. */
export const AVERAGE_SCORE = -1;

/** Small steps of two log-odds, for use as features of the tagger. */
export function signalOf(own: number, around: number): SentenceSignal {
  const step = (x: number) => Math.max(0, Math.min(12, Math.round(2 * x) + 8));
  return { own: step(own), around: step(around) };
}

/** Stacked log-odds of each sentence, and the features of the tagger made of them. */
export function stackedLogOdds(
  scores: Float64Array,
  stack: readonly number[],
): { logits: Float64Array; signals: SentenceSignal[] } {
  const inputs = stackInputs(scores, AVERAGE_SCORE);
  const logits = Float64Array.from(inputs, (input) => linearScore(stack, input));
  return { logits, signals: inputs.map((input, index) => signalOf(logits[index] ?? 0, input[4] ?? 0)) };
}

/** Inputs of blending. "All outside" scores 0, so the chance of no span at all is exp(-logTotal). */
export function blendInputs(logit: number, logTotal: number): Float64Array {
  const none = Math.exp(-logTotal);
  return Float64Array.of(1, logit, Math.log((1 - none + 1e-6) / (none + 1e-6)));
}

/** Scores of the models of words for a text. */
export interface WordScores {
  readonly own: Float64Array;
  /** Stacked log-odds of each sentence. */
  readonly logits: Float64Array;
  /** For each sentence how likely its tokens are inside a span. */
  readonly chains: readonly ChainMarginals[];
}

/** Runs sentence model and tagger over a text. Linear in its length. */
export function scoreWords(view: TextView, model: ScreeningModel): WordScores {
  const own = sentenceScores(view, model);
  const { logits, signals } = stackedLogOdds(own, model.stack);
  const sink = new FeatureSink(model.tagger.bits);
  const quiet: SentenceSignal = { own: 0, around: 0 };
  const chains = view.sentences.map((sentence, index) =>
    tagSentence(view, model, sentence, signals[index] ?? quiet, sink),
  );
  return { own, logits, chains };
}

/** Runs sentence model, tagger and span classifier over a text, with the encoder scores where there are any. Linear in its length. */
export function screenText(view: TextView, model: ScreeningModel, encoder?: EncoderScores): Screening {
  return combineScores(view, model, scoreWords(view, model), encoder);
}

/** Probabilities of sentences and labelled spans, from the scores of words and, where given, of the encoder. */
export function combineScores(
  view: TextView,
  model: ScreeningModel,
  wordScores: WordScores,
  encoder?: EncoderScores,
): Screening {
  const combined = encoder && model.combination && { encoder, weights: model.combination };
  const inputs = combined && sentenceInputs(combined.encoder, view.sentences, wordScores);
  const sentences = new Float64Array(wordScores.logits.length);
  const nameSink = new FeatureSink(model.namer.bits);
  const spans = view.sentences.flatMap((sentence, index): TaggedSpan[] => {
    const chain = wordScores.chains[index];
    if (chain === undefined) return [];
    const input = inputs?.[index];
    if (combined === undefined || input === undefined) {
      const alone = sigmoid(
        linearScore(model.blend, blendInputs(wordScores.logits[index] ?? 0, chain.logTotal)),
      );
      sentences[index] = alone;
      return spanSegments(view, sentence, chain.inside, model.spanThreshold).map((range) => ({
        ...spanStatistics(range, sentence, chain.inside),
        sentence: index,
        sentenceProbability: alone,
        labels: classifySpan(view, model, sentence, range, nameSink),
      }));
    }
    const { encoder: pieces, weights } = combined;
    const logOdds = linearScore(weights.sentence, input);
    const chance = sigmoid(logOdds);
    sentences[index] = chance;
    const inside = Float64Array.from(tokenInputs(pieces, sentence, chain.inside, logOdds), (token) =>
      sigmoid(linearScore(weights.token, token)),
    );
    const labels = pieces.sentenceLabelScores(index);
    const ranges = spanSegments(view, sentence, inside, weights.spanThreshold);
    return mergeRanges(ranges, weights.joinGap).map((range) => ({
      ...spanStatistics(range, sentence, inside),
      sentence: index,
      sentenceProbability: chance,
      labels: combinedLabelChances(
        weights.name,
        classifySpan(view, model, sentence, range, nameSink),
        pieces.labelScores(range),
        labels,
      ),
      sentenceLabels: labels,
    }));
  });
  return { own: wordScores.own, sentences, spans };
}

function spanStatistics(range: TokenRange, sentence: TokenRange, inside: Float64Array) {
  const tokens = inside.subarray(range.from - sentence.from, range.to - sentence.from);
  return {
    ...range,
    mean: tokens.reduce((sum, value) => sum + value, 0) / tokens.length,
    highest: tokens.reduce((most, value) => Math.max(most, value), 0),
  };
}

/** Extra templates for the two ways into the state "inside"; numbers that tokenFeatures does not use. */
const ENTER_TEMPLATE = 201;
const STAY_TEMPLATE = 211;

/** Features of stepping into, or staying inside, a span at a token. */
export function edgeFeatures(
  view: TextView,
  words: WordTable,
  sentence: TokenRange,
  index: number,
  staying: boolean,
  sink: FeatureSink,
): void {
  const base = staying ? STAY_TEMPLATE : ENTER_TEMPLATE;
  const own = view.tokens[index];
  const before = index > sentence.from ? view.tokens[index - 1] : undefined;
  sink.add(base, 0);
  sink.add(base + 1, own?.hash ?? 0);
  sink.add(base + 2, before?.hash ?? 0);
  sink.add(base + 3, words.clusterOf(view.rows[index] ?? -1, own?.hash ?? 0));
  sink.add(base + 4, before === undefined ? 0 : words.clusterOf(view.rows[index - 1] ?? -1, before.hash));
  sink.add(base + 5, own?.kind === 'mark' ? own.hash : 1, before?.kind === 'mark' ? before.hash : 1);
}

function tagSentence(
  view: TextView,
  model: Pick<ScreeningModel, 'words' | 'tagger' | 'leave'>,
  sentence: TokenRange,
  signal: SentenceSignal,
  sink: FeatureSink,
): ChainMarginals {
  const length = sentence.to - sentence.from;
  const enter = new Float64Array(length);
  const stay = new Float64Array(length);
  for (let offset = 0; offset < length; offset += 1) {
    const index = sentence.from + offset;
    sink.clear();
    tokenFeatures(view, model.words, sentence, signal, index, sink);
    const score = scoreOf(model.tagger, sink, 0);
    sink.clear();
    edgeFeatures(view, model.words, sentence, index, false, sink);
    enter[offset] = score + scoreOf(model.tagger, sink, 0);
    sink.clear();
    edgeFeatures(view, model.words, sentence, index, true, sink);
    stay[offset] = score + scoreOf(model.tagger, sink, 0);
  }
  return marginals({ length, enter, stay, leave: model.leave });
}

function scoreOf(table: WeightTable, sink: FeatureSink, label: number): number {
  let sum = 0;
  for (let index = 0; index < sink.count; index += 1) {
    sum += table.weights[(sink.ids[index] as number) * table.labels + label] as number;
  }
  return sum * table.scale;
}

/** Runs of tokens above the threshold, without marks at their edges. */
export function spanSegments(
  view: Pick<TextView, 'tokens'>,
  sentence: TokenRange,
  inside: Float64Array,
  threshold: number,
): TokenRange[] {
  const ranges: TokenRange[] = [];
  let from = -1;
  for (let index = sentence.from; index <= sentence.to; index += 1) {
    const on = index < sentence.to && (inside[index - sentence.from] ?? 0) >= threshold;
    if (on && from < 0) from = index;
    if (on || from < 0) continue;
    const trimmed = withoutEdgeMarks(view, { from, to: index });
    if (trimmed.to > trimmed.from) ranges.push(trimmed);
    from = -1;
  }
  return ranges;
}

/** Narrows a range until a word stands at each edge. */
export function withoutEdgeMarks(view: Pick<TextView, 'tokens'>, range: TokenRange): TokenRange {
  let { from, to } = range;
  while (from < to && view.tokens[from]?.kind === 'mark') from += 1;
  while (to > from && view.tokens[to - 1]?.kind === 'mark') to -= 1;
  return { from, to };
}

/** Probability of each label for a span. */
export function classifySpan(
  view: TextView,
  model: Pick<ScreeningModel, 'words' | 'namer'>,
  sentence: TokenRange,
  span: TokenRange,
  sink: FeatureSink,
): Float64Array {
  const { namer } = model;
  sink.clear();
  spanFeatures(view, model.words, sentence, span, sink);
  const sums = new Float64Array(namer.labels);
  for (let index = 0; index < sink.count; index += 1) {
    const row = (sink.ids[index] as number) * namer.labels;
    for (let label = 0; label < namer.labels; label += 1)
      sums[label] = (sums[label] as number) + (namer.weights[row + label] as number);
  }
  const norm = namer.scale / Math.sqrt(Math.max(1, sink.count));
  const scores = sums.map((sum, label) => sum * norm + (namer.bias[label] ?? 0));
  return softmax(scores);
}
