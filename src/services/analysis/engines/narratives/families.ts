import { z } from 'zod';
import shipped from '../../../../../models/narratives-families.json' with { type: 'json' };
import { DIMENSIONS } from '../../../../text/encoder/layers.ts';
import { signedBytes } from '../../../../text/number-lists.ts';
import { TfIdfModel, termWeights } from '../../../../text/term-weights.ts';
import { direction, type PassageText, passageVector, projectOnDirection } from './passage-vector.ts';

const familyWeights = z.object({
  /** Words and pairs: one output for what sets a telling passage apart from ordinary ones, one for each family. */
  words: termWeights,
  /** The same of mean, first and last vector. */
  ordinary: direction,
  /** The same of the mean vector, for each family. */
  families: z.array(direction.extend({ direction: signedBytes(DIMENSIONS) })),
  /** Log-odds that one of its sentences names the family by itself. */
  named: z.number(),
  /** Log-odds of no evidence at all. */
  offset: z.number(),
  /** Log-odds that each unit of the logarithm of the number of passages takes away: many passages are many chances. */
  passages: z.number(),
  /** A family is named from these log-odds on. */
  called: z.number(),
});

const weights = familyWeights.parse(shipped);
const words = new TfIdfModel(weights.words);

/** The likeliest family of a passage. */
export interface LikelyFamily {
  readonly code: string;
  /** Log-odds that the text asserts this family: no family at all is the other outcome. */
  readonly odds: number;
  /** Whether the odds suffice to name it. */
  readonly called: boolean;
}

/**
 * The likeliest family of a passage that asserts something. `named` are the families that its sentences name by themselves, `passages` how many
 * passages its text has. Where `onlyNamed` holds, only those are asked.
 */
export function familyOf(
  passage: PassageText,
  {
    named,
    passages,
    onlyNamed,
  }: { readonly named: ReadonlySet<string>; readonly passages: number; readonly onlyNamed: boolean },
): LikelyFamily | undefined {
  const vector = passageVector(passage);
  const wordScores = words.scores(passage.text);
  const base =
    weights.offset +
    (wordScores.get(weights.ordinary.code) ?? 0) +
    projectOnDirection(weights.ordinary, vector, passage.language) -
    weights.passages * Math.log(passages);
  const scored = weights.families
    .filter(({ code }) => !onlyNamed || named.has(code))
    .map((one) => {
      const own = (wordScores.get(one.code) ?? 0) + projectOnDirection(one, vector, passage.language);
      const odds = base + own + (named.has(one.code) ? weights.named : 0);
      return { code: one.code, odds, called: odds >= weights.called };
    });
  return scored.reduce<LikelyFamily | undefined>(
    (best, one) => (best === undefined || one.odds > best.odds ? one : best),
    undefined,
  );
}
