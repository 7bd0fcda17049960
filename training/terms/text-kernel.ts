/** Fits words and mean vectors of texts together: kernel logistic regression over the mean of two kernels. */
import {
  meanDirection,
  type TextKernel,
} from '../../src/services/analysis/engines/techniques/text-kernel.ts';
import { DIMENSIONS } from '../../src/text/encoder/layers.ts';
import { TermReader, type TermWeights } from '../../src/text/term-weights.ts';
import type { Language } from '../encoder/evaluation.ts';
import { fitKernelLogistic } from '../kernel-logistic.ts';
import { principalAxes } from '../principal-axes.ts';
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
const PENALTY = 0.02;
const LEAST_TEXTS = 4;
/** Each kernel counts by half. */
const SHARE = 0.5;

type Values = ReturnType<TermReader['valuesOf']>;

/** Kernel of words: the cosine of two texts, added to `sums` with its share. */
function addWordKernel(sums: readonly Float32Array[], texts: readonly Values[]): void {
  const holders = new Map<number, { row: number; value: number }[]>();
  texts.forEach((values, row) => {
    for (const { place, value } of values) {
      const known = holders.get(place) ?? [];
      known.push({ row, value });
      holders.set(place, known);
    }
  });
  for (const rows of holders.values())
    for (const one of rows) {
      const own = sums[one.row] as Float32Array;
      for (const other of rows) own[other.row] = (own[other.row] as number) + SHARE * one.value * other.value;
    }
}

/** All numbers as signed bytes in base64. */
function packed(lists: readonly ArrayLike<number>[]) {
  let largest = 0;
  for (const list of lists)
    for (let at = 0; at < list.length; at += 1) largest = Math.max(largest, Math.abs(list[at] as number));
  const scale = Number((largest / 127).toPrecision(6));
  const bytes = lists.map((list) => Int8Array.from(Array.from(list), (value) => Math.round(value / scale)));
  return { scale, bytes };
}

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
  const axes = packed(principalAxes(centred, AXES));
  const places = centred.map((vector) =>
    Float32Array.from(axes.bytes, (axis) => {
      let sum = 0;
      for (let at = 0; at < DIMENSIONS; at += 1) sum += (axis[at] as number) * (vector[at] as number);
      return axes.scale * sum;
    }),
  );
  return { centres, axes, landmarks: packed(places) };
}

/** Kernel of mean vectors, with its share. */
function vectorKernel({ scale, bytes }: ReturnType<typeof packed>): Float32Array[] {
  const squareOf = (list: Int8Array) => list.reduce((sum, value) => sum + value * value, 0);
  const squares = bytes.map(squareOf);
  return bytes.map((one, row) =>
    Float32Array.from(bytes, (other, column) => {
      let product = 0;
      for (let at = 0; at < one.length; at += 1) product += (one[at] as number) * (other[at] as number);
      const distance = (squares[row] as number) + (squares[column] as number) - 2 * product;
      return SHARE * Math.exp(-GAMMA * scale * scale * distance);
    }),
  );
}

/** Weights of words, without a bias, and of the kernel of mean vectors, which has it. */
export function fitTextKernel(examples: readonly TextExample[]): {
  readonly words: TermWeights;
  readonly kernel: TextKernel;
} {
  const space = termsOf(
    examples.map(({ text }) => text),
    LEAST_TEXTS,
  );
  const reader = new TermReader({ ...space, outputs: [] });
  const texts = examples.map(({ text }) => reader.valuesOf(text));
  const { centres, axes, landmarks } = compared(examples);
  const sums = vectorKernel(landmarks);
  addWordKernel(sums, texts);
  const { weights, bias } = fitKernelLogistic(sums, examples, PENALTY);
  const terms = new Float64Array(space.terms.length);
  texts.forEach((values, row) => {
    for (const { place, value } of values)
      terms[place] = (terms[place] as number) + SHARE * (weights[row] as number) * value;
  });
  const { scale, bytes } = asBytes(terms);
  const base64 = (lists: readonly Int8Array[]) =>
    Buffer.from(lists.flatMap((list) => [...list])).toString('base64');
  return {
    words: { ...space, outputs: [{ code: 'loud', bias: 0, scale, weights: bytes }] },
    kernel: {
      gamma: GAMMA,
      bias: Number(bias.toPrecision(5)),
      centres,
      axes: { scale: axes.scale, bytes: base64(axes.bytes) },
      landmarks: { scale: landmarks.scale, bytes: base64(landmarks.bytes) },
      weights: Array.from(weights, (weight) => Number((SHARE * weight).toPrecision(4))),
    },
  };
}
