import type { TextRange } from '../../../../text/positions.ts';
import { countWords } from '../../../../text/words.ts';
import type { KnownClaimMatches, KnownMatch } from './known-claims.ts';

/** The part of a sentence that makes a known claim. */
export interface KnownClaimPart extends TextRange {
  readonly known: KnownMatch;
}

/** A claim may begin after one of these within a sentence. */
const BEGINS =
  /[:;,–—-]\s+|["“„«]|(?<![\p{L}])(?:that|că|ca|but|yet|dar|însă|insa|ci|so|deci|because|fiindcă|is|este|e)\s+/giu;
/** A claim may end before one of these. */
const ENDS = /\s*[,;:–—?!.…"”»]+|\s+(?:and|şi|și|si|iar|but|dar|because|since|pentru|fiindcă)(?![\p{L}])/giu;
/** A part that begins with a conjunction or ends in a mark of continuation is not a whole clause. */
const BOUND = /^(?:that|că|ca|so|but|yet|because|dar|însă|insa|deci|și|si|and|fiindcă)(?![\p{L}])|[,;:–—]$/iu;
/** Most starts and most ends that are tried in a sentence, so that the work stays small. */
const MOST_PLACES = 8;
/** Least words of a claim. */
const LEAST_WORDS = 3;

const placesOf = (text: string, pattern: RegExp, at: (match: RegExpMatchArray) => number) =>
  [...text.matchAll(pattern)].map(at).slice(0, MOST_PLACES);

/** The longest part of a sentence that makes a known claim and that `isUsable`; undefined when there is none. */
export function knownClaimPart(
  sentence: string,
  within: KnownClaimMatches,
  isUsable: (core: KnownClaimPart) => boolean,
): KnownClaimPart | undefined {
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
