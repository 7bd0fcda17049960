import data from '../../../../../data/context/narratives.json' with { type: 'json' };
import { type FoldedWord, type Phrase, PhraseIndex } from '../context/phrases.ts';

type Sign = 'negates' | 'passed over';

function* phrases(): Iterable<Phrase<Sign>> {
  for (const phrase of Object.values(data.negation.words).flat()) yield { phrase, value: 'negates' };
  for (const phrase of Object.values(data.negation.passed_over).flat())
    yield { phrase, value: 'passed over' };
}

const index = new PhraseIndex(phrases());

/** Words behind a negation that it may deny; any mark between them ends it. */
const REACH = 3;

/**
 * Whether the word at a place is denied by a negation shortly before it in its sentence. A verb of saying, letting or
 * knowing, or a new clause, comes in between: "they will not tell you that vaccines kill" denies the telling. A negation inside
 * one of the `phrases` is part of what that says.
 */
export function negationIn(
  words: readonly FoldedWord[],
  phrases: readonly { readonly from: number; readonly to: number }[],
): (place: number, sentenceStart: number) => boolean {
  const inside = new Set(phrases.flatMap(({ from, to }) => (to - from > 1 ? range(from, to) : [])));
  const signs = new Map<number, Sign>();
  for (const { value, from, to } of index.find(words))
    if (value === 'passed over') signs.set(from, value);
    else if (!inside.has(from)) for (const at of range(from, to)) signs.set(at, value);
  return (place, sentenceStart) => {
    if (signs.get(place) === 'passed over') return false;
    for (let at = place - 1; at >= Math.max(0, place - REACH); at -= 1) {
      const [word, next] = [words[at], words[at + 1]];
      if (word === undefined || next === undefined || word.start < sentenceStart) return false;
      // An apostrophe or a hyphen, and the space: more than that is a mark of punctuation.
      if (next.start - word.end > 1) return false;
      const sign = signs.get(at);
      if (sign !== undefined) return sign === 'negates';
    }
    return false;
  };
}

const range = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => from + index);
