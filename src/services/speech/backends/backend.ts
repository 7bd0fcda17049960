import type { Circuited } from '../../../foundation/breaker.ts';
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
export interface SpeechBackend extends ModelBackend<SpeechModel>, Partial<Circuited> {
  /** The model to take when a caller names none; undefined when there is none now. */
  defaultModel(): Promise<string | undefined>;
  hear(task: HearingTask): Promise<PieceTranscript>;
}
