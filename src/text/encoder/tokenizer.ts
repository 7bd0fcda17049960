import { LRUCache } from 'lru-cache';
import { z } from 'zod';

/** The pieces of an encoder, as the header of its file has them. */
export const vocabularySchema = z
  .object({
    /** In the order of their ids. */
    pieces: z.array(z.string()).min(1),
    /** A null score counts as 0. */
    scores: z.array(z.number().nullable()),
    /** Ids below this number are marks of the encoder, never matched in a text. */
    reserved: z.int().min(1),
  })
  .refine(({ pieces, scores }) => pieces.length === scores.length, {
    error: 'there must be a score for each piece',
  });

/** The pieces of an encoder. */
export type PieceVocabulary = z.infer<typeof vocabularySchema>;

/** A piece of a text: its id (0 for characters that the vocabulary lacks) and where it stands, in code points. */
export interface Piece {
  readonly id: number;
  readonly start: number;
  readonly end: number;
}

/** The pieces of a text, at most `limit` of them; `truncated` when there were more. */
export interface TokenizedText {
  readonly pieces: readonly Piece[];
  readonly truncated: boolean;
}

/** Cuts text into the pieces of a sentencepiece unigram model. */
export interface Tokenizer {
  tokenize(text: string, limit: number): TokenizedText;
}

/** A word of the normalised text; `origins` are the code points of the text behind each of its own. */
interface NormalWord {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  readonly origins: readonly (readonly [start: number, end: number])[] | null;
}

/** Id and length in code points of the pieces of one word. */
type Segmentation = readonly { readonly id: number; readonly length: number }[];

/** Stands for the space before a word. */
const WORD_MARK = '\u2581';
const UNKNOWN = 0;
/** Words in the cache. A news text of 50,000 characters has some 3,000 different ones. */
const CACHED_WORDS = 8192;
const CACHED_WORD_LENGTH = 32;
/** Code points of a word that are read: more than the pieces of one sentence can hold, and no word of any language. */
const LONGEST_WORD = 4096;

/** A tokenizer; it keeps the segmentation of words it met lately. */
export function createTokenizer(vocabulary: PieceVocabulary): Tokenizer {
  const segment = segmenter(vocabulary);
  const cache = new LRUCache<string, Segmentation>({ max: CACHED_WORDS });
  const cached = (word: string): Segmentation => {
    const known = cache.get(word);
    if (known !== undefined) return known;
    const pieces = segment.word(word, false);
    if (word.length <= CACHED_WORD_LENGTH) cache.set(word, pieces);
    return pieces;
  };
  return {
    tokenize: (text, limit) => {
      const pieces: Piece[] = [];
      for (const word of normalWords(text)) {
        const first = pieces.length === 0;
        const segmentation = first ? segment.word(word.text, true) : cached(word.text);
        place(pieces, word, segmentation);
        if (pieces.length > limit) return { pieces: pieces.slice(0, limit), truncated: true };
      }
      return { pieces, truncated: false };
    },
  };
}

/** Appends the pieces of a word; the mark before the word takes no place in the text. */
function place(pieces: Piece[], word: NormalWord, segmentation: Segmentation): void {
  let at = -1;
  for (const { id, length } of segmentation) {
    const from = Math.max(0, at);
    const to = Math.max(0, at + length);
    const start = word.origins === null ? word.start + from : (word.origins[from]?.[0] ?? word.end);
    const end = word.origins === null ? word.start + to : (word.origins[to - 1]?.[1] ?? start);
    const before = pieces.at(-1);
    // Unknown characters that follow one another are one piece.
    if (id === UNKNOWN && before?.id === UNKNOWN) pieces[pieces.length - 1] = { ...before, end };
    else pieces.push({ id, start, end: Math.max(start, end) });
    at += length;
  }
}

