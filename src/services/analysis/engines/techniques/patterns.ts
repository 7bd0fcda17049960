import { foldWord, type Token, type TokenRange } from './tokens.ts';

/**
 * Phrase patterns over tokens. Elements are separated by blanks: `word`, `stem*`, `a|b*|c`, `@list`, `?` at the end makes one
 * optional, `..3` is a gap of up to three words, `#` a number, `CAPS` a word in capitals, `NAME` a capitalised word, `^` and
 * `$` the sentence's edges, `!` `?` `,` `:` `.` marks. Words are folded, so diacritics may be written and need not be in the text.
 */
export interface Pattern {
  readonly elements: readonly Element[];
}

interface Element {
  readonly exact: ReadonlySet<string>;
  readonly stems: readonly string[];
  readonly special: '' | '#' | '^' | '$' | 'CAPS' | 'NAME';
  readonly optional: boolean;
  /** Longest run of words that may be skipped; 0 for elements that match something. */
  readonly gap: number;
}

/** Where a pattern matched: tokens from inclusive to exclusive. */
export interface PatternMatch<T> extends TokenRange {
  readonly value: T;
}

const marks = new Set(['!', ',', ':', '.', ';', '"', '…', '-', '–', '—', '%', '+', '/']);
const specials = new Set(['#', '^', '$', 'CAPS', 'NAME']);
const stops = new Set(['.', '!', '?', ';', '…']);

/** Parses one pattern; named lists are written `@name`. Throws on an unknown list or an empty pattern. */
export function parsePattern(source: string, lists: Readonly<Record<string, string>>): Pattern {
  const elements = source
    .trim()
    .split(/\s+/u)
    .map((part) => parseElement(part, lists));
  if (elements.length === 0 || source.trim() === '') throw new Error('A pattern must not be empty.');
  return { elements };
}

function parseElement(part: string, lists: Readonly<Record<string, string>>): Element {
  const none = { exact: new Set<string>(), stems: [], special: '' as const, optional: false, gap: 0 };
  const gap = /^\.\.(\d+)$/u.exec(part);
  if (gap !== null) return { ...none, gap: Number(gap[1]) };
  const optional = part.length > 1 && part.endsWith('?');
  const body = optional ? part.slice(0, -1) : part;
  if (specials.has(body)) return { ...none, special: body as Element['special'], optional };
  const words = body.split('|').flatMap((word) => expandList(word, lists));
  const exact = words
    .filter((word) => !isStem(word))
    .map((word) => (word === '?' || marks.has(word) ? word : foldWord(word)));
  const stems = words.filter(isStem).map((word) => foldWord(word.slice(0, -1)));
  return { ...none, exact: new Set(exact), stems, optional };
}

function isStem(word: string): boolean {
  return word.length > 1 && word.endsWith('*');
}

function expandList(word: string, lists: Readonly<Record<string, string>>): string[] {
  if (!word.startsWith('@')) return [word];
  const list = lists[word.slice(1)];
  if (list === undefined) throw new Error(`Unknown word list ${word}.`);
  return list.trim().split(/\s+/u);
}

/** Finds all patterns in a text; cost per token depends on the patterns that start with that word, not on their number. */
export class PatternIndex<T> {
  private readonly byWord = new Map<string, { pattern: Pattern; value: T }[]>();
  private readonly byStem = new Map<string, { pattern: Pattern; value: T }[]>();
  private readonly anywhere: { pattern: Pattern; value: T }[] = [];

  /** Adds a pattern that answers `value` where it matches. */
  add(pattern: Pattern, value: T): void {
    const entry = { pattern, value };
    for (const element of pattern.elements) {
      if (element.special !== '' && element.special !== '^') this.addTo(undefined, '', entry);
      if (element.special === '^') {
        this.addTo(this.byWord, '^', entry);
        return;
      }
      for (const word of element.exact) this.addTo(this.byWord, word, entry);
      for (const stem of element.stems) this.addTo(this.byStem, stem.slice(0, 3), entry);
      if (!element.optional) return;
    }
  }

