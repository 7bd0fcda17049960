import { Readable } from 'node:stream';
import { fairQueueKey } from '../../foundation/caller-share.ts';
import { modelsOf } from '../../foundation/model-service/backends.ts';
import type { FileSink } from '../../foundation/payloads.ts';
import type { Call, Handlers } from '../../foundation/service.ts';
import type { TemporaryFile } from '../../foundation/temporary-files.ts';
import type { speech, Transcription, TranscriptionFields } from './contract.ts';
import { writeTranscript } from './formats.ts';
import type { HeardRecording, Recordings } from './recordings.ts';
import { type Transcribed, type TranscriberOptions, transcribe } from './transcriber.ts';
import { DEGRADATION_WORDS } from './words.ts';

/** What the routes work with. */
export interface SpeechDependencies extends TranscriberOptions {
  readonly files: FileSink<TemporaryFile>;
  readonly recordings: Recordings;
  /** The language of a text, or und. */
  readonly languageOf: (text: string) => string;
  readonly largestFile: () => number;
}

const rounded = (seconds: number) => Math.round(seconds * 1000) / 1000;

function plainOf(
  { durationSec, voices }: HeardRecording,
  { transcript, engine, lacks }: Transcribed,
  language: string,
): Transcription {
  return {
    text: transcript.text,
    language,
    duration: rounded(durationSec),
    engine,
    voice: {
      voiced_seconds: rounded(voices.voicedSec),
      stretches: voices.stretches.map(({ startSec, endSec }) => ({
        start: rounded(startSec),
        end: rounded(endSec),
      })),
    },
    degraded: lacks.map((reason) => ({
      dependency: 'speech_engine' as const,
      reason,
      message: DEGRADATION_WORDS[reason].en,
      message_ro: DEGRADATION_WORDS[reason].ro,
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
  const written = async (path: string, fields: TranscriptionFields, caller: string, call: Call) => {
    const wish = {
      model: fields.model,
      language: fields.language?.toLowerCase(),
      prompt: fields.prompt,
      temperature: fields.temperature,
      wantsWords: wantsWords(fields) && fields.response_format === 'verbose_json',
    };
    const { mediaType, content } = await recordings.withRecording(
      { path, caller },
      async (recording) => {
        const heard = await transcribe(recording, wish, needs, call.signal);
        for (const loss of heard.losses) call.log.warn(loss, 'a speech engine gave nothing');
        const { text, language } = heard.transcript;
        const named = text === '' ? 'und' : (wish.language ?? language ?? languageOf(text));
        const plain = plainOf(recording, heard, named);
        return writeTranscript(fields.response_format, plain, heard.transcript, wish.wantsWords);
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
          return await written(received.file.path, fields, caller, call);
        } finally {
          await files.discard(received.file);
        }
      });
    },
    models: async () => ({ object: 'list', data: await modelsOf(backends) }),
  };
}
