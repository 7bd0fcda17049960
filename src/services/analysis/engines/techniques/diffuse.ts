import { z } from 'zod';
import shipped from '../../../../../models/diffuse-evidence-weights.json' with { type: 'json' };
import { roundTo } from '../../../../foundation/numbers.ts';
import { dotProduct } from '../../../../text/dot-product.ts';
import { DIMENSIONS } from '../../../../text/encoder/layers.ts';
import { sigmoid } from '../../../../text/logistic.ts';
import { vectorWeights } from '../../../../text/number-lists.ts';
import type { PlainText } from '../../../../text/plain/plain-text.ts';
import type { Span } from '../../../../text/positions.ts';
import { withoutSpeakers } from '../../../../text/speaker-labels.ts';
import { isReadForWhole, sentenceAt, type TextEncoding, vectorAt } from '../encoding/text-encoding.ts';
import { ANY_FAMILY, vectorEvidence } from '../narratives/model.ts';
import type { Candidate } from './candidates.ts';
import { textKernelLogOdds } from './text-kernel.ts';
import { neighbourLogOdds } from './text-neighbours.ts';
import type { Token, TokenRange } from './tokens.ts';
import {
  findingsFactor,
  partsOfText,
  pressingLogOdds,
  type SentenceSigns,
  type WholeTextLanguage,
  wholeTextLogOdds,
  wholeTextWeight,
  withPart,
  wordsBySentence,
} from './whole-text.ts';

/** What lies below the list of findings, sentence by sentence (limpede-diffuse-1). */
export interface DiffuseEvidence {
  /** Share of the sentences that were read whose probability lies above the floor, 0 to 1. */
  readonly sentences: number;
  /** d of the formula of manipulation_score, 0 or more: that of the sentences and that of the text as a whole. */
  readonly weight: number;
  /** The strongest of them, at most three, the strongest first. */
  readonly quotes: (Span & { probability: number })[];
}

const direction = vectorWeights(DIMENSIONS);

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
  vector: direction,
  /** Romanian is read by the encoder alone. */
  romanian: z.object({ bias: z.number(), vector: direction }),
});
const model = modelSchema.parse(shipped);

/** Log-odds that a sentence belongs to a one-sided text; `words` are its log-odds by words, undefined in Romanian. */
function sentenceLogOdds(vector: Float32Array, words: number | undefined): number {
  const head = words === undefined ? model.romanian : model;
  return head.bias + model.words * (words ?? 0) + dotProduct(head.vector, vector);
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
  return asWeight(model.strength * density, wordCount);
}

/** What makes the exponent of the score's formula so much larger, whatever the length of the text. */
const asWeight = (exponent: number, wordCount: number) =>
  (exponent * Math.sqrt(Math.max(1, wordCount / 250))) / STEEPNESS;

/** Chance that at least one of two signs is right. */
const either = (one: number, two: number) => 1 - (1 - one) * (1 - two);

const MOST_QUOTES = 3;

/** A text with its findings, as diffuse evidence reads it. */
export interface DiffuseReading {
  readonly plain: Pick<PlainText, 'span' | 'text'>;
  readonly tokens: readonly Token[];
  readonly sentences: readonly TokenRange[];
  readonly encoding: TextEncoding;
  /** Log-odds of any technique by the words of each sentence; undefined in Romanian. */
  readonly words: Float64Array | undefined;
  readonly listed: readonly Candidate[];
  /** 1 where the token lies between quotation marks: such a sentence is somebody else's. */
  readonly quoted: Uint8Array;
  /** For each sentence the chance that it tells a known narrative in the text's own voice. */
  readonly narratives: readonly number[];
  readonly language: WholeTextLanguage;
  /** From 0 to 1: how far signs count in a text of this subject. */
  readonly factor: number;
  readonly wordCount: number;
}

