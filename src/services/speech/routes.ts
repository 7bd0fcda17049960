import { Readable } from 'node:stream';
import { fairQueueKey } from '../../foundation/caller-share.ts';
import { modelsOf } from '../../foundation/model-service/backends.ts';
import { roundTo } from '../../foundation/numbers.ts';
import type { FileSink } from '../../foundation/payloads.ts';
import type { Call, Handlers } from '../../foundation/service.ts';
import type { TemporaryFile } from '../../foundation/temporary-files.ts';
import type { speech, Transcription, TranscriptionFields } from './contract.ts';
import { DEGRADATION_MESSAGES } from './degradation-messages.ts';
import { writeTranscript } from './formats.ts';
import type { DecodedRecording, Recordings } from './recordings.ts';
import { type TranscriberDependencies, type TranscriptionResult, transcribe } from './transcriber.ts';

/** What the routes work with. */
export interface SpeechDependencies extends TranscriberDependencies {
  readonly files: FileSink<TemporaryFile>;
  readonly recordings: Recordings;
  /** The language of a text, or und. */
  readonly languageOf: (text: string) => string;
  readonly largestFile: () => number;
}

const rounded = (seconds: number) => roundTo(seconds, 3);

function plainOf(
  { durationSec, voices }: DecodedRecording,
  { transcript, engine, degradations }: TranscriptionResult,
  language: string,
): Transcription {
  return {
    text: transcript.text,
    language,
    duration: rounded(durationSec),
    engine,
    voice: {
      voiced_seconds: rounded(voices.voicedSec),
      stretches: voices.ranges.map(({ startSec, endSec }) => ({
        start: rounded(startSec),
        end: rounded(endSec),
      })),
    },
    degraded: degradations.map((reason) => ({
      dependency: 'speech_engine' as const,
      reason,
      message: DEGRADATION_MESSAGES[reason].en,
      message_ro: DEGRADATION_MESSAGES[reason].ro,
    })),
  };
}

const wantsWords = (fields: TranscriptionFields) =>
  [...(fields['timestamp_granularities[]'] ?? []), ...(fields.timestamp_granularities ?? [])].includes(
    'word',
  );

/** Handlers of the speech service. */
export function speechRoutes(needs: SpeechDependencies): Handlers<typeof speech.operations> {
  const { backends, files, recordings, languageOf, largestFile } = needs;
  const transcribeFile = async (path: string, fields: TranscriptionFields, caller: string, call: Call) => {
    const options = {
      model: fields.model,
      language: fields.language?.toLowerCase(),
      prompt: fields.prompt,
      temperature: fields.temperature,
      wantsWords: wantsWords(fields) && fields.response_format === 'verbose_json',
    };
    const { mediaType, content } = await recordings.withRecording(
      { path, caller },
      async (recording) => {
        const result = await transcribe(recording, options, needs, call.signal);
        for (const loss of result.losses) call.log.warn(loss, 'a speech engine gave nothing');
        const { text, language } = result.transcript;
        const named = text === '' ? 'und' : (options.language ?? language ?? languageOf(text));
        const plain = plainOf(recording, result, named);
        return writeTranscript(fields.response_format, plain, result.transcript, options.wantsWords);
      },
      call.signal,
    );
    const bytes = Buffer.from(content);
    return {
      mediaType,
      size: bytes.length,
      open: () => Readable.from([bytes]),
      disposition: 'inline' as const,
    };
  };
  return {
    transcribe: ({ body, headers }, call) => {
      const caller = fairQueueKey(headers, call);
      return recordings.admitted(caller, async () => {
        const { fields, files: received } = await body.receive(files, { maxFileBytes: largestFile() });
        try {
          return await transcribeFile(received.file.path, fields, caller, call);
        } finally {
          await files.discard(received.file);
        }
      });
    },
    models: async () => ({ object: 'list', data: await modelsOf(backends) }),
  };
}
