import { z } from 'zod';
import type { TextForm } from '../../../text/text-form.ts';
import { type Degradation, LOSS_EFFECTS, LOSS_REASONS, type Reason, storedReason } from '../reasons.ts';
import type { Blocks } from '../resources/component-blocks.ts';
import type { ComponentName } from '../resources/component-name.ts';

/**
 * How much a component's answer weighs: 1 as planned, 0.85 when a fallback engine answered for a lost dependency,
 * 0.5 when a part that has no other engine is missing (`degraded`).
 */
export const RELIABILITY = { planned: 1, fallback: 0.85, degraded: 0.5 } as const;
export type Reliability = keyof typeof RELIABILITY;

/** A component that ran to an answer, scored or not. */
export interface RanOutcome<Block> {
  state: 'ran';
  block: Block;
  reliability: Reliability;
  /** Quality of the evidence behind the answer, 0 to 1; each component defines its own measure. */
  quality: number;
  /** Models of the chain that failed before the one that answered. */
  fallbacks: number;
  /** The input lies outside what the detectors were tested on. */
  out_of_scope: boolean;
}

/** A component that was not requested, or does not apply to this input. */
export interface SkippedOutcome {
  state: 'skipped';
  reason: Reason;
}

/** A component that was requested and gave no answer. */
export interface LostOutcome {
  state: 'lost';
  reason: Reason;
}

/** A component without an answer, and why. */
export interface Omission {
  readonly component: ComponentName;
  readonly reason: Reason;
}

/** The outcome of one component. */
export type Outcome<Block> = RanOutcome<Block> | SkippedOutcome | LostOutcome;

/** The schema of a stored outcome whose block has this schema. */
export function storedOutcome<Block>(block: z.ZodType<Block>): z.ZodType<Outcome<Block>> {
  return z.discriminatedUnion('state', [
    z.object({
      state: z.literal('ran'),
      block,
      reliability: z.enum(['planned', 'fallback', 'degraded']),
      quality: z.number(),
      fallbacks: z.int(),
      out_of_scope: z.boolean(),
    }),
    z.object({ state: z.literal('skipped'), reason: storedReason }),
    z.object({ state: z.literal('lost'), reason: storedReason }),
  ]);
}

/** The schema of a stored loss. */
export const storedDegradation: z.ZodType<Degradation> = z.object({
  dependency: z.string(),
  reason: z.enum(LOSS_REASONS),
  effect: z.enum(LOSS_EFFECTS),
});

/** The four component outcomes of one analysis. */
export type Outcomes = { [Name in ComponentName]: Outcome<Blocks[Name]> };

/** Facts for the verdict beside the outcomes; rules that need an absent one do not apply. */
export interface VerdictFacts {
  /** Length of the analysed text in code points; null when there is none. */
  text_length: number | null;
  /** ISO 639-1 code of the analysed text; null when undetermined. */
  language: string | null;
  /** Whether the text is prose, code, or lines of a list or verse; undefined when not determined. */
  text_form?: TextForm;
  /** Losses while the material was made (recognition, transcription) that no outcome carries. */
  material_losses?: number;
  /**
   * The nearest fact-check of a claim that the text makes itself: match score 0 to 1, whether it refutes the claim, and how
   * much of the text such claims are, 0 to 1 (undefined counts as all of it).
   */
  known_false_match?: { similarity: number; entails: boolean; share?: number | undefined };
  /** Synthetic media that claims to be a real record. */
  presented_as_real?: boolean;
  /** The item was reshared without the satire label that its source gave it. */
  label_dropped?: boolean;
  /** The value that a reviewer decided, 0 to 100. */
  human_risk_score?: number;
  /** Category of the revision before, for a re-run with the same input. */
  previous_category?: string;
}
