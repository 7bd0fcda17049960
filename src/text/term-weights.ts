import { z } from 'zod';
import { signedBytes, wholeNumbers } from './number-lists.ts';

/** How a text is cut into words. */
const termReading = z.object({
  /** Words are cut to so many letters, so that the forms of a word are one; whole words where it is left out. */
  letters: z.int().min(1).optional(),
  /** Punctuation marks count as words, and so do words of one letter. */
  marks: z.boolean().optional(),
});

/** How a text is cut into words. */
export type TermReading = z.infer<typeof termReading>;

/** Weights of words and of pairs of neighbouring words, as they stand in a model file. */
export const termWeights = z.object({
  /** How its texts are cut into words. */
  reading: termReading.optional(),
  /** Words, and pairs with a space between them. */
  terms: z.array(z.string()),
  /** How telling each term is by its rarity among the texts of training (inverse document frequency), in hundredths. */
  rarity: wholeNumbers({ least: 0 }),
  outputs: z.array(
    z.object({
      code: z.string(),
      bias: z.number(),
      /** What one step of a weight is worth. */
      scale: z.number(),
      weights: signedBytes(),
    }),
  ),
});

/** Weights of words and of pairs of neighbouring words, as they stand in a model file. */
export type TermWeights = z.infer<typeof termWeights>;

const WORDS = /[\p{L}\p{N}_]{2,}/gu;
/** Words of any length, and the marks that writers of either language type; no emoji, which anybody can strew. */
const WORDS_AND_MARKS = /[\p{L}\p{N}_]+|[.,;:!?…"'„”“’‘«»()[\]%&/*#@$€+=<>|–—-]/gu;

/** Words and pairs of a text with how often each stands there; letters without accents, each run of digits as 0. */
export function termCounts(
  text: string,
  { letters = Number.POSITIVE_INFINITY, marks = false }: TermReading = {},
): Map<string, number> {
  const folded = text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase().replace(/\d+/gu, '0');
  const words = (folded.match(marks ? WORDS_AND_MARKS : WORDS) ?? []).map((word) => word.slice(0, letters));
  const counts = new Map<string, number>();
  const add = (term: string) => counts.set(term, (counts.get(term) ?? 0) + 1);
  words.forEach((word, at) => {
    add(word);
    const next = words[at + 1];
    if (next !== undefined) add(`${word} ${next}`);
  });
  return counts;
}

/** A linear model over the terms of a text, each worth its frequency there times its rarity elsewhere (TF-IDF). */
export class TfIdfModel {
  private readonly places: ReadonlyMap<string, number>;
  private readonly model: TermWeights;

  constructor(model: TermWeights) {
    this.model = model;
    this.places = new Map(model.terms.map((term, at) => [term, at]));
  }

  /** The known terms of a text: place and value, (1 + ln count) times the rarity, scaled so that the squares add up to 1. */
  valuesOf(text: string): { readonly place: number; readonly value: number }[] {
    const known = [...termCounts(text, this.model.reading)].flatMap(([term, count]) => {
      const place = this.places.get(term);
      if (place === undefined) return [];
      return [{ place, value: ((1 + Math.log(count)) * (this.model.rarity[place] ?? 0)) / 100 }];
    });
    const length = Math.sqrt(known.reduce((sum, { value }) => sum + value * value, 0));
    return length === 0 ? [] : known.map(({ place, value }) => ({ place, value: value / length }));
  }

  /** Score of each output for a text, by code: log-odds before any calibration. */
  scores(text: string): Map<string, number> {
    const values = this.valuesOf(text);
    return new Map(
      this.model.outputs.map(({ code, bias, scale, weights }) => [
        code,
        bias + scale * values.reduce((sum, { place, value }) => sum + value * (weights[place] ?? 0), 0),
      ]),
    );
  }

  /**
   * What each sentence of a text adds to the score of its only output, so that their mean is the score of the text: a term that
   * stands in several sentences is shared among them.
   */
  parts(sentences: readonly string[]): number[] {
    const output = this.model.outputs[0];
    if (output === undefined) return sentences.map(() => 0);
    const bySentence = sentences.map((sentence) =>
      [...termCounts(sentence, this.model.reading)].flatMap(([term, count]) => {
        const place = this.places.get(term);
        return place === undefined ? [] : [{ place, count }];
      }),
    );
    const totals = new Map<number, number>();
    for (const { place, count } of bySentence.flat()) totals.set(place, (totals.get(place) ?? 0) + count);
    const worthOf = (place: number, total: number) =>
      ((1 + Math.log(total)) * (this.model.rarity[place] ?? 0)) / 100;
    const squares = [...totals].reduce((sum, [place, total]) => sum + worthOf(place, total) ** 2, 0);
    const factor = squares === 0 ? 0 : (output.scale * sentences.length) / Math.sqrt(squares);
    return bySentence.map((terms) =>
      terms.reduce((sum, { place, count }) => {
        const total = totals.get(place) ?? 1;
        return sum + ((factor * count) / total) * worthOf(place, total) * (output.weights[place] ?? 0);
      }, output.bias),
    );
  }
}
