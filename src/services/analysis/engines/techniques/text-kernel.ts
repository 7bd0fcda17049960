import { z } from 'zod';
import shipped from '../../../../../models/text-kernel.json' with { type: 'json' };
import { DIMENSIONS } from '../../../../text/encoder/layers.ts';
import { createGaussianKernel, gaussianKernel, meanDirection } from '../../../../text/gaussian-kernel.ts';

const centre = z.array(z.number()).length(DIMENSIONS);

/** Kernel logistic regression over mean vectors of texts: what a text says by its likeness to texts of training. */
export const textKernel = gaussianKernel.extend({
  bias: z.number(),
  /** Mean of the texts of each language, which is taken from a text. */
  centres: z.object({ en: centre, ro: centre }),
});

/** Kernel logistic regression over mean vectors of texts. */
export type TextKernel = z.infer<typeof textKernel>;

/** Log-odds that a text presses its reader, by the vectors of its sentences. */
export type TextKernelReader = (vectors: readonly Float32Array[], language: 'en' | 'ro') => number;

/** Makes a reader of weights. Throws where axes, landmarks and weights do not fit together. */
export function createTextKernelReader(model: TextKernel): TextKernelReader {
  const likeness = createGaussianKernel(model);
  return (vectors, language) => {
    const centre = model.centres[language];
    return model.bias + likeness(meanDirection(vectors).map((value, at) => value - (centre[at] as number)));
  };
}

/** The shipped weights. */
export const textKernelLogOdds = createTextKernelReader(textKernel.parse(shipped));
