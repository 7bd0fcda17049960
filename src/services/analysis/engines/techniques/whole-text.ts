import { z } from 'zod';
import reading from '../../../../../models/text-reading.json' with { type: 'json' };
import shipped from '../../../../../models/whole-text.json' with { type: 'json' };
import { dotProduct } from '../../../../text/dot-product.ts';
import { DIMENSIONS } from '../../../../text/encoder/layers.ts';
import { vectorWeights } from '../../../../text/number-lists.ts';
import { TfIdfModel, termWeights } from '../../../../text/term-weights.ts';

/** What the trained stages say of a sentence in the text's own voice, in log-odds, and the chance that it tells a known narrative. */
export interface SentenceSigns {
  /** Of a one-sided text, by the diffuse evidence. */
  readonly slant: number;
  /** Of telling a narrative of disinformation, whichever, by its vector. */
  readonly telling: number;
  /** 0 to 1. */
  readonly narrative: number;
  /** That it belongs to a text that presses its reader, of whatever kind, by its vector. */
  readonly pressing: number;
  /** That the whole text presses its reader, as far as this sentence's words say so; their mean is what the text says. */
  readonly words: number;
}

const weightsSchema = z.object({
  slant: z.number(),
  pressing: z.number(),
  telling: z.number(),
  narrative: z.number(),
  words: z.number(),
  /** Of the log-odds by the mean vector of the text (text-kernel.ts), which count once. */
  kernel: z.number(),
  /** Of the mean of the sentences' log-odds by the upper layer that reads whole texts. */
  layer: z.number(),
  /** Of the mean of what the kept sentences nearest to each sentence say (text-neighbours.ts). */
  neighbours: z.number(),
  bias: z.number(),
});

const model = z
  .object({
    /** Log-odds beyond these say no more. */
    most: z.object({
      slant: z.number(),
      pressing: z.number(),
      telling: z.number(),
      words: z.number(),
      kernel: z.number(),
      layer: z.number(),
    }),
    /** What the nearest kept sentences say counts beyond `from`, up to `most`: those of calm texts take nothing from a text. */
    neighbours: z.object({ from: z.number(), most: z.number() }),
    /** An ordinary sentence, counted so many times: a short text says little about itself. */
    ordinary: z.object({
      slant: z.number(),
      pressing: z.number(),
      telling: z.number(),
      words: z.number(),
      times: z.number(),
    }),
    /** Of the calmest and of the loudest sentences so many are left out, and no larger share: no phrase that anybody can add decides. */
    left_out: z.object({ most: z.number(), share: z.number() }),
    /** Log-odds up to `floor` weigh nothing; what exceeds them counts by `strength`, up to `most_weight`. */
    floor: z.number(),
    strength: z.number(),
    most_weight: z.number(),
    /**
     * A text of `from` sentences or more is read in parts, too, of this share of it or of `sentences`, one beginning in the middle of the
     * other; what a part says counts less by `margin`.
     */
    parts: z.object({ from: z.int(), share: z.number(), sentences: z.int(), margin: z.number() }),
    /** A text of many or of few sentences needs more as a whole: up to `less` beyond `from` sentences, in full from `full` on. */
    lengths: z.array(z.object({ from: z.int(), full: z.int(), less: z.number() })),
    /** Where the log-odds of the text lie below `from` its findings count less: by `slope` for each unit, `least` at least. */
    calm: z.object({ from: z.number(), slope: z.number(), least: z.number() }),
    en: weightsSchema,
    ro: weightsSchema,
    /** Of the vector of a sentence: that it belongs to a text that presses its reader. One for both languages. */
    pressing: z.object({
      scale: z.number(),
      bias: z.number(),
      direction: vectorWeights(DIMENSIONS),
    }),
  })
  .parse(shipped);

const { words: termsOfTexts } = z.object({ words: termWeights }).parse(reading);
const wordReader = new TfIdfModel(termsOfTexts);

/** The words were learned from texts of at most so many sentences; the score of a longer one would grow with its length. */
const MOST_TOGETHER = 25;

/** What the words of each sentence of a text say of it; long texts are read in parts of equal length. */
export function wordsBySentence(sentences: readonly string[], reader: TfIdfModel = wordReader): number[] {
  const parts = Math.ceil(sentences.length / MOST_TOGETHER);
  return Array.from({ length: parts }, (_, part) => {
    const [from, to] = [part, part + 1].map((at) => Math.round((at * sentences.length) / parts));
    return reader.parts(sentences.slice(from, to));
  }).flat();
}

/** Languages in which whole texts are read. */
export type WholeTextLanguage = 'en' | 'ro';

const mean = (list: readonly number[]) =>
  list.length === 0 ? 0 : list.reduce((sum, value) => sum + value, 0) / list.length;
const within = (value: number, most: number) => Math.max(-most, Math.min(most, value));

/** Log-odds that a sentence belongs to a text that presses its reader, by its vector. */
export function pressingLogOdds(vector: Float32Array): number {
  const { scale, bias, direction } = model.pressing;
  return scale * dotProduct(direction, vector) + bias;
}

