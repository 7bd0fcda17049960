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

/** Groups are parted by six, so that rows of one claim, which would flatter the mix, stand together. */
const PARTS = 6;
const partOf = ({ group }: TextExample) => (hashText(group, PARTS) >>> 5) % PARTS;

/** The examples of a part, and what parts that were fitted without them say. */
function unseenScores(plan: TextPlan, examples: readonly TextExample[], part: number) {
  const fitted = fitParts(
    plan,
    examples.filter((example) => partOf(example) !== part),
  );
  return examples
    .filter((example) => partOf(example) === part)
    .map((example) => ({ example, scores: partScores(plan, fitted, example) }));
}

/** Fits how the parts are mixed, on rows that they did not see: those of the first part, or of all where the plan says so. */
export function fitText(plan: TextPlan, examples: readonly TextExample[]): FittedText {
  const parts = plan.isMixedOverFolds === true ? PARTS : 1;
  const unseen = Array.from({ length: parts }, (_, part) => unseenScores(plan, examples, part)).flat();
  const [tuning, scored] = [unseen.map(({ example }) => example), unseen.map(({ scores }) => scores)];
  const both = fitMix(plan, scored, tuning, true);
  const alone = fitMix(plan, scored, tuning, false);
  const shares = scored.map((scores) => mixedShares(plan, both, scores));
  return { both, alone, thresholds: bestThresholds(plan, shares, tuning) };
}

/** Fits a classifier as it is shipped: the mix on rows that the parts did not see, the parts then on all of them. */
export function fitWhole(
  plan: TextPlan,
  examples: readonly TextExample[],
): FittedText & { readonly parts: FittedParts } {
  return { ...fitText(plan, examples), parts: fitParts(plan, examples) };
}
