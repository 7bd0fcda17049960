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

/** The engines that have a model, or all with their own when none is named, in the order in which they are asked. */
async function enginesFor(
  backends: readonly SpeechBackend[],
  model: string | undefined,
): Promise<{ backend: SpeechBackend; model: string }[]> {
  const found = await Promise.all(
    backends.map(async (backend) => {
      const name = model === undefined ? await backend.defaultModel() : (await backend.find(model))?.id;
      return name === undefined ? [] : [{ backend, model: name }];
    }),
  );
  return found.flat();
}

/** Every engine in turn, until one hears the whole recording. Without any, an empty transcript that says so. */
export async function transcribe(
  { sound, voices }: HeardRecording,
  wish: Wish,
  { backends, pieceSeconds }: TranscriberOptions,
  signal: AbortSignal,
): Promise<Transcribed> {
  const engines = await enginesFor(backends, wish.model);
  if (engines.length === 0 && (await modelsOf<SpeechModel>(backends)).length > 0)
    throw errors.model_not_found();
  if (engines.length === 0) return { transcript: NOTHING, engine: null, lacks: ['no_engine'], losses: [] };
  // Engines make words up where nobody speaks.
  if (voices.stretches.length === 0) return { transcript: NOTHING, engine: null, lacks: [], losses: [] };
  const pieces = piecesOf(voices.stretches, pieceSeconds());
  const losses: { backend: string; code: string; message: string }[] = [];
  for (const { backend, model } of engines) {
    try {
      const heard: HeardPiece[] = [];
      for (const piece of pieces)
        heard.push({ ...piece, heard: await backend.hear({ ...wish, model, sound, piece, signal }) });
      const transcript = joinPieces(heard);
      const lacks: Degradation[] = [
        ...(wish.wantsWords && transcript.words === null ? (['no_words'] as const) : []),
        ...(transcript.hasSegments ? [] : (['no_segments'] as const)),
      ];
      return { transcript, engine: { model, backend: backend.name }, lacks, losses };
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof Failure)) throw error;
      if (OF_THE_CALLER.has(error.code)) throw error;
      losses.push({ backend: backend.name, code: error.code, message: error.message });
    }
  }
  return { transcript: NOTHING, engine: null, lacks: ['engine_failed'], losses };
}
