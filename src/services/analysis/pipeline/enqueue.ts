import verdictRules from '../../../../data/taxonomy/verdict.json' with { type: 'json' };
import type { EnqueueReason } from '../resources/moderation.ts';
import type { VerdictResult } from '../resources/verdict-result.ts';
import { viralityLevelOf } from './verdict/bands.ts';

/** The numbers of `enqueue_rules` in verdict.json, which states them in sentences; a test holds them together. */
export const ENQUEUE = { riskFrom: 40, confidenceBelow: 0.45, mostUrgent: 1 } as const;

/** Why a session goes to the moderation queue, and how soon it should be seen: 1 is the most urgent. */
export interface Enqueue {
  reason: EnqueueReason;
  priority: number;
  /** Every reason that holds, the one that decided first. */
  reasons: EnqueueReason[];
}

/** How the analysis was asked for. */
export interface Asked {
  userFlagged: boolean;
  /** All four components were asked for; an analysis of a part is only queued when the user flags it. */
  whole: boolean;
}

const priorities = new Map(verdictRules.enqueue_rules.map((rule) => [rule.reason, rule.priority]));

/** Decides from the stored verdict whether a person should look at a session; null when not. */
export function enqueueOf(verdict: VerdictResult, asked: Asked): Enqueue | null {
  const { risk_score: risk, context_summary: summary } = verdict;
  const risky = risk !== null && risk >= ENQUEUE.riskFrom;
  const conditions: [EnqueueReason, boolean][] = [
    ['flagged', asked.userFlagged],
    ['mixed', asked.whole && summary.contradictory_overrides === true],
    ['sensitive_topic', asked.whole && risky && summary.sensitive_topic === true],
    ['low_confidence', asked.whole && risky && verdict.confidence < ENQUEUE.confidenceBelow],
  ];
  const reasons = conditions.filter(([, holds]) => holds).map(([reason]) => reason);
  const [reason] = reasons;
  if (reason === undefined) return null;
  const urgency = isSpreading(verdict.virality_score) ? 1 : 0;
  const priority = Math.max(ENQUEUE.mostUrgent, (priorities.get(reason) ?? priorities.size) - urgency);
  return { reason, priority, reasons };
}

/** The highest virality level moves an entry one step up. */
function isSpreading(viralityScore: number | null): boolean {
  if (viralityScore === null) return false;
  return viralityLevelOf(viralityScore) === verdictRules.virality_levels.at(-1)?.code;
}
