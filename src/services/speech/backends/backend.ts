import type { HasCircuits } from '../../../foundation/breaker.ts';
import type { ModelBackend } from '../../../foundation/model-service/backends.ts';
import type { Sound } from '../../../media/recording/sound.ts';
import type { TimeRange } from '../../../media/recording/voice-activity.ts';
import type { SpeechModel } from '../contract.ts';
import type { PieceTranscript } from '../transcript.ts';

/** A piece of sound to transcribe, and the options of the request. */
export interface RecognitionTask {
  readonly model: string;
  readonly sound: Sound;
  readonly piece: TimeRange;
  /** Code of ISO 639, where it is known. */
  readonly language: string | undefined;
  readonly prompt: string | undefined;
  readonly temperature: number | undefined;
  readonly wantsWords: boolean;
  readonly signal: AbortSignal;
}

/** A speech recognition engine. It throws failures of the error table. */
export interface SpeechBackend extends ModelBackend<SpeechModel>, Partial<HasCircuits> {
  /** Longest piece that it accepts in seconds; unlimited when absent. */
  readonly mostSeconds?: number;
  /** Accepts model names that it does not list; engines that list the name are asked before it. */
  readonly takesAnyName?: true;
  /** Its transcripts have low confidence. */
  readonly isUnsure?: true;
  /** The model to take when a caller names none, for a language where it is known; undefined when there is none now. */
  defaultModel(language: string | undefined): Promise<string | undefined>;
  recognize(task: RecognitionTask): Promise<PieceTranscript>;
}
