import { fold } from '../../../../text/folding.ts';
import { wordsOf } from '../../../../text/words.ts';

/** A word of a text in folded form (lower case, no diacritics), with its UTF-16 offsets in the text itself. */
export interface FoldedWord {
  text: string;
  start: number;
  end: number;
}

/** A phrase found in a text: word indices from inclusive to exclusive. */
export interface PhraseMatch<Value> {
  value: Value;
  phrase: string;
  from: number;
  to: number;
}

/** Folded words of a text, in order. */
export function foldedWords(text: string): FoldedWord[] {
  const folded = fold(text, 'strip');
  return wordsOf(folded.text).map((word) => ({
    text: word.text,
    start: folded.origin(word.start),
    end: folded.origin(word.end),
  }));
}

interface Entry<Value> {
  /** Words after the first. */
  rest: readonly string[];
  phrase: string;
  value: Value;
}

/** One phrase of a lexicon: a trailing `*` makes a word a stem, `_` stands for any one word. */
export interface Phrase<Value> {
  phrase: string;
  value: Value;
}

/**
 * Finds many phrases in one pass. Work at each word is bounded by the length of the longest stem and the number of
 * phrases that begin alike, so the cost grows linearly with the text. The index is built at the first search: most processes
 * that load a lexicon never search it.
 */
export class PhraseIndex<Value> {
  private readonly words = new Map<string, Entry<Value>[]>();
  private readonly stems = new Map<string, Entry<Value>[]>();
  private shortest = Number.POSITIVE_INFINITY;
  private longest = 0;
  private pending: Iterable<Phrase<Value>> | undefined;

  constructor(phrases: Iterable<Phrase<Value>>) {
    this.pending = phrases;
  }

  private build(): void {
    const phrases = this.pending;
    this.pending = undefined;
    for (const { phrase, value } of phrases ?? []) this.add(phrase, value);
  }

  private add(phrase: string, value: Value): void {
    const [first, ...rest] = patternWords(phrase);
    if (first === undefined || first === '_')
      throw new Error(`a phrase has to begin with a word: "${phrase}"`);
    const stem = first.endsWith('*');
    const key = stem ? first.slice(0, -1) : first;
    if (stem) {
      this.shortest = Math.min(this.shortest, key.length);
      this.longest = Math.max(this.longest, key.length);
    }
    const table = stem ? this.stems : this.words;
    const entries = table.get(key) ?? [];
    entries.push({ rest, phrase, value });
    table.set(key, entries);
  }

  /** All matches in order of their first word, overlapping ones included. */
  find(words: readonly FoldedWord[]): PhraseMatch<Value>[] {
    if (this.pending !== undefined) this.build();
    const matches: PhraseMatch<Value>[] = [];
    for (const [index, word] of words.entries()) {
      collect(this.words.get(word.text), words, index, matches);
      const longest = Math.min(word.text.length, this.longest);
      for (let length = this.shortest; length <= longest; length++) {
        collect(this.stems.get(word.text.slice(0, length)), words, index, matches);
      }
    }
    return matches;
  }
}

function collect<Value>(
  entries: readonly Entry<Value>[] | undefined,
  words: readonly FoldedWord[],
  index: number,
  matches: PhraseMatch<Value>[],
): void {
  for (const { rest, phrase, value } of entries ?? []) {
    const fits = rest.every((pattern, offset) => fitsPattern(pattern, words[index + 1 + offset]?.text));
    if (fits) matches.push({ value, phrase, from: index, to: index + 1 + rest.length });
  }
}

function fitsPattern(pattern: string, word: string | undefined): boolean {
  if (word === undefined) return false;
  if (pattern === '_') return true;
  return pattern.endsWith('*') ? word.startsWith(pattern.slice(0, -1)) : word === pattern;
}

/** Words of a lexicon phrase, folded as the text is; the marks `*` and `_` stay. */
function patternWords(phrase: string): string[] {
  return phrase
    .trim()
    .split(/\s+/u)
    .flatMap((part) => {
      if (part === '_') return [part];
      const words = foldedWords(part).map((word) => word.text);
      const last = words.pop();
      if (last === undefined) throw new Error(`a lexicon phrase holds no word: "${phrase}"`);
      return [...words, part.endsWith('*') ? `${last}*` : last];
    });
}

/** Of overlapping matches the longest of the earliest start stays; the input is in order of the first word. */
export function withoutOverlap<Value>(matches: readonly PhraseMatch<Value>[]): PhraseMatch<Value>[] {
  const ordered = [...matches].sort((a, b) => a.from - b.from || b.to - a.to);
  const kept: PhraseMatch<Value>[] = [];
  let free = 0;
  for (const match of ordered) {
    if (match.from < free) continue;
    kept.push(match);
    free = match.to;
  }
  return kept;
}
