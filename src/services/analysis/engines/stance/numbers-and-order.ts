import type { Quantity } from '../../../../text/statement/quantities.ts';
import type { ComparedWord } from './alignment.ts';
import type { WordsWithSurprisal } from './meanings.ts';

const MORE = /\b(?:more than|over|at least|exceed\w*|above|after)\b/;
const LESS = /\b(?:less than|fewer than|under|below|at most|before)\b/;
/** Years of a decade and of a century. */
const [DECADE, CENTURY] = [10, 100];
/** Surprisal in nats from which a word counts for the order of a statement. */
const LEAST_SURPRISAL = 6.5;

const amountOf = ({ value }: Quantity) => Number.parseFloat(value);

/** Whether years of the evidence lie in a decade of the claim (1970, or 70): 1 where one does, -1 where none does, 0 where there is none. */
function inDecade(decade: number, evidence: readonly Quantity[]): number {
  const years = evidence.filter(({ kind }) => kind === 'year').map(amountOf);
  if (years.length === 0) return 0;
  const isIn = (year: number) =>
    Math.floor((decade < CENTURY ? year % CENTURY : year) / DECADE) * DECADE === decade;
  return years.some(isIn) ? 1 : -1;
}

/** Number of features of numbers and order. */
export const NUMBER_AND_ORDER_FEATURES = 11;

/** How near the numbers of a claim that the evidence lacks are to others of their kind, and whether "more than" and the like hold. */
export function numberFeatures(
  claim: readonly Quantity[],
  evidence: readonly Quantity[],
  words: readonly ComparedWord[],
): number[] {
  const text = words.map(({ folded }) => folded).join(' ');
  const [isMore, isLess] = [MORE.test(text), LESS.test(text)];
  let [year, amount, decade, ordinal, holds, fails] = [0, 0, 0, 0, 0, 0];
  for (const one of claim) {
    const same = evidence.filter(({ kind }) => kind === one.kind);
    if (same.some(({ value }) => value === one.value)) continue;
    const value = amountOf(one);
    if (one.kind === 'decade') decade = inDecade(value, evidence);
    if (one.kind === 'ordinal' && same.length > 0) ordinal = 1;
    const others = same.map(amountOf).filter((other) => !Number.isNaN(other));
    if (others.length === 0 || Number.isNaN(value)) continue;
    for (const other of others) {
      if (one.kind === 'year') year = Math.max(year, 1 / (1 + Math.abs(other - value)));
      if (one.kind === 'amount' || one.kind === 'percent')
        amount = Math.max(amount, 1 / (1 + Math.abs(Math.log((other + 0.5) / (value + 0.5)))));
    }
    const [above, below] = [others.some((other) => other > value), others.some((other) => other < value)];
    if ((isMore || isLess) && above !== below) {
      if (above === isMore) holds = 1;
      else fails = 1;
    }
  }
  return [year, amount, decade, ordinal, holds, fails];
}

/** Where the words that both sides have stand in a sentence of the evidence, and how often their order turns. */
export function orderFeatures(claim: WordsWithSurprisal, sentence: readonly ComparedWord[]): number[] {
  const places = new Map<string, number>();
  for (const [at, { stem }] of sentence.entries()) if (!places.has(stem)) places.set(stem, at);
  const shared = claim.words.flatMap(({ stem }, at) => {
    const positions = places.get(stem);
    return positions === undefined || (claim.surprisal[at] ?? 0) < LEAST_SURPRISAL ? [] : [positions];
  });
  const turns = shared.filter((place, at) => at > 0 && place < (shared[at - 1] ?? 0)).length;
  const span = shared.length < 2 ? 0 : Math.max(...shared) - Math.min(...shared);
  const length = Math.max(1, sentence.length);
  return [
    turns / Math.max(1, shared.length - 1),
    (shared[0] ?? -1) / length,
    (shared.at(-1) ?? -1) / length,
    shared.length,
    Math.min(2, span / Math.max(1, claim.words.length)),
  ];
}
