import { dotProduct } from '../../../../text/dot-product.ts';
import { type Comparison, compareStatements } from '../../../../text/statement/comparison.ts';
import type { Quantity } from '../../../../text/statement/quantities.ts';
import type { Relations } from '../../../../text/statement/relations.ts';
import type { Statement } from '../../../../text/statement/statement.ts';
import { ALIGNMENT_FEATURES, alignmentFeatures, type ComparedWord } from './alignment.ts';
import { addSurprisal, MEANING_FEATURES, type MeaningTables, meaningFeatures } from './meanings.ts';
import { NUMBER_AND_ORDER_FEATURES, numberFeatures, orderFeatures } from './numbers-and-order.ts';

/** A sentence with its words and its vector of length 1. */
export interface EncodedStatement {
  readonly statement: Statement;
  readonly words: readonly ComparedWord[];
  readonly vector: Float32Array;
}

/** Sentences of a passage that are compared with a claim one by one. */
const MOST_SENTENCES = 3;
const STATEMENT_FEATURES = 22;
/** All features: those of the statements, of the words that stand alone, of what words mean, and of numbers and order. */
export const STANCE_FEATURES =
  STATEMENT_FEATURES + ALIGNMENT_FEATURES + MEANING_FEATURES + NUMBER_AND_ORDER_FEATURES;

/** Place of the feature that is 1 where the claim and the nearest sentence deny equally often, else 0. */
export const SAME_NEGATION = 4;

const flag = (value: boolean) => (value ? 1 : 0);
const keyOf = ({ kind, value }: Quantity) => `${kind} ${value}`;

/** How the numbers of a claim stand in a passage: shares that are found, and that are contradicted by others of the kind. */
function quantityFeatures(claim: Statement, passage: readonly Statement[]): number[] {
  const claimed = claim.quantities;
  const there = passage.flatMap(({ quantities }) => quantities);
  const keys = new Set(there.map(keyOf));
  const kinds = new Set(there.map(({ kind }) => kind));
  const matchCount = claimed.filter((one) => keys.has(keyOf(one))).length;
  const contradicted = claimed.filter((one) => !keys.has(keyOf(one)) && kinds.has(one.kind)).length;
  const share = (part: number) => (claimed.length === 0 ? 0 : part / claimed.length);
  return [flag(claimed.length > 0), share(matchCount), share(contradicted)];
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

type RankedSentence = EncodedStatement & { readonly cosine: number; readonly comparison: Comparison };

/** The sentences of a passage that are nearest to a claim, the nearest first. */
function nearestSentences(
  claim: EncodedStatement,
  passage: readonly EncodedStatement[],
  relations: Relations,
): RankedSentence[] {
  return passage
    .map((sentence) => ({
      ...sentence,
      cosine: dotProduct(claim.vector, sentence.vector),
      comparison: compareStatements(claim.statement, sentence.statement, relations),
    }))
    .map((sentence) => ({ ...sentence, rank: sentence.cosine + sentence.comparison.covered[0] }))
    .sort((one, two) => two.rank - one.rank)
    .slice(0, MOST_SENTENCES);
}

/** Features of the two statements: how near they are, how much of the claim is found, and what denies or narrows it. */
function statementFeatures(
  claim: Statement,
  ranked: readonly [RankedSentence, ...RankedSentence[]],
  relations: Relations,
): number[] {
  const [best, second] = ranked;
  const statements = ranked.map(({ statement }) => statement);
  const whole = coverage(claim, statements, relations);
  const denials = best.statement.negations - claim.negations;
  const covered = best.comparison.covered[0];
  return [
    best.cosine,
    second?.cosine ?? 0,
    ...comparisonFeatures(best.comparison),
    ...quantityFeatures(claim, statements),
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
  ];
}

/**
 * What tells whether a passage supports a claim, refutes it, or neither. Nothing of it is seen in the claim alone, so that
 * its wording decides nothing; of the vectors only the cosine is read, since their products tell how writers word false claims.
 */
export function stanceFeatures(
  claim: EncodedStatement,
  passage: readonly EncodedStatement[],
  tables: MeaningTables,
): Float32Array {
  const features = new Float32Array(STANCE_FEATURES);
  const [best, ...others] = nearestSentences(claim, passage, tables.relations);
  if (best === undefined) return features;
  const ranked = [best, ...others] as const;
  const evidence = ranked.map(({ words }) => words);
  const words = addSurprisal(claim.words, tables.vocabulary);
  const quantities = ranked.flatMap(({ statement }) => statement.quantities);
  features.set([
    ...statementFeatures(claim.statement, ranked, tables.relations),
    ...alignmentFeatures(claim.words, evidence, tables.relations),
    ...meaningFeatures(words, evidence, tables),
    ...numberFeatures(claim.statement.quantities, quantities, claim.words),
    ...orderFeatures(words, best.words),
  ]);
  return features;
}
