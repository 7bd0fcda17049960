import { countWords } from '../../../../text/words.ts';
import type { Known, KnownWithin } from './known-claims.ts';
import type { Place } from './voice.ts';

/** The part of a sentence that makes a known claim. */
export interface Core extends Place {
  readonly known: Known;
}

/** Behind these a claim may begin within a sentence. */
const BEGINS =
  /[:;,–—-]\s+|["“„«]|(?<![\p{L}])(?:that|că|ca|but|yet|dar|însă|insa|ci|so|deci|because|fiindcă|is|este|e)\s+/giu;
/** Before these it may end. */
const ENDS = /\s*[,;:–—?!.…"”»]+|\s+(?:and|şi|și|si|iar|but|dar|because|since|pentru|fiindcă)(?![\p{L}])/giu;
/** A part that begins with a word that binds it to what stands before, or ends in a mark that does, is cut too wide. */
const BOUND = /^(?:that|că|ca|so|but|yet|because|dar|însă|insa|deci|și|si|and|fiindcă)(?![\p{L}])|[,;:–—]$/iu;
/** More places than these has no sentence that anybody would read. */
const MOST_PLACES = 8;
/** A claim of fewer words says too little. */
const LEAST_WORDS = 3;

const placesOf = (text: string, pattern: RegExp, at: (match: RegExpMatchArray) => number) =>
  [...text.matchAll(pattern)].map(at).slice(0, MOST_PLACES);

/** The longest part of a sentence that makes a known claim and that `isUsable`; undefined when there is none. */
export function coreOf(
  sentence: string,
  within: KnownWithin,
  isUsable: (core: Core) => boolean,
): Core | undefined {
  if (!within.some) return undefined;
  const starts = [0, ...placesOf(sentence, BEGINS, ({ index = 0, 0: mark }) => index + mark.length)];
  const ends = [...placesOf(sentence, ENDS, ({ index = 0 }) => index), sentence.length];
  const parts = starts
    .flatMap((start) => ends.filter((end) => end > start).map((end) => ({ start, end })))
    .toSorted((one, two) => two.end - two.start - (one.end - one.start));
  for (const { start, end } of parts) {
    const part = sentence.slice(start, end);
    if (BOUND.test(part) || countWords(part) < LEAST_WORDS) continue;
    const known = within.match(part);
    if (known === undefined) continue;
    const core = { start, end, known };
    if (isUsable(core)) return core;
  }
  return undefined;
}
