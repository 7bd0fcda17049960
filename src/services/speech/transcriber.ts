import { Failure } from '../../foundation/errors.ts';
import { modelsOf } from '../../foundation/model-service/backends.ts';
import type { SpeechBackend } from './backends/backend.ts';
import type { Degradation, SpeechModel } from './contract.ts';
import { errors } from './errors.ts';
import { piecesOf } from './pieces.ts';
import type { HeardRecording } from './recordings.ts';
import { type HeardPiece, joinPieces, type Transcript } from './transcript.ts';

/** What a caller wants of a transcript. */
export interface Wish {
  readonly model: string | undefined;
  readonly language: string | undefined;
  readonly prompt: string | undefined;
  readonly temperature: number | undefined;
  readonly wantsWords: boolean;
}

/** A transcript, what wrote it, and what it lacks. */
export interface Transcribed {
  readonly transcript: Transcript;
  readonly engine: { readonly model: string; readonly backend: string } | null;
  readonly lacks: readonly Degradation[];
  /** What engines that gave nothing said. */
  readonly losses: readonly { readonly backend: string; readonly code: string; readonly message: string }[];
}

/** What is needed to transcribe. */
export interface TranscriberOptions {
  /** In the order in which they are asked. */
  readonly backends: readonly SpeechBackend[];
  readonly pieceSeconds: () => number;
}

const NOTHING: Transcript = { text: '', language: null, segments: [], words: [], hasSegments: true };
/** What another engine would answer in the same way: it is the request that is wrong. */
const OF_THE_CALLER = new Set(['request_refused', 'model_not_found', 'rate_limited']);

/** An engine, the model that it is asked for, and what that hears; null when it does not tell. */
interface Choice {
  readonly backend: SpeechBackend;
  readonly model: string;
  readonly languages: readonly string[] | null;
}

/** The engines that have a model, or all with their own when none is named, in the order in which they are asked. */
async function enginesFor(
  backends: readonly SpeechBackend[],
  { model, language }: Pick<Wish, 'model' | 'language'>,
): Promise<Choice[]> {
  const found = await Promise.all(
    backends.map(async (backend): Promise<Choice[]> => {
      if (model !== undefined) {
        const named = await backend.find(model);
        return named === undefined ? [] : [{ backend, model: named.id, languages: named.languages }];
      }
      // What an engine takes of itself hears the language.
      const name = await backend.defaultModel(language);
      return name === undefined ? [] : [{ backend, model: name, languages: null }];
    }),
  );
  const all = found.flat();
  const exact = all.filter(({ backend }) => backend.takesAnyName !== true);
  return model !== undefined && exact.length > 0 ? exact : all;
}

/** What is answered when no engine is asked, or none has heard anything. */
const nothing = (...lacks: Degradation[]): Transcribed => ({
  transcript: NOTHING,
  engine: null,
  lacks,
  losses: [],
});

/** Has one engine hear all pieces with voices. */
async function hearAll(
  { sound, voices }: HeardRecording,
  wish: Wish,
  { backend, model }: Choice,
  pieceSeconds: number,
  signal: AbortSignal,
): Promise<Pick<Transcribed, 'transcript' | 'engine' | 'lacks'>> {
  const most = Math.min(pieceSeconds, backend.mostSeconds ?? Number.POSITIVE_INFINITY);
  const heard: HeardPiece[] = [];
  for (const piece of piecesOf(voices.stretches, most))
    heard.push({ ...piece, heard: await backend.hear({ ...wish, model, sound, piece, signal }) });
  const transcript = joinPieces(heard);
  const lacks: Degradation[] = [
    ...(backend.isUnsure === true ? (['low_confidence'] as const) : []),
    ...(wish.wantsWords && transcript.words === null ? (['no_words'] as const) : []),
    ...(transcript.hasSegments ? [] : (['no_segments'] as const)),
  ];
  return { transcript, engine: { model, backend: backend.name }, lacks };
}

/** Every engine in turn, until one hears the whole recording. Without any, an empty transcript that says so. */
export async function transcribe(
  recording: HeardRecording,
  wish: Wish,
  { backends, pieceSeconds }: TranscriberOptions,
  signal: AbortSignal,
): Promise<Transcribed> {
  const named = await enginesFor(backends, wish);
  const { language } = wish;
  const engines = named.filter(
    ({ languages }) => language === undefined || languages === null || languages.includes(language),
  );
  if (named.length > 0 && engines.length === 0) return nothing('language_unknown');
  if (engines.length === 0) {
    const isThere = (await modelsOf<SpeechModel>(backends)).length > 0;
    if (isThere && wish.model !== undefined) throw errors.model_not_found();
    return nothing(isThere ? 'language_unknown' : 'no_engine');
  }
  // Engines make words up where nobody speaks.
  if (recording.voices.stretches.length === 0) return nothing();
  const losses: { backend: string; code: string; message: string }[] = [];
  for (const engine of engines) {
    try {
      return { ...(await hearAll(recording, wish, engine, pieceSeconds(), signal)), losses };
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof Failure)) throw error;
      if (OF_THE_CALLER.has(error.code)) throw error;
      losses.push({ backend: engine.backend.name, code: error.code, message: error.message });
    }
  }
  return { ...nothing('engine_failed'), losses };
}