/** Score of one sentence: what it adds to the log-odds of its text. */
export function sentenceScore(
  signs: SentenceSigns,
  {
    slant,
    pressing,
    telling,
    narrative,
    words,
    bias,
  }: Omit<z.infer<typeof weightsSchema>, 'kernel' | 'layer' | 'neighbours'>,
): number {
  return (
    slant * within(signs.slant, model.most.slant) +
    pressing * within(signs.pressing, model.most.pressing) +
    telling * within(signs.telling, model.most.telling) +
    narrative * signs.narrative +
    words * within(signs.words, model.most.words) +
    bias
  );
}

/**
 * Mean of the scores of a text and of `times` ordinary ones, without the calmest and the loudest ones; a score may be left out in part,
 * so that a text of one sentence more is read nearly alike.
 */
export function trimmedMean(
  scores: readonly number[],
  {
    leftOut: { most, share },
    ordinary,
    times,
  }: {
    readonly leftOut: { readonly most: number; readonly share: number };
    readonly ordinary: number;
    readonly times: number;
  },
): number {
  const from = Math.min(most, share * scores.length);
  const to = scores.length - from;
  const sum = scores
    .toSorted((one, two) => one - two)
    .reduce((total, score, at) => total + score * Math.max(0, Math.min(at + 1, to) - Math.max(at, from)), 0);
  return (sum + times * ordinary) / (to - from + times);
}

/** What a text says besides the signs of its sentences, in log-odds. */
export interface WholeTextSigns {
  readonly kernel?: number;
  readonly layer?: readonly number[];
  readonly neighbours?: readonly number[];
}

/**
 * Log-odds that a text as a whole presses its reader: the mean score of its sentences and of half an ordinary one, without the calmest
 * and the loudest one, so that no single sentence, added by whom it may be, decides; and what the mean vector of the text says
 * (`kernel`), the layer that reads whole texts (`layer`, sentence by sentence) and the kept sentences that are nearest (`neighbours`,
 * sentence by sentence).
 */
export function wholeTextLogOdds(
  sentences: readonly SentenceSigns[],
  language: WholeTextLanguage,
  { kernel = 0, layer = [], neighbours = [] }: WholeTextSigns = {},
): number {
  const weights = model[language];
  const { from, most } = model.neighbours;
  const { times, ...usual } = model.ordinary;
  const scores = sentences.map((signs) => sentenceScore(signs, weights));
  const ordinary = sentenceScore({ ...usual, narrative: 0 }, weights);
  const bySentence = trimmedMean(scores, { leftOut: model.left_out, ordinary, times });
  return (
    bySentence +
    weights.kernel * within(kernel, model.most.kernel) +
    weights.layer * mean(layer.map((logOdds) => within(logOdds, model.most.layer))) +
    weights.neighbours * mean(neighbours.map((logOdds) => Math.max(0, Math.min(most, logOdds - from))))
  );
}

/** The parts in which a text of so many sentences is read: first sentence, and the one behind the last. */
export function partsOfText(count: number): { readonly from: number; readonly to: number }[] {
  const { from, share, sentences } = model.parts;
  if (count < from) return [];
  const size = Math.max(sentences, Math.ceil(share * count));
  const step = Math.ceil(size / 2);
  const starts = Array.from({ length: Math.ceil((count - size) / step) }, (_, at) => at * step);
  return [...starts, count - size].map((start) => ({ from: start, to: start + size }));
}

/**
 * Log-odds of a text of so many sentences, of which a part may press its reader while the rest is calm: those of the whole, or those of
 * its most pressing part less a margin, so that who adds calm text to a loud one does not hide it. Long texts and short ones need
 * more as a whole; a part is what it is, however long the text.
 */
export function withPart(together: number, part: number | undefined, count: number): number {
  const shareOf = (from: number, full: number) => Math.min(1, Math.max(0, (count - from) / (full - from)));
  const whole = model.lengths.reduce(
    (sum, { from, full, less }) => sum - less * shareOf(from, full),
    together,
  );
  return part === undefined ? whole : Math.max(whole, part - model.parts.margin);
}

/** A text of so few sentences says nothing about itself as a whole; from `full` on it weighs in full. */
const LENGTH = { none: 1, full: 3 } as const;

/** Sentences from which on a calm text lets its findings count less; from `full` on as much less as it may. */
const CALM_LENGTH = { none: 1, full: 3 } as const;

const shareOf = (sentenceCount: number, { none, full }: { readonly none: number; readonly full: number }) =>
  Math.min(1, Math.max(0, (sentenceCount - none) / (full - none)));

/** What the log-odds of a text of so many sentences add to the exponent of the score's formula. */
export function wholeTextWeight(logOdds: number, sentenceCount: number): number {
  const weight = Math.min(model.most_weight, model.strength * Math.max(0, logOdds - model.floor));
  return weight * shareOf(sentenceCount, LENGTH);
}

/** How much the findings of the list count in a text of these log-odds, from `calm.least` where it reads calm as a whole to 1. */
export function findingsFactor(logOdds: number, sentenceCount: number): number {
  const { from, slope, least } = model.calm;
  const factor = Math.max(least, Math.min(1, 1 + slope * (logOdds - from)));
  return 1 - (1 - factor) * shareOf(sentenceCount, CALM_LENGTH);
}
