import type { EncoderLanguage } from '../../../../text/encoder/encoder.ts';
import { foldGlossWord, type Gloss, glossText } from '../../../../text/encoder/gloss.ts';
import type { Relations } from '../../../../text/statement/relations.ts';
import { englishStem } from '../../../../text/statement/stems.ts';
import { wordsOf } from '../../../../text/words.ts';

/** A word of one side of a pair, as it is looked for on the other. */
export interface ComparedWord {
  readonly folded: string;
  readonly stem: string;
  readonly isNumber: boolean;
  /** It begins with a capital. */
  readonly isName: boolean;
}

/** Words of a sentence that are read: none of the training rows has more, and each is looked for among all of the other side. */
export const MOST_WORDS = 160;

/** The words of a sentence in their order, binding words too; those of a Romanian one are the English words of its gloss. */
export function comparedWords(text: string, language: EncoderLanguage, gloss: Gloss): ComparedWord[] {
  const english =
    language === 'en'
      ? text
      : glossText(gloss, text)
          .map((part) => part.english)
          .join('');
  return wordsOf(english)
    .slice(0, MOST_WORDS)
    .map(({ text: word }) => {
      const folded = foldGlossWord(word);
      return {
        folded,
        stem: englishStem(folded),
        isNumber: /\d/u.test(word),
        isName: /^\p{Lu}/u.test(word),
      };
    });
}

/** How a word of one side is aligned with the other side. */
const ALIGNMENTS = {
  sameWord: 0,
  sameMeaning: 1,
  opposite: 2,
  unmatchedNumber: 3,
  unmatchedName: 4,
  unmatchedWord: 5,
} as const;
const ALIGNMENT_COUNT = Object.keys(ALIGNMENTS).length;

interface OtherSide {
  readonly words: ReadonlySet<string>;
  readonly stems: ReadonlySet<string>;
}

const sideOf = (words: readonly ComparedWord[]): OtherSide => ({
  words: new Set(words.map(({ folded }) => folded)),
  stems: new Set(words.map(({ stem }) => stem)),
});

function alignmentOf(
  word: ComparedWord,
  { words, stems }: OtherSide,
  { isSame, isOpposite }: Relations,
): number {
  if (words.has(word.folded)) return ALIGNMENTS.sameWord;
  if (stems.has(word.stem)) return ALIGNMENTS.sameMeaning;
  for (const stem of stems) if (isSame(word.stem, stem)) return ALIGNMENTS.sameMeaning;
  for (const stem of stems) if (isOpposite(word.stem, stem)) return ALIGNMENTS.opposite;
  if (word.isNumber) return ALIGNMENTS.unmatchedNumber;
  return word.isName ? ALIGNMENTS.unmatchedName : ALIGNMENTS.unmatchedWord;
}

/** The number of words with each alignment. */
function countByAlignment(alignments: readonly number[]): number[] {
  const counts = new Array<number>(ALIGNMENT_COUNT).fill(0);
  for (const alignment of alignments) counts[alignment] = (counts[alignment] ?? 0) + 1;
  return counts;
}
const shares = (counts: readonly number[], all: number) => counts.map((count) => count / Math.max(1, all));

/** Share of the neighbouring words of a claim that are neighbours in a sentence of the evidence too. */
function sharedBigrams(
  claim: readonly ComparedWord[],
  evidence: readonly (readonly ComparedWord[])[],
): number {
  const pairsOf = (words: readonly ComparedWord[]) =>
    words.slice(1).map((word, index) => `${words[index]?.stem} ${word.stem}`);
  const there = new Set(evidence.flatMap(pairsOf));
  const own = pairsOf(claim);
  return own.filter((pair) => there.has(pair)).length / Math.max(1, own.length);
}

const isUnmatched = (alignment: number | undefined) =>
  alignment !== undefined && alignment >= ALIGNMENTS.unmatchedNumber;

/**
 * Counts words of a claim that the evidence replaces: the word before is the same, and the next one is an unmatched word of the same
 * kind on both sides, as in "in 1992" and "in 1994". Numbers, names, other words.
 */
function replacements(
  claim: readonly ComparedWord[],
  alignments: readonly number[],
  sentence: readonly ComparedWord[],
  sentenceAlignments: readonly number[],
): [numbers: number, names: number, words: number] {
  const matchCounts: [number, number, number] = [0, 0, 0];
  for (const [at, alignment] of alignments.entries()) {
    if (!isUnmatched(alignment) || at === 0) continue;
    const before = claim[at - 1]?.stem;
    const isReplaced = sentence.some(
      (word, place) => word.stem === before && sentenceAlignments[place + 1] === alignment,
    );
    const kind = alignment - ALIGNMENTS.unmatchedNumber;
    if (isReplaced) matchCounts[kind] = (matchCounts[kind] ?? 0) + 1;
  }
  return matchCounts;
}

/** Where the words of a claim without a match stand: the number of their runs, and the first and last place, from 0 to 1. */
function places(alignments: readonly number[]): [runs: number, first: number, last: number] {
  const differs = alignments.map((one) => isUnmatched(one) || one === ALIGNMENTS.opposite);
  const runs = differs.filter((is, at) => is && !differs[at - 1]).length;
  const length = Math.max(1, alignments.length);
  const [first, last] = [differs.indexOf(true), differs.lastIndexOf(true)];
  return [Math.min(4, runs), first < 0 ? 1 : first / length, last < 0 ? 0 : (last + 1) / length];
}

/** Number of features of an alignment. */
export const ALIGNMENT_FEATURES = 34;

/**
 * What the words of a claim and those of a passage have in common, and which have no match on the other side. `evidence` has the nearest
 * sentence first. Binding words count: "the only film" and "a film" differ in them.
 */
export function alignmentFeatures(
  claim: readonly ComparedWord[],
  evidence: readonly (readonly ComparedWord[])[],
  relations: Relations,
): number[] {
  const nearest = evidence[0] ?? [];
  const evidenceWords = sideOf(evidence.flat());
  const alignments = claim.map((word) => alignmentOf(word, evidenceWords, relations));
  const claimWords = sideOf(claim);
  const nearestAlignments = nearest.map((word) => alignmentOf(word, claimWords, relations));
  const [counts, otherCounts] = [countByAlignment(alignments), countByAlignment(nearestAlignments)];
  const [claimShares, evidenceShares] = [
    shares(counts, alignments.length),
    shares(otherCounts, nearestAlignments.length),
  ];
  const [same = 0, meaning = 0, opposite = 0, number = 0, name = 0, word = 0] = claimShares;
  const [numbers = 0, names = 0, words = 0] = counts.slice(ALIGNMENTS.unmatchedNumber);
  const [, , , otherNumbers = 0, otherNames = 0] = otherCounts;
  const flag = (is: boolean) => (is ? 1 : 0);
  const covered = same + meaning;
  return [
    ...claimShares,
    ...evidenceShares,
    ...[numbers, names, words].map((count) => Math.min(3, count)),
    ...[opposite, number, name, word].map((share) => flag(share > 0)),
    ...places(alignments),
    flag(numbers + names + words + opposite === 0),
    flag(numbers > 0 && otherNumbers > 0),
    flag(names > 0 && otherNames > 0),
    flag(opposite > 0) * covered,
    flag(numbers > 0) * covered,
    flag(names > 0) * covered,
    flag(words > 0) * covered,
    flag(words > 0) * (evidenceShares[ALIGNMENTS.unmatchedWord] ?? 0),
    sharedBigrams(claim, evidence),
    ...replacements(claim, alignments, nearest, nearestAlignments).map((count) => Math.min(2, count)),
  ];
}
