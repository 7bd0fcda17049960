import { z } from 'zod';
import shipped from '../../../../../models/technique-sentences-weights.json' with { type: 'json' };
import { linearScore } from '../../../../text/logistic.ts';
import type { TextClassifier } from '../../../../text/text-classifier.ts';
import { sentenceAt, type TextEncoding, vectorAt } from '../encoding/text-encoding.ts';
import { groupedByCode } from './confidence-adjustment.ts';
import { logOddsOf } from './crf.ts';
import {
  type ChancedCandidate,
  headProbability,
  headSchema,
  type ListedPassage,
  likelyPassages,
  meanOfOtherSentences,
  type PassagesOfTechnique,
  type ScoringMode,
  techniqueChance,
  techniqueInputs,
} from './listing.ts';
import type { Token, TokenRange } from './tokens.ts';

/** Says which techniques careful readers would name in a sentence (limpede-technique-sentences-1): shares of `none` and of each code. */
export type SentenceReader = Pick<TextClassifier, 'classify'>;

/** The label of a sentence in which readers name nothing. */
export const NO_TECHNIQUE = 'none';

const weightsSchema = z.object({
  name: z.string(),
  version: z.string(),
  /** That readers name any technique, by `sentenceInputs`. */
  any: headSchema,
  /** That they name this one, by `passageInputs`; by language, as what the other stages say is worth more in English. */
  passage: z.object({ en: headSchema, ro: headSchema }),
  /** That they name it anywhere in the text, by `techniqueInputs`. */
  technique: headSchema,
  /** A passage that does not count in manipulation_score is listed from this chance on, */
  least_chance: z.number().min(0).max(1),
  /** where 1 - product over the likely passages of its technique of (1 - chance) is at least this, or the technique counts. */
  least_presence: z.number().min(0).max(1),
});
/** Weights of the chances of passages and techniques. */
export type SentenceReadingWeights = z.infer<typeof weightsSchema>;

/** The weights of the package. */
export const shippedReadingWeights: SentenceReadingWeights = weightsSchema.parse(shipped);

/** What readers would name in each sentence of a text. */
export interface SentenceReadings {
  readonly language: 'en' | 'ro';
  /** Inputs of the chance that readers name any technique; undefined where the sentence was not read. */
  readonly inputs: readonly (readonly number[] | undefined)[];
  /** For each sentence the share of each code among what readers name there, in all 1; empty where it was not read. */
  readonly shares: readonly Readonly<Record<string, number>>[];
}

/** What the sentences of a text are read from. */
export interface ReadableText {
  readonly text: string;
  readonly language: 'en' | 'ro';
  readonly tokens: readonly Token[];
  readonly sentences: readonly TokenRange[];
  readonly encoding: TextEncoding;
  /** 1 where the words are those of a named speaker. */
  readonly attributed: Uint8Array;
}

/** Ordinary sentences that stand beside those of a text in the mean of the layer for whole texts, and their log-odds. */
const ORDINARY = { count: 2, logOdds: -1 } as const;
const LEAST = 1e-4;

/** Reads the sentences that were encoded. Linear in the length of the text. */
export function readSentences(reader: SentenceReader, source: ReadableText): SentenceReadings {
  const { text, tokens, sentences, encoding, language } = source;
  const places = sentences.map(({ from }) => sentenceAt(encoding, tokens[from]?.start ?? 0));
  const classes = sentences.map((range, index) => {
    const place = places[index];
    if (place === undefined) return undefined;
    const own = text.slice(tokens[range.from]?.start ?? 0, tokens[range.to - 1]?.end ?? 0);
    return reader.classify(own, vectorAt(encoding, place));
  });
  const chances = Float64Array.from(classes, (one) => (one === undefined ? 0 : anyShare(one.shares)));
  return {
    language,
    inputs: sentenceInputs(chances, places, source),
    shares: classes.map((one) => (one === undefined ? {} : amongNamed(one.shares))),
  };
}

const anyShare = (shares: Readonly<Record<string, number>>) => 1 - (shares[NO_TECHNIQUE] ?? 0);

function amongNamed(shares: Readonly<Record<string, number>>): Record<string, number> {
  const all = Math.max(LEAST, anyShare(shares));
  const named = Object.entries(shares).filter(([code]) => code !== NO_TECHNIQUE);
  return Object.fromEntries(named.map(([code, share]) => [code, share / all]));
}

/**
 * Inputs of the chance that readers name anything: log-odds of the sentence, mean of the others, log-odds by the layer for whole texts of
 * the sentence and of the others, share of words of a named speaker.
 */
function sentenceInputs(
  chances: Float64Array,
  places: readonly (number | undefined)[],
  { sentences, encoding, attributed }: ReadableText,
): (number[] | undefined)[] {
  const meanOfOthers = meanOfOtherSentences(chances, sentences);
  const whole = places.map((place) =>
    place === undefined ? Number.NaN : (encoding.whole?.[place] ?? Number.NaN),
  );
  const read = whole.filter((value) => !Number.isNaN(value));
  const sum = read.reduce((total, value) => total + value, ORDINARY.count * ORDINARY.logOdds);
  return sentences.map(({ from, to }, index) => {
    if (places[index] === undefined) return undefined;
    const value = whole[index] ?? Number.NaN;
    const isRead = !Number.isNaN(value);
    const others = (sum - (isRead ? value : 0)) / (read.length - Number(isRead) + ORDINARY.count);
    const spoken =
      attributed.subarray(from, to).reduce((total, one) => total + one, 0) / Math.max(1, to - from);
    return [logOddsOf(chances[index] ?? 0), meanOfOthers(index), isRead ? value : others, others, spoken];
  });
}

