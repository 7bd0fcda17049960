/** Fits words and mean vectors of texts together: kernel logistic regression over the mean of two kernels. */
import type { TextKernel } from '../../src/services/analysis/engines/techniques/text-kernel.ts';
import { DIMENSIONS } from '../../src/text/encoder/layers.ts';
import { meanDirection } from '../../src/text/gaussian-kernel.ts';
import { type TermWeights, TfIdfModel } from '../../src/text/term-weights.ts';
import type { Language } from '../encoder/evaluation.ts';
import { fitKernelLogistic } from '../kernel-logistic.ts';
import {
  addGaussianKernel,
  addLinearKernel,
  gaussianKernelFile,
  landmarksOf,
  linearWeights,
  thinned,
} from '../text-kernels.ts';
import { asBytes, termsOf } from './fit.ts';

/** A text to learn from. */
export interface TextExample {
  readonly text: string;
  readonly lang: Language;
  readonly truth: boolean;
  readonly weight: number;
  /** Of its sentences. */
  readonly vectors: readonly Float32Array[];
}

/** Chosen by the hands that were left out. */
const AXES = 128;
const GAMMA = 2;
const PENALTY = 0.004;
const WORDS = { least: 4, reading: { letters: 5, marks: true } } as const;
/** As many landmarks say what all of them say: their log-odds correlate at 0.997. */
const THINNING = { count: 2500, gamma: GAMMA, ridge: 0.1 } as const;
/** What each kernel counts. */
const SHARES = { words: 0.8, vectors: 0.2 } as const;

/** The texts on their principal axes, as the product reads them. */
function compared(examples: readonly TextExample[]) {
  const means = examples.map(({ vectors }) => meanDirection(vectors));
  const centre = (lang: Language) => {
    const part = means.filter((_, at) => examples[at]?.lang === lang);
    return Array.from({ length: DIMENSIONS }, (_, at) =>
      Number((part.reduce((sum, mean) => sum + (mean[at] as number), 0) / part.length).toPrecision(5)),
    );
  };
  const centres = { en: centre('en'), ro: centre('ro') };
  const centred = means.map((mean, row) =>
    Float32Array.from(mean, (value, at) => value - (centres[examples[row]?.lang ?? 'en'][at] as number)),
  );
  return { centres, landmarks: landmarksOf(centred, AXES) };
}

/** Weights of words, without a bias, and of the kernel of mean vectors, which has it. */
export function fitTextKernel(examples: readonly TextExample[]): {
  readonly words: TermWeights;
  readonly kernel: TextKernel;
} {
  const space = termsOf(
    examples.map(({ text }) => text),
    WORDS,
  );
  const reader = new TfIdfModel({ ...space, outputs: [] });
  const texts = examples.map(({ text }) => reader.valuesOf(text));
  const { centres, landmarks } = compared(examples);
  const sums = examples.map(() => new Float32Array(examples.length));
  addGaussianKernel(sums, landmarks, { gamma: GAMMA, share: SHARES.vectors });
  addLinearKernel(sums, texts, SHARES.words);
  const { weights, bias } = fitKernelLogistic(sums, examples, PENALTY);
  const terms = linearWeights(texts, weights, { size: space.terms.length, share: SHARES.words });
  const { scale, bytes } = asBytes(terms);
  const machine = thinned({ landmarks, weights }, THINNING);
  return {
    words: { ...space, outputs: [{ code: 'loud', bias: 0, scale, weights: bytes }] },
    kernel: {
      ...gaussianKernelFile(machine.landmarks, {
        gamma: GAMMA,
        weights: machine.weights.map((weight) => SHARES.vectors * weight),
      }),
      bias: Number(bias.toPrecision(5)),
      centres,
    },
  };
}
