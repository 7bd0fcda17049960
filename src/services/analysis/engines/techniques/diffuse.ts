import { z } from 'zod';
import shipped from '../../../../../models/diffuse-evidence-weights.json' with { type: 'json' };
import { roundTo } from '../../../../foundation/numbers.ts';
import { DIMENSIONS } from '../../../../text/encoder/layers.ts';
import { sigmoid } from '../../../../text/linear.ts';
import type { PlainText } from '../../../../text/plain/plain-text.ts';
import type { Span } from '../../../../text/positions.ts';
import { type TextEncoding, vectorAt } from '../encoding/text-encoding.ts';
import type { Candidate } from './candidates.ts';
import type { Token, TokenRange } from './tokens.ts';

/** What lies below the list of findings, sentence by sentence (limpede-diffuse-1). */
export interface DiffuseEvidence {
  /** Share of the sentences that were read whose probability lies above the floor, 0 to 1. */
  readonly sentences: number;
  /** d of the formula of manipulation_score, 0 or more. */
  readonly weight: number;
  /** The strongest of them, at most three, the strongest first. */
  readonly quotes: (Span & { probability: number })[];
}

const modelSchema = z.object({
  /** A sentence weighs by what its probability exceeds this. */
  floor: z.number(),
  /** Sentences of no weight that are added to a text: a short one says little about itself. */
  prior: z.number(),
  strength: z.number(),
  /** A shorter sentence says nothing by itself. */
  least_words: z.int(),
  bias: z.number(),
  /** Weight of the log-odds of the words, in English. */
  words: z.number(),
  vector: z.array(z.number()).length(DIMENSIONS),
  /** Romanian is read by the encoder alone. */
  romanian: z.object({ bias: z.number(), vector: z.array(z.number()).length(DIMENSIONS) }),
});
const model = modelSchema.parse(shipped);

/** Chance, 0 to 1, that a sentence belongs to a one-sided text; `words` are its log-odds by words, undefined in Romanian. */
export function sentenceChance(vector: Float32Array, words: number | undefined): number {
  const head = words === undefined ? model.romanian : model;
  let sum = head.bias + model.words * (words ?? 0);
  for (let index = 0; index < DIMENSIONS; index += 1)
    sum += (head.vector[index] as number) * (vector[index] as number);
  return sigmoid(sum);
}

/** A sentence as the weight is made of it. */
export interface WeighedSentence {
  /** 0 to 1. */
  readonly chance: number;
  /** Words of it. */
  readonly words: number;
  /** A finding of the list stands in it: it counts there. */
  readonly listed: boolean;
}

/**
 * D = sum of max(0, p - floor) over the sentences below the list, by (sentences + prior): adding a sentence with p at most
 * the floor never raises it. Sentences of fewer words than `least_words` are not read.
 */
export function densityOf(sentences: readonly WeighedSentence[]): number {
  const read = sentences.filter(({ words }) => words >= model.least_words);
  const excess = read.reduce(
    (sum, { chance, listed }) => sum + (listed ? 0 : Math.max(0, chance - model.floor)),
    0,
  );
  return excess / (read.length + model.prior);
}

/** 0.45 of the score's formula; d is such that 0.45 d / sqrt(L) = strength * D, so that only the density counts. */
const STEEPNESS = 0.45;

/** d from the density: strength * D * sqrt(L) / 0.45, L = max(1, words / 250). */
export function weightOf(density: number, wordCount: number): number {
  return (model.strength * density * Math.sqrt(Math.max(1, wordCount / 250))) / STEEPNESS;
}

const MOST_QUOTES = 3;

/** A text with its findings, as diffuse evidence reads it. */
export interface DiffuseReading {
  readonly plain: Pick<PlainText, 'span'>;
  readonly tokens: readonly Token[];
  readonly sentences: readonly TokenRange[];
  readonly encoding: TextEncoding;
  /** Log-odds of any technique by the words of each sentence; undefined in Romanian. */
  readonly words: Float64Array | undefined;
  readonly listed: readonly Candidate[];
  /** 1 where the token lies between quotation marks: such a sentence is somebody else's. */
  readonly quoted: Uint8Array;
  readonly wordCount: number;
}

/** The diffuse evidence of a text. */
export function diffuseEvidence(reading: DiffuseReading): DiffuseEvidence {
  const { plain, tokens, sentences, encoding, words, listed, quoted, wordCount } = reading;
  const named = new Set(listed.map(({ sentence }) => sentence));
  const read = sentences.flatMap((range, index) => {
    const vector = vectorAt(encoding, tokens[range.from]?.start ?? 0);
    if (vector === undefined) return [];
    const own = tokens.slice(range.from, range.to);
    const spoken = own.filter((_, at) => quoted[range.from + at] === 1).length > own.length / 2;
    const chance = spoken ? 0 : sentenceChance(vector, words?.[index]);
    const count = own.filter(({ kind }) => kind !== 'mark').length;
    return [{ range, chance, words: count, listed: named.has(index) }];
  });
  const counted = read.filter((sentence) => sentence.words >= model.least_words);
  const below = counted.filter(({ chance, listed: isListed }) => !isListed && chance > model.floor);
  const quotes = [...below]
    .sort((one, two) => two.chance - one.chance || one.range.from - two.range.from)
    .slice(0, MOST_QUOTES)
    .map(({ range, chance }) => ({
      ...plain.span(tokens[range.from]?.start ?? 0, tokens[range.to - 1]?.end ?? 0),
      probability: roundTo(chance, 4),
    }));
  return {
    sentences: roundTo(counted.length === 0 ? 0 : below.length / counted.length, 4),
    weight: roundTo(weightOf(densityOf(read), wordCount), 4),
    quotes,
  };
}
