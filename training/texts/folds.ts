import { hashText } from '../../src/text/features.ts';
import { choiceFigures, type Figure, type Labelled, yesNoFigures } from '../evaluate/figures.ts';
import { shuffled } from '../rows.ts';
import { fitWhole } from './fit-text.ts';
import { type Mix, mixedShares, partScores, type TextExample } from './fitting.ts';
import type { TextPlan } from './plans.ts';

const FOLDS = 5;
/** Rows of one text stand in one fold. */
const foldOf = ({ group }: TextExample) => (hashText(group.toLowerCase(), 11) >>> 9) % FOLDS;
/** Labels of a plan that have figures of their own, one against all others. */
const SINGLED_OUT = new Set(['conspiracy theory']);

interface Judged {
  readonly truth: string;
  readonly group: string;
  readonly both: Float64Array;
  readonly alone: Float64Array;
}

/** Each row judged by a classifier that was made, from the first step to the last, without the fold in which it stands. */
export function judgedByFolds(plan: TextPlan, examples: readonly TextExample[]): Judged[] {
  return Array.from({ length: FOLDS }, (_, fold) => fold).flatMap((fold) => {
    const seen = examples.filter((example) => foldOf(example) !== fold);
    const { parts, both, alone } = fitWhole(plan, shuffled(seen, 9));
    const judge = (example: TextExample, mix: Mix) =>
      mixedShares(plan, mix, partScores(plan, parts, example));
    return examples
      .filter((example) => foldOf(example) === fold)
      .map((example) => ({
        truth: plan.labels[example.targets.indexOf(1)] ?? '',
        group: example.group,
        both: judge(example, both),
        alone: judge(example, alone),
      }));
  });
}

function labelledBy({ labels }: TextPlan, { truth, group }: Judged, shares: Float64Array): Labelled {
  const confidence = Math.max(...shares);
  return { truth, group, confidence, said: labels[shares.indexOf(confidence)] ?? '' };
}

/** The figures of a choice between labels over folds, with the vector and by words alone. */
export function foldFigures(plan: TextPlan, examples: readonly TextExample[]): Figure[] {
  const judged = judgedByFolds(plan, examples);
  return (['both', 'alone'] as const).flatMap((which) => {
    const part = `${plan.language}${which === 'both' ? '' : ', words alone'}`;
    const single = plan.labels.flatMap((label, index) => {
      if (!SINGLED_OUT.has(label)) return [];
      const rows = judged.map((row) => ({
        score: row[which][index] ?? 0,
        truth: row.truth === label,
        group: row.group,
      }));
      return yesNoFigures(`${part}, ${label}`, rows, 0.5);
    });
    const rows = judged.map((row) => labelledBy(plan, row, row[which]));
    return [...single, ...choiceFigures(part, rows)];
  });
}
