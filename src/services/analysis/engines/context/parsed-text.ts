import cueData from '../../../../../data/context/cues.json' with { type: 'json' };
import ruleData from '../../../../../data/context/rules.json' with { type: 'json' };
import { isLetter, isLowerCase, isUpperCase } from '../../../../text/characters.ts';
import type { PlainText } from '../../../../text/plain/plain-text.ts';
import type { TextRange } from '../../../../text/positions.ts';
import { ruleLanguagesOf } from '../../../../text/rule-languages.ts';
import { type Sentence, sentencesOf } from '../../../../text/sentences.ts';
import type { Span } from '../../resources/finding.ts';
import type { TextEncoding } from '../encoding/text-encoding.ts';
import { toPlainText } from '../plain-text.ts';
import { type ContextCue, lexiconFor, type PhraseMeaning } from './lexicons.ts';
import { type FoldedWord, foldedWords, type PhraseMatch, withoutOverlap } from './phrases.ts';

/** Input of the context rules. */
export interface ContextInput {
  /** The text that offsets count in; `ParsedText.input` holds the normalised text. */
  text: string;
  /** The title that the page gives itself; without one the first line may serve as headline. */
  title: string | null;
  /** ISO 639-1, or und. */
  language: string;
  /** Labels that the page gives itself, such as satire. */
  flags: readonly string[];
  /** The source is known to publish satire. */
  satirical_source: boolean;
  /** Sentence vectors of the text; without them the words decide alone. */
  encoding?: TextEncoding | undefined;
}

/** The headline; `start` and `end` (UTF-16) are null when it stands outside the text. */
export interface Headline {
  text: string;
  start: number | null;
  end: number | null;
}

/** A phrase of a cue, a topic or a genre, with its place. */
export type LexiconMatch = PhraseMatch<PhraseMeaning>;

/** A text parsed once for all rules: words, sentences, headline and every phrase of the lexicons. */
export interface ParsedText {
  input: ContextInput;
  /** Maps ranges of the normalised text back to the submitted text. */
  positions: Pick<PlainText, 'span'>;
  words: readonly FoldedWord[];
  sentences: readonly Sentence[];
  headline: Headline | null;
  /** Words of the headline, wherever it stands. */
  headlineWords: readonly FoldedWord[];
  /** First word after the headline. */
  bodyFrom: number;
  matches: readonly LexiconMatch[];
  /** Phrases of the headline; word indices count in headlineWords. */
  headlineMatches: readonly LexiconMatch[];
}

const limits = ruleData.headline;

/** Parses a text for the context and virality rules, in time linear in its length. */
export function parseText(input: ContextInput): ParsedText {
  const { language } = input;
  const plain = toPlainText(input.text);
  const { text } = plain;
  const title = input.title === null ? null : toPlainText(input.title).text;
  const words = foldedWords(text);
  const lexicon = lexiconFor(
    ruleLanguagesOf(
      words.map((word) => word.text),
      language,
    ),
  );
  const headline = headlineOf(text, title);
  const inside = headline?.end ?? null;
  const bodyFrom = inside === null ? 0 : words.findIndex((word) => word.start >= inside);
  const headlineWords = headline === null ? [] : foldedWords(headline.text);
  return {
    input: { ...input, text, title },
    positions: plain,
    words,
    sentences: sentencesOf(text),
    headline,
    headlineWords,
    bodyFrom: bodyFrom < 0 ? words.length : bodyFrom,
    matches: lexicon.find(words),
    headlineMatches: lexicon.find(headlineWords),
  };
}

/** The page's title, placed in the text where the text begins with it; else a first line that reads like a headline. */
function headlineOf(text: string, title: string | null): Headline | null {
  const wanted = title?.trim() ?? '';
  if (wanted !== '') {
    const start = text.slice(0, wanted.length + limits.longest_characters).indexOf(wanted);
    return start < 0
      ? { text: wanted, start: null, end: null }
      : { text: wanted, start, end: start + wanted.length };
  }
  const start = text.length - text.trimStart().length;
  const end = text.indexOf('\n', start);
  if (end < 0 || end - start > limits.longest_characters) return null;
  const line = text.slice(start, end).trimEnd();
  const isSentence = /[.;:,…]$/u.test(line);
  const wordCount = line.split(/\s+/u).length;
  const body = text.slice(end).trim();
  if (isSentence || wordCount > limits.longest_words || body.length <= line.length) return null;
  return { text: line, start, end: start + line.length };
}

