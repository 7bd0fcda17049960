import type { EnqueueReason } from '../resources/moderation.ts';
import type { VerdictResult } from '../resources/verdict-result.ts';
import type { VerdictRules } from '../resources/verdict-rules.ts';
import type { ModerationRequest } from '../session/moderation-request.ts';
import { viralityLevelOf } from './verdict/bands.ts';

/** What an analysis covered, and whether its user asked for a review. */
export interface ModerationScope {
  userFlagged: boolean;
  /** All four components were requested; a partial analysis is queued only when its user flags it. */
  whole: boolean;
}

/** The review that a verdict calls for, by the rules; null when none. */
export function moderationRequestOf(
  rules: VerdictRules,
  verdict: VerdictResult,
  scope: ModerationScope,
): ModerationRequest | null {
  const { risk_from, confidence_below, most_urgent } = rules.enqueue_thresholds;
  const { risk_score: risk, context_summary: summary } = verdict;
  const risky = risk !== null && risk >= risk_from;
  const conditions: [EnqueueReason, boolean][] = [
    ['flagged', scope.userFlagged],
    ['mixed', scope.whole && summary.contradictory_overrides === true],
    ['sensitive_topic', scope.whole && risky && summary.sensitive_topic === true],
    ['low_confidence', scope.whole && risky && verdict.confidence < confidence_below],
  ];
  const reasons = conditions.filter(([, holds]) => holds).map(([reason]) => reason);
  const [reason] = reasons;
  if (reason === undefined) return null;
  const urgency = isSpreading(rules, verdict.virality_score) ? 1 : 0;
  const rule = rules.enqueue_rules.find((row) => row.reason === reason);
  const priority = Math.max(most_urgent, (rule?.priority ?? rules.enqueue_rules.length) - urgency);
  return { reason, priority, reasons };
}

/** The highest virality level moves an entry one step up. */
function isSpreading(rules: VerdictRules, viralityScore: number | null): boolean {
  if (viralityScore === null) return false;
  return viralityLevelOf(rules, viralityScore) === rules.virality_levels.at(-1)?.code;
}

/** The review of a session that its user flagged, which is queued before the analysis; null when it was not flagged. */
export function flaggedModerationRequest(
  rules: VerdictRules,
  userFlagged: boolean,
): ModerationRequest | null {
  if (!userFlagged) return null;
  const rule = rules.enqueue_rules.find((row) => row.reason === 'flagged');
  return { reason: 'flagged', priority: rule?.priority ?? 1, reasons: ['flagged'] };
}
