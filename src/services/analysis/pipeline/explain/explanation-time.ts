import { COMPONENTS } from '../../resources/component-name.ts';
import type { Outcome, Outcomes } from '../../session/outcome.ts';
import type { Plan } from '../../session/plan.ts';

/** A direct answer comes within this many milliseconds, whatever its dependencies do. */
const DIRECT_ANSWER_MS = 45_000;
/** Kept for intake, the judgement itself and the database. */
const RESERVE_MS = 2_000;
/** At least this much is left after the longest fetch and the longest component. */
const LEAST_MS = 3_000;

function timeOf(outcome: Outcome<unknown>, timeoutMs: number): number {
  if (outcome.state === 'skipped') return 0;
  if (outcome.state === 'lost') return timeoutMs;
  const block = outcome.block as { total_duration_ms?: number; duration_ms?: number };
  return block.total_duration_ms ?? block.duration_ms ?? timeoutMs;
}

/**
 * How long a model may take to explain, in milliseconds: what a direct answer has left after its components, which ran
 * side by side. How long a fetch took is not recorded, so that it counts as the longest one.
 */
export function timeToExplain(plan: Plan, outcomes: Outcomes): number {
  const limitOf = (name: string) => plan.steps.find((step) => step.name === name)?.timeoutMs ?? 0;
  const components = COMPONENTS.map((name) => timeOf(outcomes[name], limitOf(name)));
  const left = DIRECT_ANSWER_MS - RESERVE_MS - limitOf('material') - Math.max(...components);
  return Math.max(LEAST_MS, left);
}
