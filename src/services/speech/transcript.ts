/** A word with its times. */
export interface TranscriptWord {
  readonly word: string;
  readonly startSec: number;
  readonly endSec: number;
}

/** A few words that belong together, a line of subtitles. */
export interface TranscriptSegment {
  readonly text: string;
  readonly startSec: number;
  readonly endSec: number;
  readonly temperature: number | null;
  readonly meanLogProbability: number | null;
  readonly noSpeechProbability: number | null;
}

/** The transcript of one piece of sound, with times from the start of the piece. */
export interface PieceTranscript {
  readonly text: string;
  /** Code of ISO 639; null when the engine does not say. */
  readonly language: string | null;
  /** Null when the engine gives no times. */
  readonly segments: readonly TranscriptSegment[] | null;
  /** Null when the engine gives none, or was not asked. */
  readonly words: readonly TranscriptWord[] | null;
}

/** A piece of the recording and its transcript. */
export interface TranscribedPiece {
  readonly startSec: number;
  readonly endSec: number;
  readonly transcript: PieceTranscript;
}

/** The transcript of a whole recording. */
export interface Transcript {
  readonly text: string;
  readonly language: string | null;
  readonly segments: readonly TranscriptSegment[];
  readonly words: readonly TranscriptWord[] | null;
  /** False when a piece came without times: it is one segment then. */
  readonly hasSegments: boolean;
}

/** Joins pieces in their order: times are counted from the start of the recording, and lie within it. */
export function joinPieces(pieces: readonly TranscribedPiece[]): Transcript {
  const segments = pieces.flatMap(({ startSec, endSec, transcript }) =>
    (transcript.segments ?? wholePiece(transcript.text, endSec - startSec)).map((segment) => ({
      ...segment,
      ...within(segment, startSec, endSec),
    })),
  );
  const words = pieces.every(({ transcript }) => transcript.words !== null)
    ? pieces.flatMap(({ startSec, endSec, transcript }) =>
        (transcript.words ?? []).map((word) => ({ ...word, ...within(word, startSec, endSec) })),
      )
    : null;
  return {
    text: pieces
      .map(({ transcript }) => transcript.text.trim())
      .filter(Boolean)
      .join(' '),
    language: likeliest(pieces),
    segments,
    words,
    hasSegments: pieces.every(({ transcript }) => transcript.segments !== null),
  };
}

function wholePiece(text: string, lengthSec: number): TranscriptSegment[] {
  if (text.trim() === '') return [];
  const unknown = { temperature: null, meanLogProbability: null, noSpeechProbability: null };
  return [{ text: text.trim(), startSec: 0, endSec: lengthSec, ...unknown }];
}

/** Engines may report times beyond the end of their piece: they are clamped to it. */
function within({ startSec, endSec }: { startSec: number; endSec: number }, from: number, to: number) {
  const start = Math.min(to, from + Math.max(0, startSec));
  return { startSec: start, endSec: Math.max(start, Math.min(to, from + endSec)) };
}

/** The language of the most text. */
function likeliest(pieces: readonly TranscribedPiece[]): string | null {
  const lengths = new Map<string, number>();
  for (const { transcript } of pieces)
    if (transcript.language !== null)
      lengths.set(transcript.language, (lengths.get(transcript.language) ?? 0) + transcript.text.length + 1);
  return [...lengths].sort(([, one], [, two]) => two - one)[0]?.[0] ?? null;
}

/** Words with so long a pause between them are two lines of subtitles. */
const PAUSE_SECONDS = 0.6;
/** Words of one line of subtitles. */
const MOST_WORDS = 12;

/** Lines of subtitles from words: cut at pauses, and where they would grow too long. */
export function segmentsOfWords(
  words: readonly (TranscriptWord & { readonly logProbability?: number })[],
): TranscriptSegment[] {
  const lines: (typeof words)[number][][] = [];
  for (const word of words) {
    const line = lines.at(-1);
    const last = line?.at(-1);
    const isSameLine = last !== undefined && word.startSec - last.endSec < PAUSE_SECONDS;
    if (line !== undefined && isSameLine && line.length < MOST_WORDS) line.push(word);
    else lines.push([word]);
  }
  return lines.map((line) => {
    const logProbabilities = line.flatMap(({ logProbability }) => logProbability ?? []);
    const sum = logProbabilities.reduce((total, value) => total + value, 0);
    return {
      text: line.map(({ word }) => word).join(' '),
      startSec: line[0]?.startSec ?? 0,
      endSec: line.at(-1)?.endSec ?? 0,
      temperature: null,
      meanLogProbability: logProbabilities.length === line.length ? sum / logProbabilities.length : null,
      noSpeechProbability: null,
    };
  });
}
