import { describe, expect, it } from 'vitest';
import { explainVerdict } from '../../../../src/services/analysis/pipeline/explain/explain.ts';
import {
  type ModerationScope,
  moderationRequestOf,
} from '../../../../src/services/analysis/pipeline/moderation-request.ts';
import { computeVerdict } from '../../../../src/services/analysis/pipeline/verdict/judge.ts';
import {
  type VerdictResult,
  verdictResult,
} from '../../../../src/services/analysis/resources/verdict-result.ts';
import { profileOf, shippedVerdictRules } from '../../../../src/services/analysis/resources/verdict-rules.ts';
import { calm, domainBlock, ran, usualFacts } from './blocks.ts';

function record(over: Partial<VerdictResult>, genre: 'satire' | 'news' = 'news'): VerdictResult {
  const labelled = genre === 'satire';
  const context = {
    ...{ score: 5, quality: 1, article: null, summary: {} },
    genre: { code: genre, confidence: 0.95, labelled },
  };
  const listed = domainBlock(12, {
    is_blacklisted: true,
    lists: [{ list: 'Example list', label: 'fake', harmful: true, updated_at: '2025-01-01' }],
  });
  const outcomes = labelled ? calm({ domain: ran(listed) }) : calm();
  const {
    contradictory: _,
    agreement: __,
    ...judgement
  } = computeVerdict(
    outcomes,
    context,
    { rules: shippedVerdictRules, profile: profileOf(shippedVerdictRules, 'url') },
    usualFacts,
  );
  return verdictResult.parse({
    ...judgement,
    ...explainVerdict({ rules: shippedVerdictRules, judgement, outcomes }),
    virality_score: 10,
    virality_level: 'low',
    virality_factors: [],
    duration_ms: 1,
    ...over,
  });
}

const whole: ModerationScope = { userFlagged: false, whole: true };
const flagged: ModerationScope = { userFlagged: true, whole: true };
const part: ModerationScope = { userFlagged: false, whole: false };
const sensitive = { context_summary: { sensitive_topic: true } };

describe('moderationRequestOf', () => {
  it.each([
    ['nothing special', record({}), whole, null],
    ['a flag', record({}), flagged, ['flagged', 1]],
    ['a flag on a part', record({}), { userFlagged: true, whole: false }, ['flagged', 1]],
    ['a floor above a ceiling', record({}, 'satire'), whole, ['mixed', 2]],
    ['the same on a part', record({}, 'satire'), part, null],
    ['a sensitive topic at 40', record({ risk_score: 40, ...sensitive }), whole, ['sensitive_topic', 3]],
    ['a sensitive topic below 40', record({ risk_score: 39.9, ...sensitive }), whole, null],
    ['low confidence at 40', record({ risk_score: 40, confidence: 0.44 }), whole, ['low_confidence', 4]],
    ['enough confidence', record({ risk_score: 40, confidence: 0.45 }), whole, null],
    ['no risk score', record({ risk_score: null, confidence: 0, ...sensitive }), whole, null],
    [
      'fast spread',
      record({ risk_score: 40, virality_score: 75, ...sensitive }),
      whole,
      ['sensitive_topic', 2],
    ],
    [
      'almost as fast',
      record({ risk_score: 40, virality_score: 74.9, ...sensitive }),
      whole,
      ['sensitive_topic', 3],
    ],
    ['fast spread of a flagged one', record({ virality_score: 99 }), flagged, ['flagged', 1]],
  ] as const)('%s', (_, verdict, asked, wanted) => {
    const decision = moderationRequestOf(shippedVerdictRules, verdict, asked);
    expect(decision && [decision.reason, decision.priority]).toEqual(wanted);
  });

  it('lists every reason that holds', () =>
    expect(
      moderationRequestOf(
        shippedVerdictRules,
        record({ risk_score: 70, confidence: 0.3, ...sensitive }),
        flagged,
      )?.reasons,
    ).toEqual(['flagged', 'sensitive_topic', 'low_confidence']));
});
