import { z } from 'zod';
import { DIMENSIONS } from '../../../../text/encoder/layers.ts';
import { signedBytes } from '../../../../text/number-lists.ts';
import type { VectorLanguage } from './model.ts';

/** A direction of signed bytes, and what it adds in each language. */
export const direction = z.object({
  code: z.string(),
  /** The value of one step of a signed byte. */
  scale: z.number(),
  en: z.number(),
  ro: z.number(),
  direction: signedBytes(),
});

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
  for (const vector of vectors)
    for (let at = 0; at < DIMENSIONS; at += 1)
      all[at] = (all[at] as number) + (vector[at] as number) / vectors.length;
  for (let at = 0; at < DIMENSIONS; at += 1) {
    all[DIMENSIONS + at] = ENDS * (first?.[at] ?? 0);
    all[2 * DIMENSIONS + at] = ENDS * (last?.[at] ?? 0);
  }
  return all;
}

/** Score of a vector along a learned direction. */
export function projectOnDirection(
  { scale, direction: bytes, ...biases }: z.infer<typeof direction>,
  vector: ArrayLike<number>,
  language: VectorLanguage,
): number {
  let sum = 0;
  for (let at = 0; at < bytes.length; at += 1) sum += (bytes[at] as number) * (vector[at] as number);
  return scale * sum + biases[language];
}
