import type { HasCircuits } from '../../../foundation/breaker.ts';
import type { ModelBackend } from '../../../foundation/model-service/backends.ts';
import type { Sound } from '../../../media/recording/sound.ts';
import type { Stretch } from '../../../media/recording/voice-activity.ts';
import type { SpeechModel } from '../contract.ts';
import type { PieceTranscript } from '../transcript.ts';

/** A piece of sound to be heard. */
export interface HearingTask {
  readonly model: string;
  readonly sound: Sound;
  readonly piece: Stretch;
  /** Code of ISO 639, where it is known. */
  readonly language: string | undefined;
  readonly prompt: string | undefined;
  readonly temperature: number | undefined;
  readonly wantsWords: boolean;
  readonly signal: AbortSignal;
}

/** Something that writes down what it hears. Failures are those of the error table. */
export interface SpeechBackend extends ModelBackend<SpeechModel>, Partial<HasCircuits> {
  /** Seconds of the longest piece that it hears at once; any when absent. */
  readonly mostSeconds?: number;
  /** Takes names that it does not list, so that engines with a model of the name go first. */
  readonly takesAnyName?: true;
  /** What it writes down is a hint. */
  readonly isUnsure?: true;
  /** The model to take when a caller names none, for a language where it is known; undefined when there is none now. */
  defaultModel(language: string | undefined): Promise<string | undefined>;
  hear(task: HearingTask): Promise<PieceTranscript>;
}
