import { z } from 'zod';
import shipped from '../../../../../models/narratives-passages.json' with { type: 'json' };
import { DIMENSIONS } from '../../../../text/encoder/layers.ts';
import { sigmoid } from '../../../../text/logistic.ts';
import type { Sentence } from '../../../../text/sentences.ts';
import { TermReader, termWeights } from '../../../../text/term-weights.ts';
import { type TextEncoding, vectorAt } from '../encoding/text-encoding.ts';
import type { VectorLanguage } from './model.ts';

const direction = z.object({
  code: z.string(),
  /** The value of one step of a signed byte. */
  scale: z.number(),
  en: z.number(),
  ro: z.number(),
  direction: z.array(z.int().min(-127).max(127)),
});

/** Weights of models/narratives-passages.json. */
export const passageWeights = z.object({
  /** Whether a passage asserts a narrative, rather than refuting it, reporting it or only sharing its words; of mean, first and last vector. */
  telling: z.object({ words: termWeights, vector: direction }),
  /** Which family it is; of the mean vector. */
  families: z.object({ words: termWeights, vectors: z.array(direction) }),
  /** Log-odds of telling: slope * score + offset. */
  slope: z.number(),
  offset: z.number(),
  /** From this score on a passage asserts a narrative; below `least` single sentences do not count either. */
  called: z.number(),
  least: z.number(),
});

/** Weights of models/narratives-passages.json. */
export type PassageWeights = z.infer<typeof passageWeights>;

const weights = passageWeights.parse(shipped);

/** Words and vectors of a few sentences that stand together. */
export interface PassageText {
  readonly text: string;
  readonly vectors: readonly Float32Array[];
  readonly language: VectorLanguage;
}

/** How much first and last sentence count beside the mean. */
const ENDS = 0.5;

/** Mean, first and last vector of a passage, one after the other. */
export function passageVector({ vectors }: Pick<PassageText, 'vectors'>): Float64Array {
  const all = new Float64Array(3 * DIMENSIONS);
  const [first, last] = [vectors[0], vectors.at(-1)];
  for (let at = 0; at < DIMENSIONS; at += 1) {
    all[at] = vectors.reduce((sum, vector) => sum + (vector[at] as number) / vectors.length, 0);
    all[DIMENSIONS + at] = ENDS * (first?.[at] ?? 0);
    all[2 * DIMENSIONS + at] = ENDS * (last?.[at] ?? 0);
  }
  return all;
}

/** Score of a vector along a learned direction. */
export function projectOnDirection(
  { scale, direction: bytes, ...biases }: PassageWeights['telling']['vector'],
  vector: ArrayLike<number>,
  language: VectorLanguage,
): number {
  let sum = 0;
  for (let at = 0; at < bytes.length; at += 1) sum += (bytes[at] as number) * (vector[at] as number);
  return scale * sum + biases[language];
}

/** Scores passages by given weights. */
export class PassageScorer {
  private readonly model: PassageWeights;
  private readonly telling: TermReader;
  private readonly families: TermReader;

  constructor(model: PassageWeights) {
    this.model = model;
    this.telling = new TermReader(model.telling.words);
    this.families = new TermReader(model.families.words);
  }

  /** Score that a passage asserts a narrative, whichever. */
  score(passage: PassageText): number {
    const words = this.telling.scores(passage.text).get(this.model.telling.vector.code) ?? 0;
    return words + projectOnDirection(this.model.telling.vector, passageVector(passage), passage.language);
  }

  /** The likeliest family of a passage. */
  family(passage: PassageText): string {
    const words = this.families.scores(passage.text);
    const vector = passageVector(passage);
    const scored = this.model.families.vectors.map((one) => ({
      code: one.code,
      score: (words.get(one.code) ?? 0) + projectOnDirection(one, vector, passage.language),
    }));
    return scored.reduce((one, two) => (two.score > one.score ? two : one)).code;
  }
}

const scorer = new PassageScorer(weights);

/** Consecutive sentences of a text, with their score as a whole. */
export interface NarrativePassage {
  /** First sentence, and the one behind the last. */
  readonly from: number;
  readonly to: number;
  /** Whether it is likely enough to assert a narrative to name one. */
  readonly tells: boolean;
  /** Whether it is likely enough for the narratives of its single sentences to count. */
  readonly believable: boolean;
  /** Probability, 0 to 1, that it asserts the narrative. */
  readonly probability: number;
  readonly family: string;
}

/** Least words of a passage; shorter ones are judged sentence by sentence. */
const LEAST_WORDS = 12;
/** A text of so many sentences is one passage; longer ones are read in windows that overlap by half. */
const ONE_PASSAGE = 6;
const WINDOW = 4;
const STEP = 2;

/** Where the passages of a text of so many sentences begin and end. */
export function passageWindows(count: number): { from: number; to: number }[] {
  if (count <= ONE_PASSAGE) return count === 0 ? [] : [{ from: 0, to: count }];
  const starts = Array.from({ length: Math.ceil((count - WINDOW) / STEP) + 1 }, (_, at) => at * STEP);
  return starts.map((from) => ({ from, to: Math.min(count, from + WINDOW) }));
}

/** The passages of a text whose sentences have vectors, in reading order. Linear in its length. */
export function narrativePassages(
  sentences: readonly Sentence[],
  encoding: TextEncoding,
  language: VectorLanguage,
): NarrativePassage[] {
  return passageWindows(sentences.length).flatMap(({ from, to }) => {
    const part = sentences.slice(from, to);
    const vectors = part.flatMap(({ start }) => vectorAt(encoding, start) ?? []);
    if (vectors.length === 0) return [];
    const passage = { text: part.map(({ text }) => text).join(' '), vectors, language };
    const score = scorer.score(passage);
    const long = (passage.text.match(/\p{L}+/gu) ?? []).length >= LEAST_WORDS;
    const tells = long && score >= weights.called;
    return [
      {
        from,
        to,
        tells,
        believable: score >= weights.least,
        probability: sigmoid(weights.slope * score + weights.offset),
        family: tells ? scorer.family(passage) : '',
      },
    ];
  });
}
