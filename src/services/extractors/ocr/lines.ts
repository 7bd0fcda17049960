import type { Box, OcrWord } from './tesseract.ts';

/** A recognised line of text. */
export interface OcrLine {
  readonly text: string;
  /** 0 to 1, by the length of words. */
  readonly confidence: number;
  readonly box: Box;
  readonly words: readonly OcrWord[];
  readonly block: string;
}

/** Lines of lower confidence are noise; short ones need more. */
const LEAST_CONFIDENCE = { long: 0.55, short: 0.85 };
/** Least letters and digits of a line, and of one that another run adds. */
const LEAST_LETTERS = { own: 2, added: 4 };
/** Least confidence of a line that another run adds, and the share of it that may overlap with other lines. */
const ADDED = { confidence: 0.75, overlap: 0.3 };
/** Letters of what may be noise, by itself or at an end of a line. */
const SHORT = 3;
/** Words count for the score from this confidence on. */
const COUNTED = 0.6;

const lettersOf = (text: string) => text.match(/[\p{L}\p{N}]/gu)?.length ?? 0;

function boundingBox(boxes: readonly Box[]): Box {
  const left = Math.min(...boxes.map(({ x }) => x));
  const top = Math.min(...boxes.map(({ y }) => y));
  const right = Math.max(...boxes.map(({ x, width }) => x + width));
  const bottom = Math.max(...boxes.map(({ y, height }) => y + height));
  return { x: left, y: top, width: right - left, height: bottom - top };
}

/** Edges of pictures are read as bars, dots and letters before and after what is written. */
function isNoise(word: OcrWord | undefined, next: OcrWord | undefined): boolean {
  if (word === undefined || word.confidence >= COUNTED) return false;
  const letters = lettersOf(word.text);
  if (letters === 0 || next === undefined) return letters === 0;
  const gap = Math.max(next.box.x - word.box.x - word.box.width, word.box.x - next.box.x - next.box.width);
  return letters <= SHORT && gap > next.box.height;
}

/** The words as lines, in the order in which they were read; noise is left out. */
export function linesOf(words: readonly OcrWord[]): OcrLine[] {
  const byLine = new Map<string, OcrWord[]>();
  for (const word of words) byLine.set(word.line, [...(byLine.get(word.line) ?? []), word]);
  return [...byLine.values()].flatMap((all): OcrLine[] => {
    const line = [...all];
    while (isNoise(line[0], line[1])) line.shift();
    while (isNoise(line.at(-1), line.at(-2))) line.pop();
    const letters = line.reduce((sum, { text }) => sum + text.length, 0);
    const confidence = line.reduce((sum, word) => sum + word.confidence * word.text.length, 0) / letters;
    const text = line.map((word) => word.text).join(' ');
    const least = lettersOf(text) <= SHORT ? LEAST_CONFIDENCE.short : LEAST_CONFIDENCE.long;
    if (lettersOf(text) < LEAST_LETTERS.own || confidence < least) return [];
    return [
      {
        text,
        confidence,
        box: boundingBox(line.map(({ box }) => box)),
        words: line,
        block: line[0]?.block ?? '',
      },
    ];
  });
}

/** A line with its box and those of its words changed alike. */
export const mapBoxes = (line: OcrLine, map: (box: Box) => Box): OcrLine => ({
  ...line,
  box: map(line.box),
  words: line.words.map((word) => ({ ...word, box: map(word.box) })),
});

/** A line with other words in the places of its own. */
export const replaceWords = (line: OcrLine, words: readonly OcrWord[]): OcrLine => ({
  ...line,
  text: words.map(({ text }) => text).join(' '),
  words,
});

/** The score of a run: letters of words of high confidence. */
export function scoreOf(lines: readonly OcrLine[]): number {
  const words = lines.flatMap((line) => line.words).filter(({ confidence }) => confidence >= COUNTED);
  return words.reduce((sum, { text, confidence }) => sum + lettersOf(text) * (2 * confidence - 1), 0);
}

/** Pixels that two boxes have in common. */
export function overlapArea(one: Box, other: Box): number {
  const width = Math.min(one.x + one.width, other.x + other.width) - Math.max(one.x, other.x);
  const height = Math.min(one.y + one.height, other.y + other.height) - Math.max(one.y, other.y);
  return Math.max(0, width) * Math.max(0, height);
}

/** Inserts a line in reading order: before the first one that lies wholly below it. */
function insertLine(lines: readonly OcrLine[], line: OcrLine): OcrLine[] {
  const at = lines.findIndex(({ box }) => box.y >= line.box.y + line.box.height / 2);
  return at === -1 ? [...lines, line] : [...lines.slice(0, at), line, ...lines.slice(at)];
}

/** The lines of the best run, with those of other runs that lie elsewhere. */
export function mergeLines(best: readonly OcrLine[], others: readonly (readonly OcrLine[])[]): OcrLine[] {
  let lines = [...best];
  for (const line of others.flat()) {
    const area = line.box.width * line.box.height;
    const isElsewhere = lines.every(({ box }) => overlapArea(box, line.box) <= ADDED.overlap * area);
    const isSure = line.confidence >= ADDED.confidence && lettersOf(line.text) >= LEAST_LETTERS.added;
    if (isElsewhere && isSure) lines = insertLine(lines, line);
  }
  return lines;
}
