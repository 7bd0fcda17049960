import type { TimedWords } from './timed-text.ts';

/** What is written in one frame. */
export interface FrameText {
  readonly timeSec: number;
  readonly text: string;
}

/** A line is a subtitle when at least this share of its words is also spoken. */
const SUBTITLE_SHARE = 0.7;
/** Lines with fewer letters are dropped: scores, clocks and misread fragments. */
const LEAST_LETTERS = 4;

const wordsOf = (text: string) => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
const keyOf = (line: string) => wordsOf(line).join(' ');
const lettersOf = (line: string) => line.match(/\p{L}/gu)?.length ?? 0;

/** Whether a line repeats what is spoken. */
function isSubtitle(line: string, transcript: ReadonlySet<string>): boolean {
  const words = wordsOf(line);
  const known = words.filter((word) => transcript.has(word)).length;
  return words.length > 0 && known / words.length >= SUBTITLE_SHARE;
}

/**
 * The text lines shown in a video, each once, from the first frame that shows it to the last. Subtitles are left out, since the
 * transcript has their words already.
 */
export function onScreenText(frames: readonly FrameText[], transcript: string): TimedWords[] {
  const spoken = new Set(wordsOf(transcript));
  const lines = new Map<string, { startSec: number; endSec: number; text: string }>();
  for (const { timeSec, text } of frames)
    for (const line of text.split('\n')) {
      const key = keyOf(line);
      if (lettersOf(line) < LEAST_LETTERS || isSubtitle(line, spoken)) continue;
      const known = lines.get(key);
      if (known === undefined) lines.set(key, { startSec: timeSec, endSec: timeSec, text: line });
      else known.endSec = timeSec;
    }
  return [...lines.values()];
}
