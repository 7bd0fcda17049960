import { Failure } from '../../foundation/errors.ts';
import { modelsOf } from '../../foundation/model-service/backends.ts';
import type { SpeechBackend } from './backends/backend.ts';
import type { Degradation, SpeechModel } from './contract.ts';
import { errors } from './errors.ts';
import { piecesOf } from './pieces.ts';
import type { DecodedRecording } from './recordings.ts';
import { joinPieces, type TranscribedPiece, type Transcript } from './transcript.ts';

/** The options of one request. */
export interface TranscriptionOptions {
  readonly model: string | undefined;
  readonly language: string | undefined;
  readonly prompt: string | undefined;
  readonly temperature: number | undefined;
  readonly wantsWords: boolean;
}

/** A transcript, the engine that made it, and how it is degraded. */
export interface TranscriptionResult {
  readonly transcript: Transcript;
  readonly engine: { readonly model: string; readonly backend: string } | null;
  readonly degradations: readonly Degradation[];
  /** Failures of the engines that were tried before. */
  readonly losses: readonly { readonly backend: string; readonly code: string; readonly message: string }[];
}

/** What is needed to transcribe. */
export interface TranscriberDependencies {
  /** In the order in which they are tried. */
  readonly backends: readonly SpeechBackend[];
  readonly pieceSeconds: () => number;
}

const EMPTY_TRANSCRIPT: Transcript = { text: '', language: null, segments: [], words: [], hasSegments: true };
/** Errors of the request itself: another engine would refuse it as well. */
const CALLER_ERRORS = new Set(['request_refused', 'model_not_found', 'rate_limited']);

/** An engine, the model to use, and the languages of that model; null when they are not known. */
interface Choice {
  readonly backend: SpeechBackend;
  readonly model: string;
  readonly languages: readonly string[] | null;
}

/** The engines that have a model, or all with their own when none is named, in the order in which they are tried. */
async function enginesFor(
  backends: readonly SpeechBackend[],
  { model, language }: Pick<TranscriptionOptions, 'model' | 'language'>,
): Promise<Choice[]> {
  const choices = await Promise.all(
    backends.map(async (backend): Promise<Choice[]> => {
      if (model !== undefined) {
        const named = await backend.find(model);
        return named === undefined ? [] : [{ backend, model: named.id, languages: named.languages }];
      }
      // The default model was chosen for the language, so it needs no further check.
      const name = await backend.defaultModel(language);
      return name === undefined ? [] : [{ backend, model: name, languages: null }];
    }),
  );
  const all = choices.flat();
  const exact = all.filter(({ backend }) => backend.takesAnyName !== true);
  return model !== undefined && exact.length > 0 ? exact : all;
}

/** An empty transcript, for requests without a usable engine or without speech. */
const emptyResult = (...degradations: Degradation[]): TranscriptionResult => ({
  transcript: EMPTY_TRANSCRIPT,
  engine: null,
  degradations,
  losses: [],
});

/** Transcribes all pieces with voices by one engine. */
async function recognizePieces(
  { sound, voices }: DecodedRecording,
  options: TranscriptionOptions,
  { backend, model }: Choice,
  pieceSeconds: number,
  signal: AbortSignal,
): Promise<Pick<TranscriptionResult, 'transcript' | 'engine' | 'degradations'>> {
  const most = Math.min(pieceSeconds, backend.mostSeconds ?? Number.POSITIVE_INFINITY);
  const transcribed: TranscribedPiece[] = [];
  for (const piece of piecesOf(voices.ranges, most))
    transcribed.push({
      ...piece,
      transcript: await backend.recognize({ ...options, model, sound, piece, signal }),
    });
  const transcript = joinPieces(transcribed);
  const degradations: Degradation[] = [
    ...(backend.isUnsure === true ? (['low_confidence'] as const) : []),
    ...(options.wantsWords && transcript.words === null ? (['no_words'] as const) : []),
    ...(transcript.hasSegments ? [] : (['no_segments'] as const)),
  ];
  return { transcript, engine: { model, backend: backend.name }, degradations };
}

/** Tries each engine until one transcribes the whole recording. Without any, the transcript is empty and says why. */
export async function transcribe(
  recording: DecodedRecording,
  options: TranscriptionOptions,
  { backends, pieceSeconds }: TranscriberDependencies,
  signal: AbortSignal,
): Promise<TranscriptionResult> {
  const named = await enginesFor(backends, options);
  const { language } = options;
  const engines = named.filter(
    ({ languages }) => language === undefined || languages === null || languages.includes(language),
  );
  if (named.length > 0 && engines.length === 0) return emptyResult('language_unknown');
  if (engines.length === 0) {
    const isThere = (await modelsOf<SpeechModel>(backends)).length > 0;
    if (isThere && options.model !== undefined) throw errors.model_not_found();
    return emptyResult(isThere ? 'language_unknown' : 'no_engine');
  }
  // Engines invent words in silence, so it is not sent to them.
  if (recording.voices.ranges.length === 0) return emptyResult();
  const losses: { backend: string; code: string; message: string }[] = [];
  for (const engine of engines) {
    try {
      return { ...(await recognizePieces(recording, options, engine, pieceSeconds(), signal)), losses };
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof Failure)) throw error;
      if (CALLER_ERRORS.has(error.code)) throw error;
      losses.push({ backend: engine.backend.name, code: error.code, message: error.message });
    }
  }
  return { ...emptyResult('engine_failed'), losses };
}
