import type { Token, TokenRange } from './tokens.ts';

/** Marks the tokens of a text that are words of other speakers. */
export interface SpeechAttribution {
  /** 1 where the token lies between quotation marks, or in the contribution of a named speaker. */
  readonly quoted: Uint8Array;
  /** 1 where the text also names the speaker; all 0 in a text with hardly any words of its own. */
  readonly attributed: Uint8Array;
}

/** Most sentences over which the closing mark of a quotation is searched. */
const LONGEST_QUOTATION = 8;
const LONGEST_NAME = 6;
/** Least share of the writer's own words for attribution to count. */
const OWN_SHARE = 1 / 3;
/** Longest contribution of a speaker without an end, in sentences. */
const LONGEST_TURN = 20;

const openers = new Set(['„', '«']);
const closers = new Set(['”', '»']);

/**
 * Marks the words of other speakers. `quoted` are the tokens between quotation marks of single sentences, `reported` the sentences that say that
 * somebody speaks. Linear in the length.
 */
export function attributeSpeech(
  tokens: readonly Token[],
  sentences: readonly TokenRange[],
  { quoted, reported }: { readonly quoted: Uint8Array; readonly reported: readonly boolean[] },
): SpeechAttribution {
  const marks = { quoted: Uint8Array.from(quoted), attributed: new Uint8Array(tokens.length) };
  for (const { from, to } of quotations(tokens, sentences)) marks.quoted.fill(1, from, to);
  attributeByReports(marks, sentences, reported);
  for (const { from, to } of turns(tokens, sentences)) {
    marks.quoted.fill(1, from, to);
    marks.attributed.fill(1, from, to);
  }
  if (hasOwnText(tokens, marks.attributed)) return marks;
  // Otherwise putting a whole text into quotation marks, or behind a speaker, would hide its techniques.
  return { quoted, attributed: new Uint8Array(tokens.length) };
}

function hasOwnText(tokens: readonly Token[], attributed: Uint8Array): boolean {
  const words = tokens.flatMap(({ kind }, at) => (kind === 'mark' ? [] : [attributed[at] as number]));
  const others = words.reduce((sum, mark) => sum + mark, 0);
  return words.length - others >= OWN_SHARE * words.length;
}

/** A mark without direction opens where a space stands before it and none behind. */
function directionOf(tokens: readonly Token[], at: number): 'opens' | 'closes' | undefined {
  const { form = '', start = 0, end = 0 } = tokens[at] ?? {};
  if (openers.has(form)) return 'opens';
  if (closers.has(form)) return 'closes';
  if (form !== '"' && form !== '“') return undefined;
  const spaceBefore = (tokens[at - 1]?.end ?? -1) < start;
  const spaceBehind = (tokens[at + 1]?.start ?? end + 1) > end;
  if (spaceBefore === spaceBehind) return undefined;
  return spaceBefore ? 'opens' : 'closes';
}

/** Quotations with both marks, over several sentences; a paragraph that opens one again does not end it. */
function quotations(tokens: readonly Token[], sentences: readonly TokenRange[]): TokenRange[] {
  const ranges: TokenRange[] = [];
  let open: { readonly at: number; readonly sentence: number } | undefined;
  for (const [sentence, { from, to }] of sentences.entries()) {
    if (open !== undefined && sentence - open.sentence >= LONGEST_QUOTATION) open = undefined;
    for (let at = from; at < to; at += 1) {
      const direction = directionOf(tokens, at);
      if (direction === 'opens') open ??= { at, sentence };
      if (direction !== 'closes' || open === undefined) continue;
      ranges.push({ from: open.at, to: at });
      open = undefined;
    }
  }
  return ranges;
}

/** A quotation is attributed when a sentence that it touches, or one beside them, reports speech. */
function attributeByReports(
  { quoted, attributed }: SpeechAttribution,
  sentences: readonly TokenRange[],
  reported: readonly boolean[],
): void {
  const namesSpeaker = (sentence: number) => [-1, 0, 1].some((step) => reported[sentence + step] === true);
  let start = 0;
  while (start < sentences.length) {
    let end = start;
    while (end + 1 < sentences.length && quoted[sentences[end + 1]?.from ?? 0] === 1 && isQuotedAtEnd(end))
      end += 1;
    const places = sentences.slice(start, end + 1);
    if (places.some((_, step) => namesSpeaker(start + step)))
      for (const { from, to } of places)
        for (let at = from; at < to; at += 1) attributed[at] = quoted[at] as number;
    start = end + 1;
  }
  function isQuotedAtEnd(sentence: number): boolean {
    return quoted[(sentences[sentence]?.to ?? 1) - 1] === 1;
  }
}

/** Turns of a conversation that is written down: two speakers or more, each named twice at the beginning of a sentence. */
function turns(tokens: readonly Token[], sentences: readonly TokenRange[]): TokenRange[] {
  const names = sentences.map((sentence) => speakerOf(tokens, sentence));
  const counts = new Map<string, number>();
  for (const name of names) if (name !== undefined) counts.set(name, (counts.get(name) ?? 0) + 1);
  const speakers = new Set([...counts].filter(([, count]) => count > 1).map(([name]) => name));
  // "Myth:" and "Fact:" are nobody: one of them at least has a first name and a surname.
  if (speakers.size < 2 || ![...speakers].some((name) => name.includes(' '))) return [];
  const ranges: TokenRange[] = [];
  let last: { readonly from: number; readonly sentence: number } | undefined;
  for (const [sentence, { from, to }] of sentences.entries()) {
    if (speakers.has(names[sentence] ?? '')) last = { from, sentence };
    if (last !== undefined && sentence - last.sentence < LONGEST_TURN) ranges.push({ from, to });
  }
  return ranges;
}

/** "Ana Pop:" at the beginning of a sentence. */
function speakerOf(tokens: readonly Token[], { from, to }: TokenRange): string | undefined {
  const name: string[] = [];
  for (let index = from; index < Math.min(to, from + LONGEST_NAME); index += 1) {
    const token = tokens[index];
    if (token?.form === ':') return name.length === 0 ? undefined : name.join(' ');
    if (token?.kind !== 'title' && token?.kind !== 'caps') return undefined;
    name.push(token.form);
  }
  return undefined;
}
