import { softmax } from '../../../../text/linear.ts';
import type { PieceScores } from '../encoding/text-encoding.ts';
import { type ChainMarginals, logOddsOf } from './crf.ts';
import type { Token, TokenRange } from './tokens.ts';

/** Weights that combine the log-odds of the word features with those of the encoder pieces. */
export interface CombinationWeights {
  /** Of `sentenceInputs`. */
  readonly sentence: readonly number[];
  /** Of `tokenInputs`. */
  readonly token: readonly number[];
  /** Shares of the namer, of the pieces of the span and of the whole sentence, then one constant a label. */
  readonly name: readonly number[];
  readonly spanThreshold: number;
  /** Spans of one sentence with no more tokens than this between them are one. */
  readonly joinGap: number;
}

/** Scores from the second upper layer of the encoder, by token, span and sentence. */
export interface EncoderScores {
  /** Log-odds that each token is inside a span; NaN where nothing was encoded. */
  readonly inside: Float64Array;
  /** Log-odds that each sentence has any technique; NaN where nothing was encoded. */
  readonly anyTechnique: Float64Array;
  /** Score of each label for a span: the mean over its pieces. */
  labelScores(span: TokenRange): Float64Array;
  /** Log-odds of each label in a sentence. */
  sentenceLabelScores(sentence: number): Float64Array;
}

/** Columns of a piece: inside; the name of a span by label; any technique; each label in the sentence. */
const INSIDE = 0;
const NAMES = 1;

/** Maps the scores of the encoder pieces to tokens and sentences. Linear in the length of the text. */
export function encoderScores(
  { bounds, columns, numbers }: PieceScores,
  tokens: readonly Token[],
  sentences: readonly TokenRange[],
  labelCount: number,
): EncoderScores {
  const [first, last] = piecesOfTokens(bounds, tokens);
  /** Means of columns over the pieces of tokens; NaN where there are none. */
  const means = ({ from, to }: TokenRange, column: number, count: number): Float64Array => {
    const sums = new Float64Array(count);
    const [start, end] = [first[from] ?? 0, last[to - 1] ?? 0];
    for (let piece = start; piece < end; piece += 1)
      for (let index = 0; index < count; index += 1)
        sums[index] = (sums[index] as number) + (numbers[piece * columns + column + index] as number);
    return sums.map((sum) => (end > start ? sum / (end - start) : Number.NaN));
  };
  const anyColumn = NAMES + labelCount;
  return {
    inside: Float64Array.from(tokens, (_, at) => means({ from: at, to: at + 1 }, INSIDE, 1)[0] ?? Number.NaN),
    anyTechnique: Float64Array.from(sentences, (sentence) => means(sentence, anyColumn, 1)[0] ?? Number.NaN),
    labelScores: (span) => means(span, NAMES, labelCount).map(zeroIfNaN),
    sentenceLabelScores: (sentence) =>
      means(sentences[sentence] ?? { from: 0, to: 0 }, anyColumn + 1, labelCount).map(zeroIfNaN),
  };
}

const zeroIfNaN = (value: number) => (Number.isNaN(value) ? 0 : value);

/** The first piece that overlaps each token, and the one behind the last that does. */
function piecesOfTokens(bounds: Uint32Array, tokens: readonly Token[]): [Uint32Array, Uint32Array] {
  const [first, last] = [new Uint32Array(tokens.length), new Uint32Array(tokens.length)];
  const count = bounds.length / 2;
  let piece = 0;
  tokens.forEach(({ start, end }, index) => {
    while (piece < count && (bounds[2 * piece + 1] ?? 0) <= start) piece += 1;
    let behind = piece;
    while (behind < count && (bounds[2 * behind] ?? 0) < end) behind += 1;
    first[index] = piece;
    last[index] = behind;
  });
  return [first, last];
}

/** Prior of the mean of a text: the log-odds of an ordinary sentence, and the number of sentences that it counts for. */
const PRIOR: { readonly logOdds: number; readonly count: number } = { logOdds: -1.2, count: 4 };

/** Inputs of each sentence: 1, its words, any span by its words, its pieces, those around it, the mean of the text, its strongest piece. */
export function sentenceInputs(
  encoder: EncoderScores,
  sentences: readonly TokenRange[],
  words: { readonly logits: Float64Array; readonly chains: readonly ChainMarginals[] },
): (Float64Array | undefined)[] {
  const read = encoder.anyTechnique.filter((value) => !Number.isNaN(value));
  const sum = read.reduce((total, value) => total + value, 0);
  return sentences.map((sentence, index) => {
    const own = encoder.anyTechnique[index] ?? Number.NaN;
    if (Number.isNaN(own)) return undefined;
    const others = (sum - own + PRIOR.logOdds * PRIOR.count) / (read.length - 1 + PRIOR.count);
    const near = (at: number) => {
      const value = encoder.anyTechnique[at] ?? Number.NaN;
      return Number.isNaN(value) ? others : value;
    };
    const strongest = encoder.inside
      .subarray(sentence.from, sentence.to)
      .reduce((most, value) => Math.max(most, Number.isNaN(value) ? -6 : value), -6);
    const none = Math.exp(-(words.chains[index]?.logTotal ?? 0));
    return Float64Array.of(
      1,
      words.logits[index] ?? 0,
      logOddsOf(1 - none),
      own,
      near(index - 1),
      near(index + 1),
      others,
      strongest,
    );
  });
}

/** Inputs of each token of a sentence: 1, inside by words, by pieces, those around it, the sentence. */
export function tokenInputs(
  encoder: EncoderScores,
  sentence: TokenRange,
  inside: Float64Array,
  sentenceLogOdds: number,
): Float64Array[] {
  const byWords = inside.map(logOddsOf);
  const byPieces = encoder.inside.subarray(sentence.from, sentence.to);
  let before = PRIOR.logOdds;
  const filled = byPieces.map((value) => {
    if (!Number.isNaN(value)) before = value;
    return before;
  });
  const mean = filled.reduce((sum, value) => sum + value, 0) / Math.max(1, filled.length);
  return Array.from(filled, (own, at) => {
    const near = (list: Float64Array, place: number, otherwise: number) => list[place] ?? otherwise;
    const words = byWords[at] ?? 0;
    return Float64Array.of(
      1,
      words,
      near(byWords, at - 1, words),
      near(byWords, at + 1, words),
      own,
      near(filled, at - 1, own),
      near(filled, at + 1, own),
      near(filled, at - 2, own) + near(filled, at + 2, own),
      mean,
      sentenceLogOdds,
    );
  });
}

/** Joins ranges with at most so many tokens between them. */
export function mergeRanges(ranges: readonly TokenRange[], gap: number): TokenRange[] {
  const joined: TokenRange[] = [];
  for (const range of ranges) {
    const last = joined.at(-1);
    if (last !== undefined && range.from - last.to <= gap)
      joined[joined.length - 1] = { from: last.from, to: range.to };
    else joined.push(range);
  }
  return joined;
}

/** Probability of each label of a span, from the probabilities of the namer, the pieces of the span and the whole sentence. */
export function combinedLabelChances(
  weights: readonly number[],
  namer: Float64Array,
  pieces: Float64Array,
  sentence: Float64Array,
): Float64Array {
  const [words = 1, span = 0, whole = 0, ...constants] = weights;
  const scores = namer.map(
    (chance, label) =>
      words * Math.log(chance + 1e-6) +
      span * (pieces[label] ?? 0) +
      whole * (sentence[label] ?? 0) +
      (constants[label] ?? 0),
  );
  return softmax(scores);
}
