import { z } from 'zod';
import shipped from '../../../../../models/lures-weights.json' with { type: 'json' };
import { clamp } from '../../../../foundation/numbers.ts';
import { DIMENSIONS } from '../../../../text/encoder/layers.ts';
import { sigmoid } from '../../../../text/logistic.ts';
import { signedBytes } from '../../../../text/number-lists.ts';
import { TfIdfModel, termWeights } from '../../../../text/term-weights.ts';
import type { TextEncoding } from '../encoding/text-encoding.ts';

const directionSchema = z.object({
  /** A kind of data/scam/kinds.json, or none. */
  code: z.string(),
  /** The value of one step of a signed byte of the direction. */
  scale: z.number(),
  bias: z.number(),
  direction: signedBytes(DIMENSIONS),
});

/** The weights of models/lures-weights.json. */
export const lureWeights = z.object({
  version: z.string(),
  directions: z.array(directionSchema),
  /** Words and pairs of words: one output for any lure, and one for each kind. */
  terms: termWeights,
  /**
   * Log-odds of a lure: bias + vector * (log-odds by the vector) + words * (score by words) + layer * (mean log-odds by the layer for
   * whole texts, within `most_layer`) + weights of the signs that stand in the text.
   */
  odds: z.object({
    bias: z.number(),
    vector: z.number(),
    words: z.number(),
    layer: z.number(),
    most_layer: z.number(),
    signs: z.record(z.string(), z.number()),
  }),
});

/** The weights of models/lures-weights.json. */
export type LureWeights = z.infer<typeof lureWeights>;

const weights = lureWeights.parse(shipped);

/** What the ordinary messages are called among the directions. */
export const NO_LURE = 'none';

/** The mean of the vectors of a text's sentences; undefined where nothing was read. */
export function meanVector({ vectors }: Pick<TextEncoding, 'vectors'>): Float32Array | undefined {
  const count = vectors.length / DIMENSIONS;
  if (count === 0) return undefined;
  const mean = new Float32Array(DIMENSIONS);
  for (let index = 0; index < vectors.length; index += 1) {
    const at = index % DIMENSIONS;
    mean[at] = (mean[at] as number) + (vectors[index] as number) / count;
  }
  return mean;
}

/** Mean log-odds of a text's sentences by the layer that reads whole texts; 0 where it read none. */
export function meanLayer({ whole = new Float32Array() }: Pick<TextEncoding, 'whole'>): number {
  const read = whole.filter((logOdds) => !Number.isNaN(logOdds));
  return read.length === 0 ? 0 : read.reduce((sum, logOdds) => sum + logOdds / read.length, 0);
}

/** Scores of the meaning and of the words of a message. */
export interface LureScores {
  /** Score of each kind of lure, in log-odds against an ordinary message. */
  readonly kinds: ReadonlyMap<string, number>;
  /** Log-odds that it is any of them, by the vector. */
  readonly logOdds: number;
  /** Score that it is any of them, by its words. */
  readonly words: number;
}

/** How much the words of a kind count beside the vector where kinds are distinguished; chosen on lures of another author. */
const WORDS_OF_KIND = 0.5;

/** What the output of the words for any lure is called. */
export const ANY_LURE = 'lure';

interface LureModels {
  readonly directions: LureWeights['directions'];
  readonly reader: TfIdfModel;
}
const shippedModels: LureModels = { directions: weights.directions, reader: new TfIdfModel(weights.terms) };

/** Reads the meaning of a message: the mean of its vectors, and its words. */
export function lureScores(
  { mean, text }: { readonly mean: Float32Array; readonly text: string },
  { directions, reader }: LureModels = shippedModels,
): LureScores {
  const scores = directions.map(({ code, scale, bias, direction }) => {
    let sum = 0;
    for (let at = 0; at < DIMENSIONS; at += 1) sum += (direction[at] as number) * (mean[at] as number);
    return { code, score: bias + scale * sum };
  });
  const byWords = reader.scores(text);
  const none = scores.find(({ code }) => code === NO_LURE)?.score ?? 0;
  const kinds = scores
    .filter(({ code }) => code !== NO_LURE)
    .map(({ code, score }) => ({ code, score: score - none }));
  const together = kinds.reduce((sum, { score }) => sum + Math.exp(score), 0);
  return {
    kinds: new Map(kinds.map(({ code, score }) => [code, score + WORDS_OF_KIND * (byWords.get(code) ?? 0)])),
    logOdds: Math.log(together),
    words: byWords.get(ANY_LURE) ?? 0,
  };
}

/**
 * Probability, 0 to 1, that a message lures, by its meaning, its words, how it reads as a whole (`layer`: meanLayer) and the signs of
 * lures in its own voice.
 */
export function lureProbability(
  { logOdds, words, layer }: Pick<LureScores, 'logOdds' | 'words'> & { readonly layer: number },
  signs: ReadonlySet<string>,
  odds: LureWeights['odds'] = weights.odds,
): number {
  const bySigns = [...signs].reduce((sum, sign) => sum + (odds.signs[sign] ?? 0), 0);
  const byLayer = odds.layer * clamp(layer, -odds.most_layer, odds.most_layer);
  return sigmoid(odds.bias + odds.vector * logOdds + odds.words * words + byLayer + bySigns);
}

/** How strongly the words of a part of a message indicate a lure: they show where it lures. */
export function lureWordScore(text: string): number {
  return shippedModels.reader.scores(text).get(ANY_LURE) ?? 0;
}
