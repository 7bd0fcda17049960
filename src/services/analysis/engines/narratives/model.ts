import { z } from 'zod';
import weights from '../../../../../models/narratives.json' with { type: 'json' };
import shippedVectors from '../../../../../models/narratives-vectors.json' with { type: 'json' };
import { dotProduct } from '../../../../text/dot-product.ts';
import { DIMENSIONS } from '../../../../text/encoder/layers.ts';
import { sigmoid } from '../../../../text/logistic.ts';
import { signedBytes } from '../../../../text/number-lists.ts';
import type { FrameHit } from './frames.ts';

/** Families as the weights know them; training/narratives.ts writes both files. */
const families: Readonly<Record<string, number>> = weights.families;

const directionSchema = z.object({
  code: z.string(),
  /** The value of one step of a signed byte of the direction. */
  scale: z.number(),
  /** Log-odds that the language adds. */
  en: z.number(),
  ro: z.number(),
  direction: signedBytes(DIMENSIONS),
});

const directions = new Map(
  z
    .object({ directions: z.array(directionSchema) })
    .parse(shippedVectors)
    .directions.map(({ code, direction, ...rest }) => [
      code,
      { ...rest, direction: Float32Array.from(direction) },
    ]),
);

/** Languages whose sentences have vectors. */
export type VectorLanguage = 'en' | 'ro';

/** Name of the direction that all families share: whether a sentence asserts any narrative. */
export const ANY_FAMILY = 'telling';

/** What a vector adds to the log-odds that a sentence asserts a family, or any. */
export function vectorEvidence(family: string, vector: Float32Array, language: VectorLanguage): number {
  const known = directions.get(family);
  if (known === undefined) return 0;
  return known.scale * dotProduct(known.direction, vector) + known[language];
}

/** Features of a sentence: the families whose words it holds, and the evidence of its vector for each; undefined without one. */
export interface SentenceEvidence {
  readonly hits: ReadonlyMap<number, FrameHit>;
  readonly vectors: readonly number[] | undefined;
}

/**
 * Probability, 0 to 1, that a sentence asserts each family: the log-odds of an ordinary sentence, how much more often the
 * family's words stand in its own sentences than in calm ones, and what its vector says. Words spread over neighbouring
 * sentences count in part. With a vector the families share one sentence: what lifts all of them alike lifts none.
 */
export function narrativeProbabilities(
  codes: readonly string[],
  { hits, vectors }: SentenceEvidence,
): number[] {
  const words = codes.map((code, family) => {
    const hit = hits.get(family);
    return hit === undefined ? 0 : weights[hit] * (families[code] ?? 0);
  });
  if (vectors === undefined) return words.map((value) => sigmoid(weights.bias + value));
  const odds = words.map((value, family) =>
    Math.exp(weights.bias_with_vectors + value + (vectors[family] ?? 0)),
  );
  const all = odds.reduce((sum, value) => sum + value, 1);
  return odds.map((value) => value / all);
}
