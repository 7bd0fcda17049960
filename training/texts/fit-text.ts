import { hashText } from '../../src/text/features.ts';
import {
  bestThresholds,
  type FittedParts,
  fitMix,
  fitParts,
  type Mix,
  mixedShares,
  partScores,
  type TextExample,
} from './fitting.ts';
import type { TextPlan } from './plans.ts';

/** How the parts of a classifier are mixed, with a vector and without one, and from when on a label holds. */
export interface FittedText {
  readonly both: Mix;
  readonly alone: Mix;
  readonly thresholds: Record<string, number>;
}

/** One group in six, on which the parts are mixed: rows of one claim would flatter them. */
const TUNED = 6;
const isTuned = ({ group }: TextExample) => (hashText(group, TUNED) >>> 5) % TUNED === 0;

/** Fits how the parts are mixed, on rows that they did not see. */
export function fitText(plan: TextPlan, examples: readonly TextExample[]): FittedText {
  const tuning = examples.filter(isTuned);
  const parts = fitParts(
    plan,
    examples.filter((example) => !isTuned(example)),
  );
  const scored = tuning.map((example) => partScores(plan, parts, example));
  const both = fitMix(plan, scored, tuning, true);
  const alone = fitMix(plan, scored, tuning, false);
  const shares = scored.map((scores) => mixedShares(plan, both, scores));
  return { both, alone, thresholds: bestThresholds(plan, shares, tuning) };
}

/** Fits a classifier as it is shipped: the mix on a part of the rows, the parts then on all of them. */
export function fitWhole(
  plan: TextPlan,
  examples: readonly TextExample[],
): FittedText & { readonly parts: FittedParts } {
  return { ...fitText(plan, examples), parts: fitParts(plan, examples) };
}
