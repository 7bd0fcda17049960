import type { StatementCue } from './cues.ts';
import type { Relations } from './relations.ts';
import { areAlike, type ContentWord, type Statement } from './statement.ts';

/** How two statements differ. */
export interface Comparison {
  /** Share of the content words of the one, and of the other, that the other side has too: 0 to 1. */
  readonly covered: readonly [one: number, other: number];
  /** The same numbers, dates and places in an order. */
  readonly sameQuantities: boolean;
  /** Both deny, or both do not. */
  readonly sameNegation: boolean;
  /** The same marks of amount, time, possibility and comparison. */
  readonly sameCues: boolean;
  /** What they share stands in the same order, or in another while one of them is in the passive: then the doer is the same. */
  readonly sameOrder: boolean;
  /** What only the one has merely narrows it to a place or a group. */
  readonly isNarrower: boolean;
  /** Words that only one side has and that are opposites of each other: "rise", "fall". */
  readonly opposites: number;
}

/** Cues that one language has as words and the other as endings, or uses for other things too: compared within a language only. */
const WITHIN_LANGUAGE: ReadonlySet<StatementCue> = new Set([
  'from',
  'more',
  'less',
  'most',
  'since',
  'future',
  'almost',
]);

/** Pairs of words that stand for each other, as places: each word once, in the order of the one statement. */
function pairsOf(one: Statement, other: Statement, relations: Relations): (readonly [number, number])[] {
  const free = new Set(other.words.keys());
  return one.words.flatMap((word, place) => {
    const match = [...free].find((at) => isAlike(word, other.words[at], relations));
    if (match === undefined) return [];
    free.delete(match);
    return [[place, match] as const];
  });
}

const isAlike = (one: ContentWord, other: ContentWord | undefined, relations: Relations) =>
  other !== undefined && areAlike(one, other, relations.isSame);

const quantityKeys = ({ quantities }: Statement) =>
  quantities
    .map(({ kind, value }) => `${kind} ${value}`)
    .sort()
    .join(';');

function sameCues(one: Statement, other: Statement): boolean {
  const counts = (cue: StatementCue) => one.language === other.language || !WITHIN_LANGUAGE.has(cue);
  const list = ({ cues }: Statement) => [...cues].filter(counts).sort().join(' ');
  return list(one) === list(other);
}

const areOpposite = (one: ContentWord, other: ContentWord, { isOpposite }: Relations) =>
  one.stems.some((a) => other.stems.some((b) => isOpposite(a, b)));

/** Compares two statements of one or two languages. Symmetric but for the order of `covered`. */
export function compareStatements(one: Statement, other: Statement, relations: Relations): Comparison {
  const pairs = pairsOf(one, other, relations);
  const share = (all: number) => (all === 0 ? 0 : pairs.length / all);
  const places = pairs.map(([, place]) => place);
  const inOrder = places.every((place, index) => index === 0 || place > (places[index - 1] ?? -1));
  const [left, right] = [new Set(pairs.map(([place]) => place)), new Set(places)];
  const lone = one.words.filter((_, place) => !left.has(place));
  const others = other.words.filter((_, place) => !right.has(place));
  return {
    covered: [share(one.words.length), share(other.words.length)],
    sameQuantities: quantityKeys(one) === quantityKeys(other),
    sameNegation: one.negations === other.negations,
    sameCues: sameCues(one, other),
    sameOrder: inOrder === (one.isPassive === other.isPassive),
    isNarrower: lone.length > 0 && lone.every(({ isNarrowing }) => isNarrowing),
    opposites: lone.filter((word) => others.some((against) => areOpposite(word, against, relations))).length,
  };
}
