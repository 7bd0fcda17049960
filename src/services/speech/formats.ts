import { deflateSync } from 'node:zlib';
import { roundTo } from '../../foundation/numbers.ts';
import type { ResponseFormat, Transcription, VerboseTranscription } from './contract.ts';
import type { Transcript, TranscriptSegment } from './transcript.ts';

/** An answer as it is sent. */
export interface WrittenTranscript {
  readonly mediaType: string;
  readonly content: string;
}

/** Milliseconds are enough for subtitles. */
const rounded = (seconds: number) => roundTo(seconds, 3);
const STEPS_PER_SECOND = 100;

/** A time as subtitles have it: SRT with a comma before the milliseconds, WebVTT with a dot. */
function clock(seconds: number, mark: ',' | '.'): string {
  const all = Math.round(seconds * 1000);
  const two = (value: number) => String(Math.floor(value)).padStart(2, '0');
  return `${two(all / 3_600_000)}:${two((all / 60_000) % 60)}:${two((all / 1000) % 60)}${mark}${String(all % 1000).padStart(3, '0')}`;
}

/** A line of subtitles: an empty line or an arrow would end it. */
const line = ({ text }: TranscriptSegment) =>
  text
    .trim()
    .replaceAll('-->', '->')
    .replace(/\s*\n\s*/g, ' ');

function srtOf(segments: readonly TranscriptSegment[]): string {
  return segments
    .map(
      (one, index) =>
        `${index + 1}\n${clock(one.startSec, ',')} --> ${clock(one.endSec, ',')}\n${line(one)}\n\n`,
    )
    .join('');
}

function vttOf(segments: readonly TranscriptSegment[]): string {
  const cues = segments.map(
    (one) => `${clock(one.startSec, '.')} --> ${clock(one.endSec, '.')}\n${line(one)}\n\n`,
  );
  return `WEBVTT\n\n${cues.join('')}`;
}

/** How well a text can be compressed: far above 2, it repeats itself. */
function compressionRatio(text: string): number {
  const bytes = Buffer.from(text);
  return bytes.length === 0 ? 0 : Math.round((100 * bytes.length) / deflateSync(bytes).length) / 100;
}

function verboseOf(
  plain: Transcription,
  { segments, words }: Transcript,
  withWords: boolean,
): VerboseTranscription {
  return {
    task: 'transcribe',
    ...plain,
    segments: segments.map((one, id) => ({
      id,
      seek: Math.round(one.startSec * STEPS_PER_SECOND),
      start: rounded(one.startSec),
      end: rounded(one.endSec),
      text: one.text,
      tokens: [],
      temperature: one.temperature,
      avg_logprob: one.meanLogProbability,
      compression_ratio: compressionRatio(one.text),
      no_speech_prob: one.noSpeechProbability,
    })),
    ...(withWords &&
      words !== null && {
        words: words.map(({ word, startSec, endSec }) => ({
          word,
          start: rounded(startSec),
          end: rounded(endSec),
        })),
      }),
  };
}

/** Writes a transcript in the format that was asked for. */
export function writeTranscript(
  format: ResponseFormat,
  plain: Transcription,
  transcript: Transcript,
  withWords: boolean,
): WrittenTranscript {
  switch (format) {
    case 'text':
      return { mediaType: 'text/plain; charset=utf-8', content: `${plain.text}\n` };
    case 'srt':
      return { mediaType: 'application/x-subrip; charset=utf-8', content: srtOf(transcript.segments) };
    case 'vtt':
      return { mediaType: 'text/vtt; charset=utf-8', content: vttOf(transcript.segments) };
    case 'json':
      return { mediaType: 'application/json', content: JSON.stringify(plain) };
    case 'verbose_json':
      return {
        mediaType: 'application/json',
        content: JSON.stringify(verboseOf(plain, transcript, withWords)),
      };
  }
}
