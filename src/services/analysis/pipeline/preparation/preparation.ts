import type { LossReason } from '../../../../foundation/client.ts';
import type { FetchPage } from '../../dependencies/pages.ts';
import type { Degradation, Reason } from '../../reasons.ts';
import type { Material, MaterialKind } from '../../session/material.ts';

/** What the steps that make material work with; each takes what it needs. */
export interface PreparationTools {
  readonly fetchPage: FetchPage;
  /** Names the language of a text: ISO 639-1, or und. */
  readonly identify: (text: string) => string;
}

/** What goes with one run. */
export interface PreparationRun {
  readonly signal: AbortSignal;
  readonly correlationId: string;
}

/** What a step asks of the outside, and how its loss is told. */
export interface OutsideWork {
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
  /** What it waits for; null: nothing, so that it runs while a request is accepted. */
  readonly outside: OutsideWork | null;
  /** The material with what this step added to it, or how it was lost. Never throws for what lies outside. */
  run(
    material: Material,
    tools: PreparationTools,
    run: PreparationRun,
  ): Promise<Material | { readonly lost: LossReason }>;
}
