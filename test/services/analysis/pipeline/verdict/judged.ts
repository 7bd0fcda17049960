import {
  type ContextFinding,
  computeVerdict,
  type Judgement,
} from '../../../../../src/services/analysis/pipeline/verdict/judge.ts';
import type { MediaType } from '../../../../../src/services/analysis/resources/media-types.ts';
import { SCORES } from '../../../../../src/services/analysis/resources/verdict-config.ts';
import {
  profileOf,
  shippedVerdictRules,
} from '../../../../../src/services/analysis/resources/verdict-rules.ts';
import type { Outcomes, VerdictFacts } from '../../../../../src/services/analysis/session/outcome.ts';
import { claim, domainBlock, indicator, usualFacts } from '../blocks.ts';

/** What the context rules found, with a score and nothing else. */
export function contextOf(score: number | null, genre: ContextFinding['genre'] = null): ContextFinding {
  return { score, quality: 0.8, genre, article: null, summary: {} };
}

/** The judgement of outcomes by the shipped rules. */
export function verdict(
  media: MediaType,
  outcomes: Outcomes,
  context = contextOf(5),
  facts: VerdictFacts = usualFacts,
): Judgement {
  return computeVerdict(
    outcomes,
    context,
    { rules: shippedVerdictRules, profile: profileOf(shippedVerdictRules, media) },
    facts,
  );
}

/** The weighted sum of the scores of a judgement. */
export function sumOf(record: Judgement): number {
  return SCORES.reduce((sum, name) => sum + record.applied_weights[name] * (record[`score_${name}`] ?? 0), 0);
}

/** A label of satire that is certain. */
export const satire = { code: 'satire', confidence: 0.95, labelled: true };
/** A domain on a list of harmful ones. */
export const blacklisted = domainBlock(12, {
  is_blacklisted: true,
  lists: [{ list: 'example list', label: 'fake', harmful: true, updated_at: '2025-01-01' }],
});
/** Two false claims and a true one. */
export const falseClaims = [
  claim('verified_false', 3),
  claim('verified_false', 3),
  claim('verified_true', 2),
];
/** A sign of a machine that leaves no doubt. */
export const conclusive = indicator('image_provenance', 'conclusive');
