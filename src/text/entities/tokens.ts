import { type Sentence, sentencesOf } from '../sentences.ts';

/** A word, number or mark with its UTF-16 offsets. */
export interface EntityToken {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Addresses, users and tags whole; words with what joins them; numbers; every other mark by itself. */
const TOKEN =
  /(?:https?:\/\/|www\.)\S+|[@#][\p{L}\p{N}_]+|\p{L}(?:[\p{L}\p{M}\p{N}]|[.'’&-](?=[\p{L}\p{N}]))*\.?|\p{N}+(?:[.,:/-]\p{N}+)*|[^\s\p{L}\p{N}]/gu;
/** What English writes onto a word and the corpora set apart. */
const ENGLISH_END = /(?:n['’]t|['’](?:s|re|ve|ll|d|m))$/iu;
/** Romanian clitics before and behind a hyphen; names with a hyphen stay whole. */
const ROMANIAN_START =
  /^((?:într|dintr|printr|s|l|i|le|mi|ți|ţi|și|şi|n|m|v|c|d|ne|ni|li|vi|te|ce|de|nu|să|că|pe|las|a|o|am|ar|au|aș)-)(?=\p{L})/iu;
const ROMANIAN_END = /-\p{Ll}{1,4}$/u;

function pieces(text: string, start: number, language: string): EntityToken[] {
  const whole = { start, end: start + text.length, text };
  const parts = (at: number): EntityToken[] => [
    ...pieces(text.slice(0, at), start, language),
    ...pieces(text.slice(at), start + at, language),
  ];
  // A full stop belongs to an initial or to initials ("J.", "U.S."), not to the last word of a sentence.
  if (/\p{L}{2,}\.$/u.test(text) && !/\..*\./u.test(text)) return parts(text.length - 1);
  if (language === 'ro') {
    const at = ROMANIAN_START.exec(text)?.[1]?.length ?? ROMANIAN_END.exec(text)?.index ?? 0;
    return at === 0 || at === text.length ? [whole] : parts(at);
  }
  const end = ENGLISH_END.exec(text);
  return end === null || end.index === 0 ? [whole] : parts(end.index);
}

/** Tokens as the corpora of names cut them; `offset` is where the text begins. */
export function entityTokens(text: string, language: string, offset = 0): EntityToken[] {
  return [...text.matchAll(TOKEN)].flatMap((match) => pieces(match[0], offset + match.index, language));
}

/** Tokens that are read at once; a longer sentence is cut. */
const MOST_TOKENS = 256;

/** The tokens of a text, sentence by sentence. */
export function tokenSentences(text: string, language: string): EntityToken[][] {
  return sentencesOf(text).flatMap(({ start, text: own }: Sentence) => {
    const tokens = entityTokens(own, language, start);
    const cuts = Math.ceil(tokens.length / MOST_TOKENS);
    return Array.from({ length: cuts }, (_, cut) => tokens.slice(cut * MOST_TOKENS, (cut + 1) * MOST_TOKENS));
  });
}
