import { saveLinear } from '../../src/text/linear.ts';
import type { ClassifierParameters } from '../../src/text/text-classifier.ts';
import type { FittedParts, Mix } from './fitting.ts';
import type { TextPlan } from './plans.ts';

/** A number with four digits that count. */
export const short = (value: number) => Number(value.toPrecision(4));

/** The model file of a text classifier. */
export function classifierBytes(
  plan: Pick<TextPlan, 'name' | 'edition' | 'labels' | 'link' | 'bits' | 'characters' | 'ratios'>,
  { words, vector }: FittedParts,
  { both, alone, thresholds }: { both: Mix; alone: Mix; thresholds: Record<string, number> },
): Uint8Array {
  const width = vector.weights.length / plan.labels.length;
  const parameters: ClassifierParameters = {
    vector: {
      weights: plan.labels.map((_, label) =>
        [...vector.weights.subarray(label * width, (label + 1) * width)].map(short),
      ),
      bias: [...vector.bias].map(short),
    },
    both,
    alone,
    characters: plan.characters ?? 'across words',
  };
  return saveLinear(
    {
      name: `limpede-${plan.name}-${plan.edition ?? 1}`,
      version: `${plan.edition ?? 1}.0.0`,
      labels: [...plan.labels],
      bits: plan.bits,
      // Ratios make few weights large, beside which equal steps would lose the small ones.
      quantisation: plan.ratios === undefined ? 'int8' : 'int8 squares',
      scales: [],
      bias: [...words.bias],
      calibration:
        plan.link === 'softmax'
          ? { link: 'softmax', temperature: 1 }
          : { link: 'logistic', slope: plan.labels.map(() => 1), intercept: plan.labels.map(() => 0) },
      thresholds,
      parameters,
    },
    words.weights,
  );
}
