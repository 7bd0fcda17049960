import type { EncoderLanguage } from '../../../../text/encoder/encoder.ts';
import { foldWord, type Gloss, glossText } from '../../../../text/encoder/gloss.ts';
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
      const folded = foldWord(word);
      return {
        folded,
        stem: englishStem(folded),
        isNumber: /\d/u.test(word),
        isName: /^\p{Lu}/u.test(word),
      };
    });
}

/** How a word stands to the other side. */
const MARKS = {
  sameWord: 0,
  sameMeaning: 1,
  opposite: 2,
  loneNumber: 3,
  loneName: 4,
  alone: 5,
} as const;
const MARK_COUNT = Object.keys(MARKS).length;

interface OtherSide {
  readonly words: ReadonlySet<string>;
  readonly stems: ReadonlySet<string>;
}

const sideOf = (words: readonly ComparedWord[]): OtherSide => ({
  words: new Set(words.map(({ folded }) => folded)),
  stems: new Set(words.map(({ stem }) => stem)),
});

function markOf(word: ComparedWord, { words, stems }: OtherSide, { isSame, isOpposite }: Relations): number {
  if (words.has(word.folded)) return MARKS.sameWord;
  if (stems.has(word.stem)) return MARKS.sameMeaning;
  for (const stem of stems) if (isSame(word.stem, stem)) return MARKS.sameMeaning;
  for (const stem of stems) if (isOpposite(word.stem, stem)) return MARKS.opposite;
  if (word.isNumber) return MARKS.loneNumber;
  return word.isName ? MARKS.loneName : MARKS.alone;
}

/** The words of one side by how they stand to the other. */
function counted(marks: readonly number[]): number[] {
  const counts = new Array<number>(MARK_COUNT).fill(0);
  for (const mark of marks) counts[mark] = (counts[mark] ?? 0) + 1;
  return counts;
}
const shares = (counts: readonly number[], all: number) => counts.map((count) => count / Math.max(1, all));

/** Share of the neighbouring words of a claim that are neighbours in a sentence of the evidence too. */
function neighboursShared(
  claim: readonly ComparedWord[],
  evidence: readonly (readonly ComparedWord[])[],
): number {
  const pairsOf = (words: readonly ComparedWord[]) =>
    words.slice(1).map((word, index) => `${words[index]?.stem} ${word.stem}`);
  const there = new Set(evidence.flatMap(pairsOf));
  const own = pairsOf(claim);
  return own.filter((pair) => there.has(pair)).length / Math.max(1, own.length);
}

const isLone = (mark: number | undefined) => mark !== undefined && mark >= MARKS.loneNumber;

/**
 * Lone words of a claim behind a word of the evidence that is followed there by another lone word of the same kind: "in 1992" beside
 * "in 1994". Numbers, names, other words.
 */
function replacements(
  claim: readonly ComparedWord[],
  marks: readonly number[],
  sentence: readonly ComparedWord[],
  sentenceMarks: readonly number[],
): [numbers: number, names: number, words: number] {
  const found: [number, number, number] = [0, 0, 0];
  for (const [at, mark] of marks.entries()) {
    if (!isLone(mark) || at === 0) continue;
    const before = claim[at - 1]?.stem;
    const isReplaced = sentence.some(
      (word, place) => word.stem === before && sentenceMarks[place + 1] === mark,
    );
    const kind = mark - MARKS.loneNumber;
    if (isReplaced) found[kind] = (found[kind] ?? 0) + 1;
  }
  return found;
}

/** Where the lone words of a claim stand: their runs, and the first and last place, from 0 to 1. */
function places(marks: readonly number[]): [runs: number, first: number, last: number] {
  const lone = marks.map((mark) => isLone(mark) || mark === MARKS.opposite);
  const runs = lone.filter((is, at) => is && !lone[at - 1]).length;
  const length = Math.max(1, marks.length);
  const [first, last] = [lone.indexOf(true), lone.lastIndexOf(true)];
  return [Math.min(4, runs), first < 0 ? 1 : first / length, last < 0 ? 0 : (last + 1) / length];
}

/** Number of features of an alignment. */
export const ALIGNMENT_FEATURES = 34;

/**
 * What the words of a claim and those of a passage have in common and what stands alone on either side. `evidence` has the nearest
 * sentence first. Binding words count: "the only film" and "a film" differ in them.
 */
export function alignmentFeatures(
  claim: readonly ComparedWord[],
  evidence: readonly (readonly ComparedWord[])[],
  relations: Relations,
): number[] {
  const nearest = evidence[0] ?? [];
  const there = sideOf(evidence.flat());
  const marks = claim.map((word) => markOf(word, there, relations));
  const own = sideOf(claim);
  const others = nearest.map((word) => markOf(word, own, relations));
  const [counts, otherCounts] = [counted(marks), counted(others)];
  const [part, otherPart] = [shares(counts, marks.length), shares(otherCounts, others.length)];
  const [same = 0, meaning = 0, opposite = 0, number = 0, name = 0, word = 0] = part;
  const [numbers = 0, names = 0, words = 0] = counts.slice(MARKS.loneNumber);
  const [, , , otherNumbers = 0, otherNames = 0] = otherCounts;
  const flag = (is: boolean) => (is ? 1 : 0);
  const kept = same + meaning;
  return [
    ...part,
    ...otherPart,
    ...[numbers, names, words].map((count) => Math.min(3, count)),
    ...[opposite, number, name, word].map((share) => flag(share > 0)),
    ...places(marks),
    flag(numbers + names + words + opposite === 0),
    flag(numbers > 0 && otherNumbers > 0),
    flag(names > 0 && otherNames > 0),
    flag(opposite > 0) * kept,
    flag(numbers > 0) * kept,
    flag(names > 0) * kept,
    flag(words > 0) * kept,
    flag(words > 0) * (otherPart[MARKS.alone] ?? 0),
    neighboursShared(claim, evidence),
    ...replacements(claim, marks, nearest, others).map((count) => Math.min(2, count)),
  ];
}