/** A sentence in the text's own voice that is long enough to be read. */
interface ReadSentence extends WeighedSentence {
  readonly range: TokenRange;
  /** Without the name of who speaks. */
  readonly text: string;
  readonly signs: SentenceSigns;
  readonly vector: Float32Array;
  /** By the layer that reads whole texts; NaN where it did not. */
  readonly whole: number;
  /** By the kept sentences that are nearest to it; NaN where they were not asked. */
  readonly neighbours: number;
  /** Most of it stands between quotation marks. */
  readonly spoken: boolean;
}

const textOf = ({ from, to }: TokenRange, { plain, tokens }: Pick<DiffuseReading, 'plain' | 'tokens'>) =>
  plain.text.slice(tokens[from]?.start ?? 0, tokens[to - 1]?.end ?? 0);

/** From so many words between quotation marks on, as a share, a narrative is the speaker's. */
const QUOTED_SHARE = 0.3;
function sentencesRead(reading: DiffuseReading): ReadSentence[] {
  const { tokens, sentences, encoding, words, listed, quoted, narratives, language } = reading;
  const named = new Set(listed.map(({ sentence }) => sentence));
  const texts = withoutSpeakers(sentences.map((range) => textOf(range, reading)));
  const read = sentences.flatMap((range, index) => {
    const vector = vectorAt(encoding, tokens[range.from]?.start ?? 0);
    const own = tokens.slice(range.from, range.to);
    const count = own.filter(({ kind }) => kind !== 'mark').length;
    if (vector === undefined || count < model.least_words) return [];
    const inQuotes = own.filter((_, at) => quoted[range.from + at] === 1).length / own.length;
    const signs = {
      slant: sentenceLogOdds(vector, words?.[index]),
      pressing: pressingLogOdds(vector),
      telling: vectorEvidence(ANY_FAMILY, vector, language),
      narrative: inQuotes > QUOTED_SHARE ? 0 : (narratives[index] ?? 0),
      words: 0,
    };
    const whole = encoding.whole?.[sentenceAt(encoding, tokens[range.from]?.start ?? 0) ?? -1] ?? Number.NaN;
    const sentence = { range, text: texts[index] ?? '', vector, words: count, listed: named.has(index) };
    const isAsked = isReadForWhole(index, sentences.length);
    const neighbours = isAsked ? neighbourLogOdds(vector, language) : Number.NaN;
    return [{ ...sentence, signs, whole, neighbours, spoken: inQuotes > 0.5 }];
  });
  const own = read.filter(({ spoken }) => !spoken);
  const scores = wordsBySentence(own.map(({ text }) => text));
  const byWords = new Map(scores.map((score, at) => [own[at]?.range, score]));
  // One sentence that tells a narrative may be chance: the likeliest is left out.
  const likeliest = Math.max(0, ...read.map(({ signs }) => signs.narrative));
  const place = read.findIndex(({ signs }) => signs.narrative === likeliest);
  return read.map((sentence, index): ReadSentence => {
    const signs = {
      ...sentence.signs,
      narrative: index === place ? 0 : sentence.signs.narrative,
      words: byWords.get(sentence.range) ?? 0,
    };
    return {
      ...sentence,
      signs,
      chance: sentence.spoken ? 0 : either(sigmoid(sentence.signs.slant), signs.narrative),
    };
  });
}

/** What the trained stages say of a sentence, and the vector and the words that they read. */
export interface SignsWithVector extends SentenceSigns {
  readonly vector: Float32Array;
  /** By the layer that reads whole texts; NaN where it did not. */
  readonly whole: number;
  readonly text: string;
}

/** What the trained stages say of each sentence in the text's own voice. */
export function signsOf(reading: DiffuseReading): SignsWithVector[] {
  return sentencesRead(reading)
    .filter(({ spoken }) => !spoken)
    .map(({ signs, vector, whole, text }) => ({ ...signs, vector, whole, text }));
}

