import { roundTo } from '../../../foundation/numbers.ts';
import type { Passage, Recording, StoredRecording } from '../resources/recording.ts';

/** Words with the time at which they are said or shown. */
export interface TimedWords {
  readonly startSec: number;
  readonly endSec: number;
  readonly text: string;
}

/** A text and the passages that it is made of. */
export interface TimedText {
  readonly text: string;
  readonly passages: readonly Passage[];
}

/** Seconds of silence after which a new line begins. */
const PAUSE_SECONDS = 2;

const lengthOf = (text: string) => [...text].length;
const squeezed = (text: string) => text.replace(/\s+/g, ' ').trim();
const rounded = (seconds: number) => roundTo(Math.max(0, seconds), 3);

/** The separator between two passages: a space, or a line break after silence and between lines on screen. */
function between(before: TimedWords, { startSec }: TimedWords, kind: Passage['kind']): string {
  return kind === 'screen' || startSec - before.endSec >= PAUSE_SECONDS ? '\n' : ' ';
}

/** Joins timed words into one text of at most `most` code points; passages that do not fit whole are left out. */
export function joinWords(words: readonly TimedWords[], kind: Passage['kind'], most: number): TimedText {
  const passages: Passage[] = [];
  let text = '';
  let length = 0;
  let last: TimedWords | undefined;
  for (const each of words) {
    const own = squeezed(each.text);
    if (own === '') continue;
    const gap = last === undefined ? '' : between(last, each, kind);
    const start = length + gap.length;
    const end = start + lengthOf(own);
    if (end > most) break;
    text += gap + own;
    length = end;
    passages.push({ kind, start, end, start_s: rounded(each.startSec), end_s: rounded(each.endSec) });
    last = each;
  }
  return { text, passages };
}

/** Words of an unreliable transcript with their times, at most `most` code points of them. */
export function recordingHints(words: readonly TimedWords[], most: number): StoredRecording['hints'] {
  const { text, passages } = joinWords(words, 'speech', most);
  const points = [...text];
  return passages.map(({ start, end, start_s, end_s }) => ({
    start_s,
    end_s,
    text: points.slice(start, end).join(''),
  }));
}

/** Appends a text after an empty line. */
export function appendText(first: TimedText, second: TimedText): TimedText {
  if (first.text === '' || second.text === '') return first.text === '' ? second : first;
  const offset = lengthOf(first.text) + 2;
  const moved = second.passages.map((one) => ({ ...one, start: one.start + offset, end: one.end + offset }));
  return { text: `${first.text}\n\n${second.text}`, passages: [...first.passages, ...moved] };
}

/** The times at which a range of the text is said or shown: from the start of its first passage to the end of its last. */
export function timesOf(
  { start, end }: { readonly start: number; readonly end: number },
  passages: readonly Passage[],
): { readonly start_s: number; readonly end_s: number } | undefined {
  const touched = passages.filter((one) => one.start < end && one.end > start);
  const [first] = touched;
  // Spoken and shown passages overlap in time: the kind of the first one counts.
  const own = touched.filter(({ kind }) => kind === first?.kind);
  if (first === undefined) return undefined;
  return { start_s: first.start_s, end_s: Math.max(...own.map((one) => one.end_s)) };
}

const isQuote = (value: object): value is { start: number; end: number } =>
  'quote' in value &&
  'start' in value &&
  'end' in value &&
  typeof value.start === 'number' &&
  typeof value.end === 'number';

/** The finding with times added to each passage that it quotes, at any depth. */
export function addTimes<Finding>(finding: Finding, passages: readonly Passage[]): Finding {
  if (passages.length === 0) return finding;
  const timed = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(timed);
    if (typeof value !== 'object' || value === null) return value;
    const fields = Object.fromEntries(Object.entries(value).map(([name, field]) => [name, timed(field)]));
    return isQuote(value) ? { ...fields, ...timesOf(value, passages) } : fields;
  };
  return timed(finding) as Finding;
}

/** A recording as its session shows it. */
export function publicRecording({ passages, hints, ...parts }: StoredRecording, text: string): Recording {
  const points = [...text];
  return {
    ...parts,
    transcript: [
      ...hints.map((one) => ({ ...one, kind: 'speech' as const, start: 0, end: 0, judged: false })),
      ...passages.map((one) => ({ ...one, text: points.slice(one.start, one.end).join(''), judged: true })),
    ],
  };
}
