import type { Hierarchy } from '../../../../text/statement/hierarchy.ts';
import type { Relations } from '../../../../text/statement/relations.ts';
import type { Vocabulary } from '../../../../text/vocabulary.ts';
import type { ComparedWord } from './alignment.ts';

/** What the words of a pair are compared by. */
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

/** Surprise of a word that the vocabulary does not know, and the most that counts, in nats. */
const [UNKNOWN, MOST_SURPRISE] = [13, 16];
/** Surprise from which a word carries meaning by itself. */
const MEANINGFUL = 6;
/** Meanings of a word that are followed upwards, and steps up within which two words are beside each other, or one names the other. */
const [MEANINGS, SISTER_STEPS, NAMED_STEPS] = [2, 2, 4];

/** A sentence's words with the surprise of each in nats. */
export interface WeighedWords {
  readonly words: readonly ComparedWord[];
  readonly surprise: readonly number[];
}

/** Words with how rare they are. */
export function weighWords(words: readonly ComparedWord[], vocabulary: Vocabulary): WeighedWords {
  const surpriseOf = ({ folded }: ComparedWord) =>
    Math.min(MOST_SURPRISE, vocabulary.surprise(folded) ?? UNKNOWN);
  return { words, surprise: words.map(surpriseOf) };
}

/** The words of one side, as those of the other are looked for in it. */
interface Side {
  readonly stems: readonly string[];
  readonly known: ReadonlySet<string>;
  /** Everything that its words are kinds of, themselves among it. */
  readonly above: ReadonlySet<number>;
  /** Meanings of its words. */
  readonly direct: ReadonlySet<number>;
  /** What its words that the other side lacks are kinds of in a few steps. */
  readonly near: ReadonlySet<number>;
}

function sideOf(words: readonly ComparedWord[], others: ReadonlySet<string>, hierarchy: Hierarchy): Side {
  const stems = [...new Set(words.map(({ stem }) => stem))];
  const known = new Set([...stems, ...words.map(({ folded }) => folded)]);
  const [above, direct, near] = [new Set<number>(), new Set<number>(), new Set<number>()];
  for (const stem of stems) {
    const isLone = !others.has(stem);
    for (const meaning of hierarchy.meanings(stem).slice(0, MEANINGS)) {
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
function byHierarchy(stem: string, side: Side, hierarchy: Hierarchy): 'sister' | 'special' | undefined {
  const above = hierarchy
    .meanings(stem)
    .slice(0, MEANINGS)
    .flatMap((meaning) => [...hierarchy.above(meaning)]);
  if (above.some(([one, steps]) => steps <= NAMED_STEPS && side.direct.has(one))) return 'special';
  const isBeside = above.some(([one, steps]) => steps > 0 && steps <= SISTER_STEPS && side.near.has(one));
  return isBeside ? 'sister' : undefined;
}

function kindOf(word: ComparedWord, side: Side, { relations, hierarchy }: MeaningTables): Kind {
  const { stem } = word;
  if (side.known.has(word.folded) || side.known.has(stem)) return 'same';
  if (side.stems.some((other) => relations.isSame(stem, other))) return 'same';
  if (hierarchy.meanings(stem).some((meaning) => side.above.has(meaning))) return 'general';
  if (side.stems.some((other) => relations.isOpposite(stem, other))) return 'opposite';
  if (word.isNumber) return 'number';
  return byHierarchy(stem, side, hierarchy) ?? (word.isName ? 'name' : 'other');
}

const isFound = (kind: Kind | undefined) => kind === 'same' || kind === 'general';

/** Shares of the surprise of a side by kind, and how rare its lone words are: the rarest two, how many carry meaning, all together. */
function weighedKinds(kinds: readonly Kind[], surprise: readonly number[]): number[] {
  const sums = new Map<Kind, number>();
  let total = 0;
  for (const [at, kind] of kinds.entries()) {
    const weight = surprise[at] ?? 0;
    total += weight;
    sums.set(kind, (sums.get(kind) ?? 0) + weight);
  }
  const lone = surprise.filter((_, at) => !isFound(kinds[at])).sort((one, other) => other - one);
  return [
    ...KINDS.map((kind) => (sums.get(kind) ?? 0) / Math.max(1, total)),
    lone[0] ?? 0,
    lone[1] ?? 0,
    lone.filter((weight) => weight > MEANINGFUL).length,
    lone.reduce((sum, weight) => sum + weight, 0),
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
  claim: WeighedWords,
  evidence: readonly (readonly ComparedWord[])[],
  tables: MeaningTables,
): number[] {
  const nearest = weighWords(evidence[0] ?? [], tables.vocabulary);
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
  const parts = [weighedKinds(whole, claim.surprise), weighedKinds(first, claim.surprise)];
  return [
    ...parts.flatMap((part) => [...part, (part[0] ?? 0) + (part[1] ?? 0)]),
    ...weighedKinds(kindsIn(nearest.words, claim.words), nearest.surprise),
    isFound(whole.at(-1)) ? 1 : 0,
  ];
}
