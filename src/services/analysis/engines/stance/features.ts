import { type Comparison, compareStatements } from '../../../../text/statement/comparison.ts';
import type { Quantity } from '../../../../text/statement/quantities.ts';
import type { Relations } from '../../../../text/statement/relations.ts';
import type { Statement } from '../../../../text/statement/statement.ts';
import { ALIGNMENT_FEATURES, alignmentFeatures, type ComparedWord } from './alignment.ts';

/** A sentence with its words and its vector of length 1. */
export interface EncodedStatement {
  readonly statement: Statement;
  readonly words: readonly ComparedWord[];
  readonly vector: Float32Array;
}

/** Sentences of a passage that are compared with a claim one by one. */
const COMPARED = 3;
/** Numbers of a vector. */
const DIMENSIONS = 512;
/** Features of the statements, and with those of the alignment all beside the vectors. */
const STATEMENT_FEATURES = 22;
const PLAIN_FEATURES = STATEMENT_FEATURES + ALIGNMENT_FEATURES;
/** All features: the plain ones, the products of the two vectors, and the sizes of their differences. */
export const STANCE_FEATURES = PLAIN_FEATURES + 2 * DIMENSIONS;

/** Place of the feature that is 1 where the claim and the nearest sentence deny equally often, else 0. */
export const SAME_NEGATION = 4;

function cosine(one: Float32Array, other: Float32Array): number {
  let sum = 0;
  for (let index = 0; index < one.length; index++) sum += (one[index] ?? 0) * (other[index] ?? 0);
  return sum;
}

const flag = (value: boolean) => (value ? 1 : 0);
const keyOf = ({ kind, value }: Quantity) => `${kind} ${value}`;

/** How the numbers of a claim stand in a passage: shares that are found, and that are contradicted by others of the kind. */
function quantityFeatures(claim: Statement, passage: readonly Statement[]): number[] {
  const wanted = claim.quantities;
  const there = passage.flatMap(({ quantities }) => quantities);
  const keys = new Set(there.map(keyOf));
  const kinds = new Set(there.map(({ kind }) => kind));
  const found = wanted.filter((one) => keys.has(keyOf(one))).length;
  const contradicted = wanted.filter((one) => !keys.has(keyOf(one)) && kinds.has(one.kind)).length;
  const share = (part: number) => (wanted.length === 0 ? 0 : part / wanted.length);
  return [flag(wanted.length > 0), share(found), share(contradicted)];
}

/** Share of the claim's words that some sentence of the passage has. */
function coverage(claim: Statement, passage: readonly Statement[], relations: Relations): number {
  const stems = new Set(passage.flatMap(({ words }) => words.flatMap((word) => word.stems)));
  const list = [...stems];
  const has = (word: Statement['words'][number]) =>
    word.stems.some((stem) => stems.has(stem)) ||
    word.stems.some((stem) => list.some((other) => relations.isSame(stem, other)));
  return claim.words.length === 0 ? 0 : claim.words.filter(has).length / claim.words.length;
}

function comparisonFeatures({ covered, sameNegation, sameCues, sameOrder, opposites }: Comparison): number[] {
  return [
    covered[0],
    covered[1],
    flag(sameNegation),
    flag(sameCues),
    flag(sameOrder),
    Math.min(2, opposites),
  ];
}

/**
 * What tells whether a passage supports a claim, refutes it, or neither. Nothing of it is seen in the claim alone, so that
 * its wording decides nothing.
 */
export function stanceFeatures(
  claim: EncodedStatement,
  passage: readonly EncodedStatement[],
  relations: Relations,
): Float32Array {
  const ranked = passage
    .map((sentence) => ({
      ...sentence,
      cosine: cosine(claim.vector, sentence.vector),
      comparison: compareStatements(claim.statement, sentence.statement, relations),
    }))
    .map((sentence) => ({ ...sentence, rank: sentence.cosine + sentence.comparison.covered[0] }))
    .sort((one, two) => two.rank - one.rank)
    .slice(0, COMPARED);
  const features = new Float32Array(STANCE_FEATURES);
  const [best, second] = ranked;
  if (best === undefined) return features;
  const statements = ranked.map(({ statement }) => statement);
  const whole = coverage(claim.statement, statements, relations);
  const denials = best.statement.negations - claim.statement.negations;
  const covered = best.comparison.covered[0];
  features.set([
    best.cosine,
    second?.cosine ?? 0,
    ...comparisonFeatures(best.comparison),
    ...quantityFeatures(claim.statement, statements),
    whole,
    whole * whole,
    flag(whole === 1),
    denials > 0 ? covered : 0,
    denials < 0 ? covered : 0,
    best.comparison.opposites > 0 ? covered : 0,
    flag(best.comparison.sameNegation) * covered,
    flag(best.comparison.sameOrder) * covered,
    flag(!best.comparison.sameCues) * covered,
    Math.min(1, best.statement.words.length / 30),
    1,
    ...alignmentFeatures(
      claim.words,
      ranked.map(({ words }) => words),
      relations,
    ),
  ]);
  for (let index = 0; index < DIMENSIONS; index++) {
    const [a, b] = [claim.vector[index] ?? 0, best.vector[index] ?? 0];
    features[PLAIN_FEATURES + index] = a * b * DIMENSIONS ** 0.5;
    features[PLAIN_FEATURES + DIMENSIONS + index] = Math.abs(a - b);
  }
  return features;
}