/** The words of a text in NFKC, each up to the longest length that is read. */
function* normalWords(text: string): Generator<NormalWord> {
  const normal = text.normalize('NFKC');
  if (normal === text) {
    let passed = 0;
    let index = 0;
    for (const match of text.matchAll(/\S+/gu)) {
      passed += codePoints(text.slice(index, match.index));
      const word =
        match[0].length > LONGEST_WORD
          ? [...match[0].slice(0, 2 * LONGEST_WORD)].slice(0, LONGEST_WORD).join('')
          : match[0];
      const length = codePoints(match[0]);
      yield { text: word, start: passed, end: passed + length, origins: null };
      passed += length;
      index = match.index + match[0].length;
    }
    return;
  }
  yield* mappedWords(text);
}

/** The same for a text that NFKC changes: each letter with its marks is normalised alone, so that its place is known. */
function* mappedWords(text: string): Generator<NormalWord> {
  let characters: string[] = [];
  let origins: [number, number][] = [];
  const finish = (): NormalWord => ({
    text: characters.slice(0, LONGEST_WORD).join(''),
    start: origins[0]?.[0] ?? 0,
    end: origins.at(-1)?.[1] ?? 0,
    origins,
  });
  let position = 0;
  for (const [cluster] of text.matchAll(/\P{M}\p{M}*|\p{M}+/gsu)) {
    const end = position + codePoints(cluster);
    for (const character of cluster.normalize('NFKC')) {
      if (!/\s/u.test(character)) {
        characters.push(character);
        origins.push([position, end]);
      } else if (characters.length > 0) {
        yield finish();
        characters = [];
        origins = [];
      }
    }
    position = end;
  }
  if (characters.length > 0) yield finish();
}

function codePoints(text: string): number {
  let count = 0;
  for (let index = 0; index < text.length; index++) {
    // The second half of a pair is not counted.
    if ((text.codePointAt(index) ?? 0) > 0xffff) index++;
    count++;
  }
  return count;
}

/** The best segmentation of one word: the one with the highest sum of scores. */
function segmenter({ pieces, scores, reserved }: PieceVocabulary) {
  // Of equal pieces the later one holds.
  const ids = new Map<string, number>();
  let longestPiece = 1;
  for (let id = reserved; id < pieces.length; id++) {
    ids.set(pieces[id] ?? '', id);
    longestPiece = Math.max(longestPiece, [...(pieces[id] ?? '')].length);
  }
  const starts = new Set([...ids.keys()].map((piece) => [...piece][0]));

  const word = (text: string, first: boolean): Segmentation => {
    const symbols = [WORD_MARK, ...text];
    const best = new Float64Array(symbols.length + 1);
    const lengths = new Uint8Array(symbols.length + 1);
    const chosen = new Uint16Array(symbols.length + 1);
    // The original takes a sum of exactly 0 for "not reached yet", which shows only at the start of a text.
    best[0] = first ? 0 : -1;
    for (let end = 1; end <= symbols.length; end++) {
      for (let start = Math.max(0, end - longestPiece); start < end; start++) {
        const id = ids.get(symbols.slice(start, end).join(''));
        const unknown = id === undefined && end - start === 1 && !starts.has(symbols[start] ?? '');
        if (id === undefined && !unknown) continue;
        const score = (best[start] ?? 0) + (id === undefined ? 0 : (scores[id] ?? 0));
        if (lengths[end] !== 0 && best[end] !== 0 && score < (best[end] ?? 0)) continue;
        best[end] = score;
        lengths[end] = end - start;
        chosen[end] = id ?? UNKNOWN;
      }
    }
    return backwards(chosen, lengths);
  };
  return { word };
}

function backwards(chosen: Uint16Array, lengths: Uint8Array): Segmentation {
  const segments: { id: number; length: number }[] = [];
  for (let end = chosen.length - 1; end > 0; ) {
    const length = Math.max(1, lengths[end] ?? 1);
    segments.push({ id: chosen[end] ?? UNKNOWN, length });
    end -= length;
  }
  return segments.reverse();
}
