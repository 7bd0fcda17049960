import type { TimedWords } from './timed-text.ts';

/** What is written in one frame. */
export interface FrameText {
  readonly timeSec: number;
  readonly text: string;
}

/** A line of which so much is said, too, is a subtitle. */
const SUBTITLE_SHARE = 0.7;
/** Shorter lines are numbers of scores and scraps of letters. */
const LEAST_LETTERS = 4;

const wordsOf = (text: string) => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
const keyOf = (line: string) => wordsOf(line).join(' ');
const lettersOf = (line: string) => line.match(/\p{L}/gu)?.length ?? 0;

/** Whether a line only repeats what is said. */
function isSubtitle(line: string, said: ReadonlySet<string>): boolean {
  const words = wordsOf(line);
  const known = words.filter((word) => said.has(word)).length;
  return words.length > 0 && known / words.length >= SUBTITLE_SHARE;
}

/**
 * The lines that are shown in a video, each once, from the first frame that shows it to the last; without subtitles of what is
 * said, which would count everything twice.
 */
export function shownWords(frames: readonly FrameText[], said: string): TimedWords[] {
  const spoken = new Set(wordsOf(said));
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
