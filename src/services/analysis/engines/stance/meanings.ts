import type { Hierarchy } from '../../../../text/statement/hierarchy.ts';
import type { Relations } from '../../../../text/statement/relations.ts';
import type { Vocabulary } from '../../../../text/vocabulary.ts';
import type { ComparedWord } from './alignment.ts';

/** The tables by which the words of a pair are compared. */
export interface MeaningTables {
  readonly relations: Relations;
  readonly hierarchy: Hierarchy;
  readonly vocabulary: Vocabulary;
}

/**
 * How a word of one side stands to the other: it is there, it is the general name of something there ("film" of "comedy"), its opposite
 * is there, a word beside it under one general name ("actor", "painter"), only a general name of it; or it stands alone.
 */
const KINDS = ['same', 'general', 'opposite', 'number', 'sister', 'special', 'name', 'other'] as const;
type Kind = (typeof KINDS)[number];

/** Surprisal of a word that the vocabulary does not know, and the highest that counts, in nats. */
const [UNKNOWN_SURPRISAL, MOST_SURPRISAL] = [13, 16];
/** Surprisal from which a word carries meaning by itself. */
const MEANINGFUL = 6;
/** Meanings of a word that are followed upwards, and steps up within which two words are beside each other, or one names the other. */
const [MOST_MEANINGS, SISTER_STEPS, NAMED_STEPS] = [2, 2, 4];

/** A sentence's words with the surprisal (-log p) of each in nats. */
export interface WordsWithSurprisal {
  readonly words: readonly ComparedWord[];
  readonly surprisal: readonly number[];
}

/** Adds the surprisal of each word. */
export function addSurprisal(words: readonly ComparedWord[], vocabulary: Vocabulary): WordsWithSurprisal {
  const surprisalOf = ({ folded }: ComparedWord) =>
    Math.min(MOST_SURPRISAL, vocabulary.surprise(folded) ?? UNKNOWN_SURPRISAL);
  return { words, surprisal: words.map(surprisalOf) };
}

/** The words of one side, as those of the other are looked for in it. */
interface ComparedSide {
  readonly stems: readonly string[];
  readonly known: ReadonlySet<string>;
  /** Everything that its words are kinds of, themselves among it. */
  readonly above: ReadonlySet<number>;
  /** Meanings of its words. */
  readonly direct: ReadonlySet<number>;
  /** What its words that the other side lacks are kinds of in a few steps. */
  readonly near: ReadonlySet<number>;
}

function sideOf(
  words: readonly ComparedWord[],
  others: ReadonlySet<string>,
  hierarchy: Hierarchy,
): ComparedSide {
  const stems = [...new Set(words.map(({ stem }) => stem))];
  const known = new Set([...stems, ...words.map(({ folded }) => folded)]);
  const [above, direct, near] = [new Set<number>(), new Set<number>(), new Set<number>()];
  for (const stem of stems) {
    const isLone = !others.has(stem);
    for (const meaning of hierarchy.meanings(stem).slice(0, MOST_MEANINGS)) {
      direct.add(meaning);
      for (const [one, steps] of hierarchy.above(meaning)) {
        above.add(one);
        if (isLone && steps > 0 && steps <= SISTER_STEPS) near.add(one);
      }
    }
  }
  return { stems, known, above, direct, near };
}

/** Whether the other side has only a general name of a word, or something beside it under one general name. */
function byHierarchy(
  stem: string,
  side: ComparedSide,
  hierarchy: Hierarchy,
): 'sister' | 'special' | undefined {
  const above = hierarchy
    .meanings(stem)
    .slice(0, MOST_MEANINGS)
    .flatMap((meaning) => [...hierarchy.above(meaning)]);
  if (above.some(([one, steps]) => steps <= NAMED_STEPS && side.direct.has(one))) return 'special';
  const isBeside = above.some(([one, steps]) => steps > 0 && steps <= SISTER_STEPS && side.near.has(one));
  return isBeside ? 'sister' : undefined;
}

function kindOf(word: ComparedWord, side: ComparedSide, { relations, hierarchy }: MeaningTables): Kind {
  const { stem } = word;
  if (side.known.has(word.folded) || side.known.has(stem)) return 'same';
  if (side.stems.some((other) => relations.isSame(stem, other))) return 'same';
  if (hierarchy.meanings(stem).some((meaning) => side.above.has(meaning))) return 'general';
  if (side.stems.some((other) => relations.isOpposite(stem, other))) return 'opposite';
  if (word.isNumber) return 'number';
  return byHierarchy(stem, side, hierarchy) ?? (word.isName ? 'name' : 'other');
}

const isFound = (kind: Kind | undefined) => kind === 'same' || kind === 'general';

/** Shares of the surprisal of a side by kind, and the surprisal of its unmatched words: the highest two, how many carry meaning, the sum. */
function surprisalByKind(kinds: readonly Kind[], surprisal: readonly number[]): number[] {
  const sums = new Map<Kind, number>();
  let total = 0;
  for (const [at, kind] of kinds.entries()) {
    const weight = surprisal[at] ?? 0;
    total += weight;
    sums.set(kind, (sums.get(kind) ?? 0) + weight);
  }
  const unmatched = surprisal.filter((_, at) => !isFound(kinds[at])).sort((one, other) => other - one);
  return [
    ...KINDS.map((kind) => (sums.get(kind) ?? 0) / Math.max(1, total)),
    unmatched[0] ?? 0,
    unmatched[1] ?? 0,
    unmatched.filter((weight) => weight > MEANINGFUL).length,
    unmatched.reduce((sum, weight) => sum + weight, 0),
  ];
}

const stemsOf = (words: readonly ComparedWord[]): ReadonlySet<string> =>
  new Set(words.map(({ stem }) => stem));

/** Number of features of meanings. */
export const MEANING_FEATURES = 39;

/**
 * How the words of a claim stand to those of a passage and to its nearest sentence, and those of the sentence to the claim, weighed by
 * their rarity. `evidence` has the nearest sentence first.
 */
export function meaningFeatures(
  claim: WordsWithSurprisal,
  evidence: readonly (readonly ComparedWord[])[],
  tables: MeaningTables,
): number[] {
  const nearest = addSurprisal(evidence[0] ?? [], tables.vocabulary);
  const all = evidence.flat();
  const own = stemsOf(claim.words);
  const kindsIn = (
    words: readonly ComparedWord[],
    other: readonly ComparedWord[],
    stems = stemsOf(words),
  ) => {
    const side = sideOf(other, stems, tables.hierarchy);
    return words.map((word) => kindOf(word, side, tables));
  };
  const whole = kindsIn(claim.words, all, own);
  const first = evidence.length > 1 ? kindsIn(claim.words, nearest.words, own) : whole;
  const parts = [surprisalByKind(whole, claim.surprisal), surprisalByKind(first, claim.surprisal)];
  return [
    ...parts.flatMap((part) => [...part, (part[0] ?? 0) + (part[1] ?? 0)]),
    ...surprisalByKind(kindsIn(nearest.words, claim.words), nearest.surprisal),
    isFound(whole.at(-1)) ? 1 : 0,
  ];
}
