import { z } from 'zod';
import shipped from '../../../../../models/lures-weights.json' with { type: 'json' };
import { DIMENSIONS } from '../../../../text/encoder/layers.ts';
import { sigmoid } from '../../../../text/linear.ts';
import type { TextEncoding } from '../encoding/text-encoding.ts';

const directionSchema = z.object({
  /** A kind of data/scam/kinds.json, or none. */
  code: z.string(),
  /** What a signed byte of the direction is worth. */
  scale: z.number(),
  bias: z.number(),
  direction: z.array(z.int().min(-127).max(127)).length(DIMENSIONS),
});

/** The weights of models/lures-weights.json. */
export const lureWeights = z.object({
  version: z.string(),
  directions: z.array(directionSchema),
  /** Log-odds of a lure: bias + vector * (log-odds by the vector) + weights of the signs that stand in the text. */
  odds: z.object({ bias: z.number(), vector: z.number(), signs: z.record(z.string(), z.number()) }),
});

/** The weights of models/lures-weights.json. */
export type LureWeights = z.infer<typeof lureWeights>;

const weights = lureWeights.parse(shipped);

/** What the ordinary messages are called among the directions. */
export const NO_LURE = 'none';

/** The mean of the vectors of a text's sentences; undefined where nothing was read. */
export function meanVector({ vectors }: Pick<TextEncoding, 'vectors'>): Float32Array | undefined {
  const count = vectors.length / DIMENSIONS;
  if (count === 0) return undefined;
  const mean = new Float32Array(DIMENSIONS);
  for (let index = 0; index < vectors.length; index += 1) {
    const at = index % DIMENSIONS;
    mean[at] = (mean[at] as number) + (vectors[index] as number) / count;
  }
  return mean;
}

/** What the meaning of a message says. */
export interface LureMeaning {
  /** Score of each kind of lure, in log-odds against an ordinary message. */
  readonly kinds: ReadonlyMap<string, number>;
  /** Log-odds that it is any of them. */
  readonly logOdds: number;
}

/** Reads the meaning of a message. */
export function lureByMeaning(
  mean: Float32Array,
  directions: LureWeights['directions'] = weights.directions,
): LureMeaning {
  const scores = directions.map(({ code, scale, bias, direction }) => {
    let sum = 0;
    for (let at = 0; at < DIMENSIONS; at += 1) sum += (direction[at] as number) * (mean[at] as number);
    return { code, score: bias + scale * sum };
  });
  const none = scores.find(({ code }) => code === NO_LURE)?.score ?? 0;
  const kinds = new Map(
    scores.filter(({ code }) => code !== NO_LURE).map(({ code, score }) => [code, score - none]),
  );
  const together = [...kinds.values()].reduce((sum, score) => sum + Math.exp(score), 0);
  return { kinds, logOdds: Math.log(together) };
}

/** Probability, 0 to 1, that a message lures, by its meaning and by the signs of lures in its own voice. */
export function lureChance(
  logOdds: number,
  signs: ReadonlySet<string>,
  { bias, vector, signs: worth }: LureWeights['odds'] = weights.odds,
): number {
  const bySigns = [...signs].reduce((sum, sign) => sum + (worth[sign] ?? 0), 0);
  return sigmoid(bias + vector * logOdds + bySigns);
}