const unbroken: ReadonlySet<string> = new Set(cueData.unbroken);

/** Whether a mark parts the words of a phrase that needs them together: "We met today, only two came". */
function isBroken({ input, words }: ParsedText, { phrase, from, to }: LexiconMatch): boolean {
  if (!unbroken.has(phrase)) return false;
  return /[,.;:!?…]/u.test(input.text.slice(words[from]?.end, words[to - 1]?.start));
}

/** Matches of one cue in the text, longest first where they overlap; a longer phrase without weight hides a cue in it. */
export function cueMatches(parsed: ParsedText, cue: ContextCue): LexiconMatch[] {
  const found = parsed.matches.filter(
    (match) => match.value.kind === 'cue' && match.value.code === cue && !isBroken(parsed, match),
  );
  return withoutOverlap(found).filter(({ value }) => value.weight > 0);
}

/** Sum of weights, each phrase counted a limited number of times, scaled by the length of the text. */
export function cueWeight(matches: readonly LexiconMatch[], wordCount: number): number {
  const counts = new Map<string, number>();
  let weight = 0;
  for (const { phrase, value } of matches) {
    const count = (counts.get(phrase) ?? 0) + 1;
    counts.set(phrase, count);
    if (count <= ruleData.repeats_counted) weight += value.weight;
  }
  return scaledByLength(weight, wordCount);
}

/** Divides a count by sqrt(max(1, words / length_words)): the same cue weighs less in a long text. */
export function scaledByLength(count: number, wordCount: number): number {
  return count / Math.sqrt(Math.max(1, wordCount / ruleData.length_words));
}

/** The span of a match in the text. */
export function spanOfMatch(parsed: ParsedText, match: LexiconMatch): Span | null {
  const first = parsed.words[match.from];
  const last = parsed.words[match.to - 1];
  return first === undefined || last === undefined ? null : parsed.positions.span(first.start, last.end);
}

/** Spans of the matches, in order, at most `limit`. */
export function spansOf(parsed: ParsedText, matches: readonly LexiconMatch[], limit: number): Span[] {
  return matches.slice(0, limit).flatMap((match) => spanOfMatch(parsed, match) ?? []);
}

/** Letters that make a single word in capitals more than an acronym, and that a run of such words needs. */
const CAPITALS = { word: 7, run: 8, shortestWord: 2 };

/** A run of words in capitals. */
export interface CapitalRun extends TextRange {
  words: number;
}

/** Runs of words in capitals: one long word, or several whose letters add up; acronyms alone do not count. */
export function capitalRuns(text: string, words: readonly FoldedWord[]): CapitalRun[] {
  const runs: CapitalRun[] = [];
  let run: { start: number; end: number; letters: number; words: number } | null = null;
  const close = () => {
    const long = run !== null && run.letters >= (run.words > 1 ? CAPITALS.run : CAPITALS.word);
    if (run !== null && long) runs.push({ start: run.start, end: run.end, words: run.words });
    run = null;
  };
  for (const word of words) {
    const letters = capitalLetters(text, word);
    if (letters < CAPITALS.shortestWord) {
      if (letters < 0) close();
      continue;
    }
    if (run !== null && text.slice(run.end, word.start).includes('\n')) close();
    run ??= { start: word.start, end: word.end, letters: 0, words: 0 };
    run = { start: run.start, end: word.end, letters: run.letters + letters, words: run.words + 1 };
  }
  close();
  return runs;
}

/** Number of letters of a word in capitals; -1 when it has a small letter. */
function capitalLetters(text: string, word: TextRange): number {
  let letters = 0;
  for (let index = word.start; index < word.end; index++) {
    const unit = text.charCodeAt(index);
    if (isLowerCase(unit)) return -1;
    if (isLetter(unit) && isUpperCase(unit)) letters++;
  }
  return letters;
}

/** Rows of two or more exclamation or question marks with at least one exclamation mark. */
export function exclamationRows(text: string): TextRange[] {
  const rows: TextRange[] = [];
  for (const match of text.matchAll(/[!?]{2,}/gu)) {
    if (match[0].includes('!')) rows.push({ start: match.index, end: match.index + match[0].length });
  }
  return rows;
}
