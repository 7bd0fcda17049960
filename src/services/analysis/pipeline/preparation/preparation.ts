import type { LossReason } from '../../../../foundation/client.ts';
import type { FetchPage } from '../../dependencies/pages.ts';
import type { FetchMedia } from '../../media/media-fetcher.ts';
import type { ReadPictureText } from '../../media/picture-text.ts';
import type { DrawOverview, TranscribeRecording } from '../../media/recording-examiner.ts';
import type { Degradation, Reason } from '../../reasons.ts';
import type { WorkStage } from '../../resources/work-stage.ts';
import type { Material, MaterialKind } from '../../session/material.ts';
import type { StoredMedia } from '../../store/media.ts';

/** What was submitted is nothing that can be analysed; the session ends with this code of the error table. */
export class IntakeImpossibleError extends Error {
  readonly code: string;

  constructor(code: string, cause: unknown) {
    super(`the intake is impossible: ${code}`, { cause });
    this.name = 'IntakeImpossibleError';
    this.code = code;
  }
}

/** What the steps that make material work with; each takes what it needs. */
export interface PreparationTools {
  readonly fetchPage: FetchPage;
  readonly fetchMedia: FetchMedia;
  readonly readPictureText: ReadPictureText;
  readonly transcribeRecording: TranscribeRecording;
  readonly drawOverview: DrawOverview;
  readonly findMedia: (account: string, mediaId: string) => Promise<StoredMedia | undefined>;
  /** Names the language of a text: ISO 639-1, or und. */
  readonly identify: (text: string) => string;
}

/** What goes with one run. */
export interface PreparationRun {
  readonly signal: AbortSignal;
  /** Stops the clock of the step's time limit while it waits for its turn; the result starts it again. */
  readonly pause: () => () => void;
  readonly correlationId: string;
  /** Realm and subject of the user: whose share of other services a step takes. */
  readonly account: string;
  /** Tells those who watch that a part of a long step begins. */
  readonly began?: ((stage: WorkStage) => Promise<void>) | undefined;
  /** The stored medium that the session names. */
  readonly mediaId?: string | undefined;
  /** What is spoken in a recording, as its sender says: a code of ISO 639. */
  readonly spokenLanguage?: string | undefined;
}

/** What a step asks of the outside, and how its loss is told. */
export interface OutsideWork {
  /** What those who watch a long session are told while it lasts. */
  readonly stage: WorkStage;
  /** Longest wait in milliseconds. */
  readonly timeoutMs: number;
  /** Who is named when the step gives nothing, and what that does to the result. */
  readonly loss: Pick<Degradation, 'dependency' | 'effect'>;
  /** Why its material is missing when nothing came. */
  readonly lost: Reason;
  /** Why its material is missing when the step failed each time. */
  readonly failed: Reason;
}

/** One step of the making of material. */
export interface Preparation {
  /** The kinds of material that it may make; a plan knows from them what can apply. */
  readonly makes: readonly MaterialKind[];
  /** It takes part in the quick check of a stored medium, for which it only looks into our own store. */
  readonly quickWhenStored?: true;
  /** What it waits for; null: nothing, so that it runs while a request is accepted. */
  readonly outside: OutsideWork | null;
  /** The material with what this step added to it, or how it was lost. For what lies outside it throws nothing but IntakeImpossibleError. */
  run(
    material: Material,
    tools: PreparationTools,
    run: PreparationRun,
  ): Promise<Material | { readonly lost: LossReason }>;
}
