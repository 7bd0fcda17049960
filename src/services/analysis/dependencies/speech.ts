import type { Client, LossReason } from '../../../foundation/client.ts';
import { parseJson } from '../../../foundation/json.ts';
import type { OutgoingFile } from '../../../foundation/payloads.ts';
import { type speech, type VerboseTranscription, verboseTranscription } from '../../speech/contract.ts';
import type { Reason } from '../reasons.ts';
import type { TimedWords } from '../session/timed-text.ts';
import { type CallContext, callerShare } from './caller-share.ts';

/** The part of the speech service that the analysis calls. */
export type SpeechClient = Pick<Client<typeof speech>, 'transcribe'>;

/** The speech of a recording as text. */
export interface RecordingTranscript {
  readonly durationSec: number;
  readonly voicedSec: number;
  /** `low_confidence`: the text may be no more than a hint. */
  readonly engine: {
    readonly model: string;
    readonly backend: string;
    readonly low_confidence: boolean;
  } | null;
  readonly words: readonly TimedWords[];
  /** Why there are no words; null when there are some. */
  readonly without: Reason | null;
}

/** Result of a transcription: the transcript, the reason of a refusal, or `lost` when the call failed. */
export type SpeechOutcome =
  | { readonly transcript: RecordingTranscript }
  | { readonly refused: Reason }
  | { readonly lost: LossReason };

const REFUSALS: Readonly<Record<string, Reason>> = {
  no_sound: { code: 'recording_without_sound', values: {} },
  broken_media: { code: 'recording_broken', values: {} },
  media_too_long: { code: 'recording_too_long', values: {} },
  payload_too_large: { code: 'recording_too_long', values: {} },
};

/** Most bytes of an answer: hours of speech with their times. */
const ANSWER_BYTES = 8 * 1024 * 1024;
/** Time limit: a fixed part and a part for each second of the recording, enough for slow processors. */
const TIME = { fixedMs: 45_000, eachSecondMs: 750 } as const;
/** Assumed for a recording of unknown length. */
const LONGEST_SECONDS = 420;

/** The code in the body of a refusal, when it has the form of that service. */
function codeOf(body: unknown): string {
  const error = typeof body === 'object' && body !== null && 'error' in body ? body.error : undefined;
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : '';
}

function wordsOf({ segments, text, duration }: VerboseTranscription): TimedWords[] {
  if (segments.length === 0) return text === '' ? [] : [{ startSec: 0, endSec: duration, text }];
  return segments.map((segment) => ({
    startSec: segment.start,
    endSec: segment.end,
    text: segment.text,
  }));
}

function outcomeOf(answer: VerboseTranscription): SpeechOutcome {
  const lacks = (reason: VerboseTranscription['degraded'][number]['reason']) =>
    answer.degraded.some((one) => one.reason === reason);
  if (lacks('engine_failed')) return { lost: 'unavailable' };
  const words = wordsOf(answer);
  const { duration: durationSec, voice } = answer;
  const engine = answer.engine && { ...answer.engine, low_confidence: lacks('low_confidence') };
  const wordless = voice.voiced_seconds > 0 ? 'speech_no_words' : 'nothing_said';
  const code = lacks('no_engine')
    ? 'speech_no_engine'
    : lacks('language_unknown')
      ? 'speech_language_unknown'
      : wordless;
  const without: Reason | null = words.length === 0 ? { code, values: {} } : null;
  return { transcript: { durationSec, voicedSec: voice.voiced_seconds, engine, words, without } };
}

/** Has a recording transcribed. A failure of the service is an outcome, never an exception. */
export async function transcribe(
  client: SpeechClient,
  file: OutgoingFile,
  durationSec: number | null,
  {
    account,
    correlationId,
    signal,
    spokenLanguage,
  }: CallContext & { readonly spokenLanguage?: string | undefined },
): Promise<SpeechOutcome> {
  let outcome: SpeechOutcome = { lost: 'unavailable' };
  const answer = await client.transcribe(
    {
      headers: callerShare(account),
      body: {
        fields: {
          response_format: 'verbose_json',
          ...(spokenLanguage !== undefined && { language: spokenLanguage }),
        },
        files: { file },
      },
    },
    {
      signal,
      correlationId,
      answerBytes: ANSWER_BYTES,
      wholeInTime: true,
      timeoutMs: TIME.fixedMs + TIME.eachSecondMs * (durationSec ?? LONGEST_SECONDS),
      lost: ({ reason }) => {
        outcome = { lost: reason };
      },
      refused: ({ body }) => {
        outcome = { refused: REFUSALS[codeOf(body)] ?? { code: 'recording_not_examined', values: {} } };
      },
    },
  );
  if (answer === undefined) return outcome;
  const text = await answer.content.toArray().then(
    (parts) => Buffer.concat(parts).toString('utf8'),
    // The `lost` callback has stored the reason already.
    () => undefined,
  );
  signal.throwIfAborted();
  if (text === undefined) return outcome;
  const parsed = verboseTranscription.safeParse(parseJson(text));
  return parsed.success ? outcomeOf(parsed.data) : { lost: 'invalid_answer' };
}
