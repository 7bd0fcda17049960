/** Whether a sentence asserts any narrative at all, by its vector: its topic alone must not count as assertion. */
import { DIMENSIONS } from '../../src/text/encoder/layers.ts';
import { type DenseModel, denseScore, trainDenseModel } from '../diffuse/dense.ts';
import type { Example } from './discriminant.ts';

/** An example; `near` is calm on the topic of a family. */
export interface TellingExample extends Example {
  readonly near: boolean;
  /** Calm in a register of its own, such as a recipe or a leaflet. */
  readonly register: boolean;
}

/** How often examples are seen: those that tell are few, and calm ones on their topics are fewer still. */
const TIMES = { told: 3, near: 12, register: 4, calm: 1 } as const;

/** Trains on all examples but those of one fold. */
export function trainTelling(
  examples: readonly TellingExample[],
  means: readonly Float64Array[],
  without?: number,
): DenseModel {
  const seen = examples
    .filter(({ fold }) => fold !== without)
    .flatMap((one) => {
      const calm = one.near ? TIMES.near : one.register ? TIMES.register : TIMES.calm;
      const times = one.family >= 0 ? TIMES.told : calm;
      return new Array<TellingExample>(times).fill(one);
    });
  return trainDenseModel({
    count: seen.length,
    width: DIMENSIONS,
    row: (index, out) => {
      const one = seen[index];
      if (one !== undefined) out.set(centred(one, means));
    },
    targets: seen.map(({ family }) => [family >= 0 ? 1 : 0]),
    outputs: 1,
    link: 'logistic',
    epochs: 8,
    rate: 0.02,
    decay: 0.01,
  });
}

/** The vector less the mean of its language. */
function centred({ vector, language }: Pick<Example, 'vector' | 'language'>, means: readonly Float64Array[]) {
  const mean = means[language];
  return vector.map((value, at) => value - (mean?.[at] ?? 0));
}

/** Score of a sentence to tell any narrative. */
export function tellingScore(
  model: DenseModel,
  means: readonly Float64Array[],
  example: Pick<Example, 'vector' | 'language'>,
): number {
  return denseScore(model, 0, centred(example, means));
}
