import { z } from 'zod';
import shipped from '../../../../../models/narratives-passages.json' with { type: 'json' };
import { sigmoid } from '../../../../text/logistic.ts';
import type { Sentence } from '../../../../text/sentences.ts';
import { TfIdfModel, termWeights } from '../../../../text/term-weights.ts';
import { type TextEncoding, vectorAt } from '../encoding/text-encoding.ts';
import { familyOf } from './families.ts';
import type { VectorLanguage } from './model.ts';
import { direction, type PassageText, passageVector, projectOnDirection } from './passage-vector.ts';

/** Weights of models/narratives-passages.json. */
export const passageWeights = z.object({
  /** Whether a passage asserts a narrative, rather than refuting it, reporting it or only sharing its words; of mean, first and last vector. */
  telling: z.object({ words: termWeights, vector: direction }),
  /** Below this score a passage asserts nothing, whatever its sentences say. */
  least: z.number(),
});

/** Weights of models/narratives-passages.json. */
export type PassageWeights = z.infer<typeof passageWeights>;

const weights = passageWeights.parse(shipped);

/** Reads passages by given weights. */
export class PassageScorer {
  private readonly model: PassageWeights;
  private readonly telling: TfIdfModel;

  constructor(model: PassageWeights) {
    this.model = model;
    this.telling = new TfIdfModel(model.telling.words);
  }

  /** Score that a passage asserts a narrative, whichever. */
  score(passage: PassageText): number {
    const words = this.telling.scores(passage.text).get(this.model.telling.vector.code) ?? 0;
    return words + projectOnDirection(this.model.telling.vector, passageVector(passage), passage.language);
  }
}

const scorer = new PassageScorer(weights);

/** Consecutive sentences of a text, with their score as a whole. */
export interface NarrativePassage {
  /** First sentence, and the one behind the last. */
  readonly from: number;
  readonly to: number;
  /** Whether it asserts a narrative whose family is likely enough to name it. */
  readonly tells: boolean;
  /** Probability, 0 to 1, that the text asserts this family. */
  readonly probability: number;
  /** The likeliest family; empty where the passage asserts none. */
  readonly family: string;
}

/** In fewer words only a family is looked for that a sentence names by itself. */
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

/** The passages of a text whose sentences have vectors, in reading order; `namedAt` gives the families that a sentence asserts by itself. Linear in its length. */
export function narrativePassages(
  sentences: readonly Sentence[],
  encoding: TextEncoding,
  language: VectorLanguage,
  namedAt: (sentence: number) => readonly string[] = () => [],
): NarrativePassage[] {
  const windows = passageWindows(sentences.length);
  return windows.flatMap(({ from, to }) => {
    const part = sentences.slice(from, to);
    const vectors = part.flatMap(({ start }) => vectorAt(encoding, start) ?? []);
    if (vectors.length === 0) return [];
    const passage = { text: part.map(({ text }) => text).join(' '), vectors, language };
    if (scorer.score(passage) < weights.least)
      return [{ from, to, tells: false, probability: 0, family: '' }];
    const named = new Set(part.flatMap((_, at) => namedAt(from + at)));
    const onlyNamed = (passage.text.match(/\p{L}+/gu) ?? []).length < LEAST_WORDS;
    const likely = familyOf(passage, { named, passages: windows.length, onlyNamed });
    return [
      {
        from,
        to,
        tells: likely?.called === true,
        probability: likely === undefined ? 0 : sigmoid(likely.odds),
        family: likely?.code ?? '',
      },
    ];
  });
}
