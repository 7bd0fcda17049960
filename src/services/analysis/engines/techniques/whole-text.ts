import { z } from 'zod';
import shipped from '../../../../../models/whole-text.json' with { type: 'json' };

/** What the trained stages say of a sentence in the text's own voice, in log-odds, and the chance that it tells a known narrative. */
export interface SentenceSigns {
  /** Of a one-sided text, by the diffuse evidence. */
  readonly slant: number;
  /** Of telling a narrative of disinformation, whichever, by its vector. */
  readonly telling: number;
  /** 0 to 1. */
  readonly told: number;
}

const weightsSchema = z.object({
  slant: z.number(),
  telling: z.number(),
  told: z.number(),
  bias: z.number(),
});

const model = z
  .object({
    /** Log-odds beyond these say no more. */
    most: z.object({ slant: z.number(), telling: z.number() }),
    /** An ordinary sentence, counted so many times: a short text says little about itself. */
    ordinary: z.object({ slant: z.number(), telling: z.number(), times: z.number() }),
    /** Share of the calmest sentences that is left out: no phrase that anybody can add calms a text. */
    calmest: z.number(),
    /** Log-odds up to `floor` weigh nothing; what exceeds them counts by `strength`, up to `most_weight`. */
    floor: z.number(),
    strength: z.number(),
    most_weight: z.number(),
    en: weightsSchema,
    ro: weightsSchema,
  })
  .parse(shipped);

/** Languages in which whole texts are read. */
export type WholeTextLanguage = 'en' | 'ro';

const within = (value: number, most: number) => Math.max(-most, Math.min(most, value));

/** Score of one sentence: what it adds to the log-odds of its text. */
export function sentenceScore(
  signs: SentenceSigns,
  { slant, telling, told, bias }: z.infer<typeof weightsSchema>,
): number {
  return (
    slant * within(signs.slant, model.most.slant) +
    telling * within(signs.telling, model.most.telling) +
    told * signs.told +
    bias
  );
}

/** Sentences from which the loudest and the calmest are left out. */
const LEAST_TRIMMED = 3;

/**
 * Log-odds that a text as a whole presses its reader: the mean score of its sentences and of a few ordinary ones, without the
 * calmest quarter and the loudest one, so that no single sentence, added by whom it may be, decides.
 */
export function wholeTextLogOdds(sentences: readonly SentenceSigns[], language: WholeTextLanguage): number {
  const weights = model[language];
  const { times, ...ordinary } = model.ordinary;
  const scores = sentences.map((signs) => sentenceScore(signs, weights)).sort((one, two) => one - two);
  const kept =
    scores.length < LEAST_TRIMMED ? scores : scores.slice(Math.ceil(model.calmest * scores.length), -1);
  const usual = sentenceScore({ ...ordinary, told: 0 }, weights);
  return (kept.reduce((sum, score) => sum + score, 0) + times * usual) / (kept.length + times);
}

/** What the log-odds add to the exponent of the score's formula. */
export function wholeTextWeight(logOdds: number): number {
  return Math.min(model.most_weight, model.strength * Math.max(0, logOdds - model.floor));
}
