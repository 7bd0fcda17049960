import type { LossReason } from '../../../../foundation/client.ts';
import type { FetchPage } from '../../dependencies/pages.ts';
import type { FetchMedia } from '../../media/media-fetcher.ts';
import type { RecognisePictureText } from '../../media/picture-text.ts';
import type { DrawOverview, TranscribeRecording } from '../../media/recording-examiner.ts';
import type { Degradation, Reason } from '../../reasons.ts';
import type { WorkStage } from '../../resources/work-stage.ts';
import type { Material, MaterialKind } from '../../session/material.ts';
import type { StoredMedia } from '../../store/media.ts';

/** The submission cannot be analysed; the session fails with this code of the error table. */
export class IntakeImpossibleError extends Error {
  readonly code: string;

  constructor(code: string, cause: unknown) {
    super(`the intake is impossible: ${code}`, { cause });
    this.name = 'IntakeImpossibleError';
    this.code = code;
  }
}

/** Dependencies of the preparation steps; each step uses what it needs. */
export interface PreparationTools {
  readonly fetchPage: FetchPage;
  readonly fetchMedia: FetchMedia;
  readonly readPictureText: RecognisePictureText;
  readonly transcribeRecording: TranscribeRecording;
  readonly drawOverview: DrawOverview;
  readonly findMedia: (account: string, mediaId: string) => Promise<StoredMedia | undefined>;
  /** Names the language of a text: ISO 639-1, or und. */
  readonly identify: (text: string) => string;
}

/** The context of one run. */
export interface PreparationRun {
  readonly signal: AbortSignal;
  /** Pauses the time limit of the step while it waits in a queue; the result resumes it. */
  readonly pause: () => () => void;
  readonly correlationId: string;
  /** Realm and subject of the user: whose share of other services a step takes. */
  readonly account: string;
  /** Reports that a stage of a long step begins. */
  readonly onStageStarted?: ((stage: WorkStage) => Promise<void>) | undefined;
  /** The stored medium that the session names. */
  readonly mediaId?: string | undefined;
  /** What is spoken in a recording, as its sender says: a code of ISO 639. */
  readonly spokenLanguage?: string | undefined;
}

/** The external work of a step, and the reasons for its loss. */
export interface ExternalWork {
  /** The stage that is reported while it runs. */
  readonly stage: WorkStage;
  /** Longest wait in milliseconds. */
  readonly timeoutMs: number;
  /** The dependency that is recorded as lost when the step fails, and the effect. */
  readonly loss: Pick<Degradation, 'dependency' | 'effect'>;
  /** The reason when it gave nothing. */
  readonly lost: Reason;
  /** The reason when the step failed on every attempt. */
  readonly failed: Reason;
}

/** One step of the making of material. */
export interface Preparation {
  /** The kinds of material that it may make; plans use them to decide which components can apply. */
  readonly makes: readonly MaterialKind[];
  /** It also runs in the quick check of a stored medium, where it reads only our own store. */
  readonly quickWhenStored?: true;
  /** Its external work; null when it needs none, so that it runs while the request is accepted. */
  readonly outside: ExternalWork | null;
  /** The material with this step's addition, or the loss. External failures are results; the only error is IntakeImpossibleError. */
  run(
    material: Material,
    tools: PreparationTools,
    run: PreparationRun,
  ): Promise<Material | { readonly lost: LossReason }>;
}
