import { FormData } from 'undici';
import { z } from 'zod';
import { Failure } from '../../../foundation/errors.ts';
import {
  type ListedModel,
  openModelUpstream,
  type UpstreamOptions,
  upstreamBackend,
  upstreamModel,
} from '../../../foundation/model-service/upstream.ts';
import type { SpeechModel } from '../contract.ts';
import { errors } from '../errors.ts';
import { languageCode } from '../language-codes.ts';
import { wavOf } from '../pieces.ts';
import type { PieceTranscript } from '../transcript.ts';
import type { RecognitionTask, SpeechBackend } from './backend.ts';

/** Largest answer: an hour with the times of every word. */
const ANSWER_BYTES = 16 * 1024 * 1024;
const LONGEST_TEXT = 200_000;

const time = z.number().min(0).max(1e6);
const word = z.object({ word: z.string(), start: time, end: time });
const segment = z.object({
  start: time,
  end: time,
  text: z.string(),
  temperature: z.number().nullish(),
  avg_logprob: z.number().nullish(),
  no_speech_prob: z.number().nullish(),
  words: z.array(word).nullish(),
});
const answer = z.object({
  text: z.string().max(LONGEST_TEXT),
  language: z.string().nullish(),
  segments: z.array(segment).nullish(),
  words: z.array(word).nullish(),
});

type Answer = z.infer<typeof answer>;

const describe = (model: ListedModel): SpeechModel => ({
  ...upstreamModel(model),
  languages: null,
  low_confidence: false,
});

function formOf(
  { model, sound, piece, language, prompt, temperature, wantsWords }: RecognitionTask,
  format: string,
) {
  const form = new FormData();
  form.append('file', new Blob([new Uint8Array(wavOf(sound, piece))], { type: 'audio/wav' }), 'piece.wav');
  form.append('model', model);
  form.append('response_format', format);
  if (language !== undefined) form.append('language', language);
  if (prompt !== undefined) form.append('prompt', prompt);
  if (temperature !== undefined) form.append('temperature', String(temperature));
  if (format !== 'verbose_json') return form;
  form.append('timestamp_granularities[]', 'segment');
  if (wantsWords) form.append('timestamp_granularities[]', 'word');
  return form;
}

/** Some servers list words beside the segments, others within each segment. */
function transcriptOf({ text, language, segments, words }: Answer): PieceTranscript {
  const inSegments = segments?.flatMap((one) => one.words ?? []) ?? [];
  const timed = words ?? (inSegments.length > 0 ? inSegments : null);
  return {
    text: text.trim(),
    language: languageCode(language),
    segments:
      segments?.map((one) => ({
        text: one.text.trim(),
        startSec: one.start,
        endSec: one.end,
        temperature: one.temperature ?? null,
        meanLogProbability: one.avg_logprob ?? null,
        noSpeechProbability: one.no_speech_prob ?? null,
      })) ?? null,
    words: timed?.map((one) => ({ word: one.word, startSec: one.start, endSec: one.end })) ?? null,
  };
}

/** A server with /audio/transcriptions and, optionally, /models below its root. */
export function createUpstreamBackend(
  options: UpstreamOptions & { readonly defaultModel: string },
): SpeechBackend {
  const upstream = openModelUpstream(options, { name: 'speech upstream', answerBytes: ANSWER_BYTES, errors });
  const send = (task: RecognitionTask, format: string) =>
    upstream.postForm('/audio/transcriptions', formOf(task, format), answer, task.signal);
  /** Some models have no timestamps and refuse requests for them: these are asked again for plain text. */
  const ask = (task: RecognitionTask) =>
    send(task, 'verbose_json').catch((error: unknown) => {
      if (error instanceof Failure && error.code === 'request_refused') return send(task, 'json');
      throw error;
    });
  return {
    ...upstreamBackend(upstream, describe, { modelList: false }),
    takesAnyName: true,
    models: async (signal) => {
      const listed = await upstream.models(signal);
      const known =
        listed.length > 0 ? listed : [{ id: options.defaultModel, created: 0, owned_by: 'upstream' }];
      return known.map(describe);
    },
    defaultModel: async () => options.defaultModel,
    recognize: async (task) => {
      const response = await ask(task).catch((error: unknown) => {
        task.signal.throwIfAborted();
        if (error instanceof Failure && error.code === 'backend_unavailable') return ask(task);
        throw error;
      });
      return transcriptOf(response);
    },
  };
}
