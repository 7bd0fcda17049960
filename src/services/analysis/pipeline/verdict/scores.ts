import { parseAddress } from '../../../../foundation/http/web-address.ts';
import { roundTo } from '../../../../foundation/numbers.ts';
import type { ComponentDefinition } from '../../components/component.ts';
import { componentList } from '../../components/index.ts';
import type { AiTamperedResult } from '../../resources/ai-tampered-result.ts';
import type { ClaimItem } from '../../resources/claims-result.ts';
import { type Blocks, SCORED_COMPONENTS } from '../../resources/component-blocks.ts';
import { SCORES, type ScoreName } from '../../resources/verdict-config.ts';
import type { Outcome, Outcomes } from '../../session/outcome.ts';

/** The five scores, 0 to 100, higher is worse, two places; null when a part has nothing to say. */
export type Scores = Record<ScoreName, number | null>;

type Block = Blocks[keyof Blocks];

const SCORE_PLACES = 2;

function roundedScore(score: number | null): number | null {
  return score === null ? null : roundTo(score, SCORE_PLACES);
}

/** A record with one value for each score, from the outcome of its component; the context value is passed in. */
export function valuesByScore<Value>(
  outcomes: Outcomes,
  context: Value,
  valueFor: (outcome: Outcome<Block>, component: ComponentDefinition) => Value,
): Record<ScoreName, Value> {
  const value = (name: ScoreName) => {
    const component = SCORED_COMPONENTS[name];
    return component === null ? context : valueFor(outcomes[component], componentList[component]);
  };
  return Object.fromEntries(SCORES.map((name) => [name, value(name)])) as Record<ScoreName, Value>;
}

const numberIn = (outcome: Outcome<Block>, component: ComponentDefinition) =>
  outcome.state === 'ran' ? component.scoreOf(outcome.block) : null;

/** Reads the five scores from the blocks. */
export function scoresOf(outcomes: Outcomes, contextScore: number | null): Scores {
  return valuesByScore(outcomes, roundedScore(contextScore), (outcome, component) =>
    roundedScore(numberIn(outcome, component)),
  );
}

/**
 * Which scores were requested and apply to this input. A component without a score because there was nothing to
 * judge does not lower coverage; one that was lost, or could not decide, does so.
 */
export function applicableScores(outcomes: Outcomes, scores: Scores): Record<ScoreName, boolean> {
  return valuesByScore(outcomes, scores.context !== null, (outcome, component) => {
    if (outcome.state !== 'ran') return outcome.state === 'lost';
    return component.scoreOf(outcome.block) !== null || component.isUndecided(outcome.block);
  });
}

/**
 * Whether the AI finding rests on a conclusive indicator, on two detector families, or on a grade that counts as such.
 * Weak indicators are context and never count as a family; `families` is how many must agree.
 */
export function isCorroborated(block: AiTamperedResult, families: number): boolean {
  if (hasConclusiveIndicator(block) || block.evidence_grade === 'A' || block.evidence_grade === 'B')
    return true;
  const telling = block.indicators_detected.filter((item) => item.strength !== 'weak');
  return new Set(telling.map((item) => item.category)).size >= families;
}

/** Whether one indicator is conclusive by itself. */
export function hasConclusiveIndicator(block: AiTamperedResult): boolean {
  return block.indicators_detected.some((item) => item.strength === 'conclusive');
}

const DECIDING_STANCES: ReadonlySet<string> = new Set(['supports', 'refutes', 'mixed']);

/** Number of independent sources that speak for or against a claim; confirmed earlier fact-checks are sources too. */
export function independentSources(claim: ClaimItem): number {
  const evidence = claim.evidence.filter((item) => DECIDING_STANCES.has(item.stance));
  const checks = claim.previous_fact_checks.filter((check) => check.match === 'confirmed');
  return new Set([
    ...evidence.map((item) => item.independent_group ?? siteOf(item.url)),
    ...checks.map((check) => siteOf(check.url)),
  ]).size;
}

function siteOf(address: string): string {
  return parseAddress(address)?.hostname.replace(/^www\./, '') ?? address;
}