  private addTo(
    map: Map<string, { pattern: Pattern; value: T }[]> | undefined,
    key: string,
    entry: { pattern: Pattern; value: T },
  ): void {
    const list = map === undefined ? this.anywhere : (map.get(key) ?? []);
    if (!list.includes(entry)) list.push(entry);
    map?.set(key, list);
  }

  /** The longest match of each pattern at each start inside the sentence. */
  matches(tokens: readonly Token[], sentence: TokenRange): PatternMatch<T>[] {
    const patternMatches: PatternMatch<T>[] = [];
    for (let from = sentence.from; from < sentence.to; from += 1) {
      const form = tokens[from]?.form ?? '';
      if (from === sentence.from) this.collect(this.byWord.get('^'), tokens, sentence, from, patternMatches);
      this.collect(this.byWord.get(form), tokens, sentence, from, patternMatches);
      this.collect(this.byStem.get(form.slice(0, 3)), tokens, sentence, from, patternMatches);
      this.collect(this.anywhere, tokens, sentence, from, patternMatches);
    }
    return patternMatches;
  }

  private collect(
    entries: readonly { pattern: Pattern; value: T }[] | undefined,
    tokens: readonly Token[],
    sentence: TokenRange,
    from: number,
    patternMatches: PatternMatch<T>[],
  ): void {
    for (const { pattern, value } of entries ?? []) {
      const to = matchFrom(pattern.elements, 0, tokens, sentence, from);
      if (to > from) patternMatches.push({ from, to, value });
    }
  }
}

/** Whether the pattern matches anywhere in the sentence. */
export function occursIn(pattern: Pattern, tokens: readonly Token[], sentence: TokenRange): boolean {
  for (let from = sentence.from; from < sentence.to; from += 1) {
    if (matchFrom(pattern.elements, 0, tokens, sentence, from) > from) return true;
  }
  return false;
}

/** End of the match of the elements from `at`, or -1. */
function matchFrom(
  elements: readonly Element[],
  at: number,
  tokens: readonly Token[],
  sentence: TokenRange,
  position: number,
): number {
  const element = elements[at];
  if (element === undefined) return position;
  if (element.gap > 0) return matchGap(elements, at, element.gap, tokens, sentence, position);
  if (element.special === '^') {
    return position === sentence.from ? matchFrom(elements, at + 1, tokens, sentence, position) : -1;
  }
  if (element.special === '$') return atEnd(tokens, sentence, position) ? position : -1;
  const token = position < sentence.to ? tokens[position] : undefined;
  if (token !== undefined && matchesToken(element, token)) {
    const end = matchFrom(elements, at + 1, tokens, sentence, position + 1);
    if (end >= 0) return end;
  }
  return element.optional ? matchFrom(elements, at + 1, tokens, sentence, position) : -1;
}

function matchGap(
  elements: readonly Element[],
  at: number,
  gap: number,
  tokens: readonly Token[],
  sentence: TokenRange,
  position: number,
): number {
  for (let skipped = 0; skipped <= gap && position + skipped < sentence.to; skipped += 1) {
    const end = matchFrom(elements, at + 1, tokens, sentence, position + skipped);
    if (end >= 0) return end;
    if (stops.has(tokens[position + skipped]?.form ?? '.')) return -1;
  }
  return -1;
}

/** Marks that may follow the last word of a sentence; bounds the look ahead. */
const LONGEST_ENDING = 8;

function atEnd(tokens: readonly Token[], sentence: TokenRange, position: number): boolean {
  const last = Math.min(sentence.to, position + LONGEST_ENDING);
  for (let index = position; index < last; index += 1) {
    if (tokens[index]?.kind !== 'mark') return false;
  }
  return last === sentence.to;
}

function matchesToken(element: Element, token: Token): boolean {
  if (element.special === '#') return token.kind === 'number';
  if (element.special === 'CAPS') return token.kind === 'caps';
  if (element.special === 'NAME') return token.kind === 'title' || token.kind === 'caps';
  if (element.exact.has(token.form)) return true;
  for (const stem of element.stems) if (token.form.startsWith(stem)) return true;
  return false;
}