/** What a text says below its list, and how much it lets the list count. */
export interface WholeReading {
  readonly evidence: DiffuseEvidence;
  /** What the findings of the list count is multiplied by this, 0 to 1: less where the text as a whole reads calm. */
  readonly findingsFactor: number;
}

const known = (list: readonly number[]) => list.filter((logOdds) => !Number.isNaN(logOdds));

type OwnSentence = Pick<ReadSentence, 'signs' | 'vector' | 'whole' | 'neighbours'>;

/** Log-odds that a text presses its reader, by its sentences in its own voice, the layer for whole texts and the nearest kept sentences; `kernel` is what their mean vector says. */
function sentencesLogOdds(
  sentences: readonly OwnSentence[],
  language: WholeTextLanguage,
  kernel: number,
): number {
  return wholeTextLogOdds(
    sentences.map(({ signs }) => signs),
    language,
    {
      kernel,
      layer: known(sentences.map(({ whole }) => whole)),
      neighbours: known(sentences.map(({ neighbours }) => neighbours)),
    },
  );
}

const kernelOf = (sentences: readonly OwnSentence[], language: WholeTextLanguage) =>
  textKernelLogOdds(
    sentences.map(({ vector }) => vector),
    language,
  );

/** The part of a long text that presses most by all but its mean vector, which costs most to read; undefined in a short text. */
function mostPressingPart(
  sentences: readonly ReadSentence[],
  reading: DiffuseReading,
): readonly OwnSentence[] | undefined {
  let found: { part: readonly OwnSentence[]; logOdds: number } | undefined;
  for (const { from, to } of partsOfText(sentences.length)) {
    const own = sentences.slice(from, to);
    // What words say depends on the part that they stand in.
    const words = wordsBySentence(own.map(({ text }) => text));
    const part = own.map((one, at) => ({ ...one, signs: { ...one.signs, words: words[at] ?? 0 } }));
    const logOdds = sentencesLogOdds(part, reading.language, 0);
    if (found === undefined || logOdds > found.logOdds) found = { part, logOdds };
  }
  return found?.part;
}

/** Log-odds of a text as a whole, which may press its reader in one part alone. */
function wholeLogOdds(sentences: readonly ReadSentence[], reading: DiffuseReading): number {
  const { language } = reading;
  const together = sentencesLogOdds(sentences, language, kernelOf(sentences, language));
  const part = mostPressingPart(sentences, reading);
  const partly = part && sentencesLogOdds(part, language, kernelOf(part, language));
  return withPart(together, partly, sentences.length);
}

/** The diffuse evidence of a text. */
export function diffuseEvidence(reading: DiffuseReading): WholeReading {
  const { plain, tokens, wordCount, factor } = reading;
  const read = sentencesRead(reading);
  const below = read.filter(({ chance, listed }) => !listed && chance > model.floor);
  const own = read.filter(({ spoken }) => !spoken);
  const logOdds = own.length === 0 ? 0 : wholeLogOdds(own, reading);
  const whole = factor * wholeTextWeight(logOdds, own.length);
  const weight = weightOf(densityOf(read), wordCount) + asWeight(whole, wordCount);
  // Where the text as a whole tells more than any of its sentences, those that tell most are shown.
  const shown =
    below.length > 0 || whole === 0 ? below : read.filter(({ listed, spoken }) => !listed && !spoken);
  const quotes = shown
    .toSorted((one, two) => two.chance - one.chance || one.range.from - two.range.from)
    .slice(0, MOST_QUOTES)
    .map(({ range, chance }) => ({
      ...plain.span(tokens[range.from]?.start ?? 0, tokens[range.to - 1]?.end ?? 0),
      probability: roundTo(chance, 4),
    }));
  return {
    evidence: {
      sentences: roundTo(read.length === 0 ? 0 : below.length / read.length, 4),
      weight: roundTo(weight, 4),
      quotes,
    },
    findingsFactor: findingsFactor(logOdds, own.length),
  };
}