/** Log-odds that readers name any technique in a sentence. */
function anyLogOdds({ any }: SentenceReadingWeights, inputs: readonly number[]): number {
  return linearScore(any.weights, inputs, any.bias);
}

/** A passage that readers may name, with the inputs of its chance. */
export interface ReadCandidate extends ListedPassage {
  /** As in `FoundPassage`. */
  readonly kept: number;
  readonly inputs: readonly number[];
  /** Share of its chance that is kept, 0 to 1. */
  readonly share: number;
}

/** A technique with a smaller share of its sentence is no candidate by itself: it never comes near the bound of the list. */
export const LEAST_SHARE = 0.02;
/** Log-odds of the other stages where they found nothing. */
const NOT_FOUND = logOddsOf(0.01);

/**
 * Inputs of the chance of a passage: log-odds of any technique in its sentence, logarithm of the share of its code, log-odds by the other
 * stages, whether it counts in manipulation_score, and log-odds of its weight there.
 */
function passageInputs(
  any: number,
  share: number,
  found: Pick<ChancedCandidate, 'confidence' | 'weight'> | undefined,
) {
  const { confidence = 0, weight = 0 } = found ?? {};
  return [
    any,
    Math.log(Math.max(LEAST, share)),
    found === undefined ? NOT_FOUND : logOddsOf(confidence),
    Number(weight > 0),
    weight > 0 ? logOddsOf(weight) : 0,
  ];
}

/** A passage that other stages found, with its chance. */
export interface FoundPassage extends ChancedCandidate {
  /** The chance by which the other stages list it themselves, where that was measured; 0 elsewhere. */
  readonly kept: number;
}

/** What the passages of a text are put together from. */
export interface ReadingInput {
  readonly found: readonly FoundPassage[];
  /** What the other stages read with. */
  readonly mode: ScoringMode;
  readonly readings: SentenceReadings;
  readonly sentences: readonly TokenRange[];
  /** As in `ListInput`. */
  readonly factor: number;
}

/** All passages that other stages found or that readers may name: where the others found no words of a technique its sentence stands for it. */
export function readCandidates(
  { found, readings, sentences, factor }: ReadingInput,
  weights: SentenceReadingWeights = shippedReadingWeights,
): ReadCandidate[] {
  const anyOf = readings.inputs.map((inputs) =>
    inputs === undefined ? undefined : anyLogOdds(weights, inputs),
  );
  const known = new Set(found.map(({ sentence, code }) => `${sentence} ${code}`));
  const others = found.map((item): ReadCandidate => {
    const any = anyOf[item.sentence] ?? NOT_FOUND;
    const share = readings.shares[item.sentence]?.[item.code] ?? 0;
    return { ...item, inputs: passageInputs(any, share, item), share: item.share };
  });
  const named = readings.shares.flatMap((shares, sentence) => {
    const [any, range] = [anyOf[sentence], sentences[sentence]];
    if (any === undefined || range === undefined) return [];
    return Object.entries(shares)
      .filter(([code, share]) => share >= LEAST_SHARE && !known.has(`${sentence} ${code}`))
      .map(([code, share]): ReadCandidate => {
        const place = { ...range, sentence, code, anchor: range.from, origin: 'model' as const };
        return {
          ...place,
          confidence: 0,
          weight: 0,
          kept: 0,
          inputs: passageInputs(any, share, undefined),
          share: factor,
        };
      });
  });
  return [...others, ...named];
}

/**
 * The list: what counts in manipulation_score, what other stages list, and what readers would name with some chance. The chance of a passage
 * is that of the readers, or that of the annotators whom the other stages learned from, where it is higher.
 */
export function readPassages(
  input: ReadingInput,
  weights: SentenceReadingWeights = shippedReadingWeights,
): (ListedPassage & { readonly kept: number })[] {
  const head = weights.passage[input.readings.language];
  const isRead = ({ sentence }: ReadCandidate) => input.readings.inputs[sentence] !== undefined;
  const passages = readCandidates(input, weights).map((item) => {
    if (!isRead(item)) return item;
    const chance = item.share * headProbability(head, item.code, item.inputs);
    return { ...item, confidence: Math.max(item.kept, chance) };
  });
  const likely = new Set(likelyPassages(passages, weights));
  return passages.filter((item) => likely.has(item) || item.kept > 0);
}

/** Chance, 0 to 1, that readers name a technique anywhere in a text, given those of its passages: at least that of the likeliest. */
export function readTechniqueChance(
  passages: PassagesOfTechnique,
  weights: SentenceReadingWeights = shippedReadingWeights,
): number {
  const chance = headProbability(weights.technique, passages.code, techniqueInputs(passages));
  return Math.max(chance, ...passages.confidences);
}

/** The chances of the techniques of a list: as of its passages, the higher one where other stages list a technique themselves. */
export function techniqueChancesOf(
  passages: readonly (Pick<ListedPassage, 'code'> & { readonly kept: number })[],
  mode: ScoringMode,
  weights: SentenceReadingWeights = shippedReadingWeights,
): (technique: PassagesOfTechnique) => number {
  const kept = groupedByCode(passages.filter((item) => item.kept > 0));
  return (technique) => {
    const confidences = kept.get(technique.code)?.map((item) => item.kept) ?? [];
    const byStages = confidences.length === 0 ? 0 : techniqueChance({ ...technique, confidences }, mode);
    return Math.max(byStages, readTechniqueChance(technique, weights));
  };
}
