import { meanDirection } from '../../../../text/gaussian-kernel.ts';
import { loadTextClassifier, type TextClassifier } from '../../../../text/text-classifier.ts';
import { knownLanguage, type TextEncoding, vectorsOf } from '../encoding/text-encoding.ts';
import type { ParsedText } from './parsed-text.ts';

/** What a text may be about and of which kind it may be: the chance of each topic and of each genre, 0 to 1, which add up to 1. */
export interface Subject {
  readonly topics: Readonly<Record<string, number>>;
  readonly genres: Readonly<Record<string, number>>;
}

/** Bytes of models/topic.bin and models/genre.bin. */
interface SubjectWeights {
  readonly topic: () => Uint8Array;
  readonly genre: () => Uint8Array;
}

/** A text of fewer words has too little of a subject. */
const LEAST_WORDS = 8;

/**
 * Both models are surer of long texts than right, as most texts that taught them are short: chances are raised to `power` from `full` words
 * on, by part of it from `from` words on. Chosen on texts that were left out (models/subjects.md).
 */
const LONG = { from: 200, full: 400, power: 0.8 } as const;

/** Chances of a text of so many words, which add up to 1, as they come true. */
export function temperedShares(
  shares: Readonly<Record<string, number>>,
  words: number,
): Readonly<Record<string, number>> {
  const part = Math.min(1, Math.max(0, (words - LONG.from) / (LONG.full - LONG.from)));
  if (part === 0) return shares;
  const raised = Object.entries(shares).map(
    ([code, chance]) => [code, chance ** (1 - part * (1 - LONG.power))] as const,
  );
  const sum = raised.reduce((total, [, chance]) => total + chance, 0);
  return Object.fromEntries(raised.map(([code, chance]) => [code, chance / sum]));
}

/** Reads what texts are about; the models are loaded when a text first needs them. Null where they cannot judge: another language, too few words. */
export function createSubjectReader(weights: SubjectWeights): (parsed: ParsedText) => Subject | null {
  let models: { readonly topic: TextClassifier; readonly genre: TextClassifier } | undefined;
  return ({ input, words }) => {
    const { text } = input;
    if (knownLanguage(input.language) === undefined || words.length < LEAST_WORDS) return null;
    models ??= { topic: loadTextClassifier(weights.topic()), genre: loadTextClassifier(weights.genre()) };
    const vector = input.encoding === undefined ? undefined : directionOf(input.encoding);
    return {
      topics: temperedShares(models.topic.classify(text, vector).shares, words.length),
      genres: temperedShares(models.genre.classify(text, vector).shares, words.length),
    };
  };
}

/** The direction of a text: the mean of the vectors of its sentences, of length 1; undefined where none was read. */
export function directionOf(encoding: TextEncoding): Float32Array | undefined {
  const vectors = vectorsOf(encoding);
  return vectors.length === 0 ? undefined : Float32Array.from(meanDirection(vectors));
}
