import type { Priority } from '../broker/broker.ts';
import { inapplicable } from '../components/component.ts';
import { componentList } from '../components/index.ts';
import { type Reason, reasonFields } from '../reasons.ts';
import { PLAN_TYPE } from '../resources/analyze-request.ts';
import type { ComponentName } from '../resources/component-name.ts';
import type { DryRunPlan } from '../resources/dry-run-plan.ts';
import { mediaTypeRow } from '../resources/media-types.ts';
import { SHIPPED_TUNING, type Tuning } from '../resources/tuning.ts';
import { profileOf, type VerdictRules } from '../resources/verdict-rules.ts';
import type { Assignments } from '../session/assignments.ts';
import type { Plan, PlanStep, StepName } from '../session/plan.ts';
import type { Submission } from '../session/submission.ts';
import { possibleKinds, preparationTimeMs } from './material.ts';

/** Usual limit of the verdict in milliseconds, its explanation by a text model apart. */
const VERDICT_TIMEOUT_MS = 5_000;

/** The queue whose messages say that a step has ended. */
export const RESULTS_QUEUE = 'analysis.results';

/** The queue of one step. */
export function queueOf(step: StepName): string {
  return `analysis.${step}`;
}

/** Plans 1 to 6 on the broker's scale of 1 to 10: free 1 to 3, premium 6 to 8, so that premium goes first. */
export function queuePriority(planType: number): Priority {
  return (planType >= PLAN_TYPE.premiumFrom ? planType + 2 : planType) as Priority;
}

/** The reason why a component cannot apply to a submission, whatever its preparation yields; null when it may apply. */
function whyNot(component: ComponentName, submission: Submission): Reason | null {
  const kinds = possibleKinds(submission);
  const isRead = Object.values(componentList).some(({ needs }) => needs.some((kind) => kinds.has(kind)));
  if (!isRead) return { code: 'media_not_analysed', values: {} };
  if (submission.quick === true && !kinds.has('text') && submission.mediaId === undefined)
    return { code: 'quick_fetches_nothing', values: {} };
  return inapplicable(componentList[component], kinds, {});
}

/** The plan of a submission; a component that cannot apply is named with its reason. */
export function makePlan(
  submission: Submission,
  rules: VerdictRules,
  assignments: Assignments = {},
  tuning?: Tuning,
): Plan {
  const { timeoutMs: limits } = tuning ?? SHIPPED_TUNING;
  const { leastTimeoutMs = 0 } = mediaTypeRow(submission.mediaType);
  const priority = queuePriority(submission.planType);
  const step = (name: StepName, timeoutMs: number, dependsOn: readonly StepName[]): PlanStep => ({
    name,
    queue: queueOf(name),
    priority,
    timeoutMs,
    dependsOn,
  });
  const reasons = submission.components.map((component) => ({
    component,
    reason: whyNot(component, submission),
  }));
  const running = reasons.filter(({ reason }) => reason === null).map(({ component }) => component);
  const refused = reasons.flatMap(({ component, reason }) =>
    reason === null ? [] : [{ component, reason }],
  );
  return {
    mediaType: submission.mediaType,
    planType: submission.planType,
    steps: [
      step('material', preparationTimeMs(submission), []),
      ...running.map((component) =>
        step(component, Math.max(limits[component], leastTimeoutMs), ['material']),
      ),
      step('verdict', VERDICT_TIMEOUT_MS, ['material', ...running]),
    ],
    skipped: [...submission.skipped, ...refused],
    profile: profileOf(rules, submission.mediaType),
    rulesVersion: rules.version,
    assignments,
    ...(tuning !== undefined && { tuning }),
  };
}

/** The steps that may start now: not done yet, and all they depend on is done. */
export function nextSteps(plan: Plan, done: ReadonlySet<StepName>): PlanStep[] {
  return plan.steps.filter(
    ({ name, dependsOn }) => !done.has(name) && dependsOn.every((other) => done.has(other)),
  );
}

/** These steps and all that rest on them, whose results mean nothing once these run again. */
export function withDependents(plan: Plan, steps: Iterable<StepName>): Set<StepName> {
  const all = new Set(steps);
  // A plan lists each step after those that it depends on.
  for (const { name, dependsOn } of plan.steps) if (dependsOn.some((other) => all.has(other))) all.add(name);
  return all;
}

/** The components of a plan, in their order. */
export function componentsOf(plan: Plan): ComponentName[] {
  return plan.steps.map(({ name }) => name).filter((name) => name !== 'material' && name !== 'verdict');
}

/** The plan in words: `material -> (techniques | claims) -> verdict -> store`. */
export function describeFlow(plan: Plan): string {
  const parallel = componentsOf(plan).join(' | ');
  return ['intake', 'material', `(${parallel})`, 'verdict', 'store'].join(' -> ');
}

/** Which models would serve which stage. */
export type Stages = DryRunPlan['data']['stages'];
/** What an analysis would cost. */
export type Estimate = DryRunPlan['data']['estimate'];

/** The answer of a dry run. */
export function dryRunAnswer(
  plan: Plan,
  stages: Stages,
  promptKeys: readonly string[],
  estimate: Estimate,
): DryRunPlan {
  return {
    success: true,
    dry_run: true,
    data: {
      media_type: plan.mediaType,
      plan_type: plan.planType,
      flow: describeFlow(plan),
      results_queue: RESULTS_QUEUE,
      nodes: plan.steps.map(({ name, queue, priority, timeoutMs, dependsOn }) => ({
        component: name,
        queue,
        priority,
        timeout_ms: timeoutMs,
        depends_on: [...dependsOn],
      })),
      stages,
      prompt_config_keys: [...promptKeys],
      skipped: plan.skipped.map(({ component, reason }) => ({ component, ...reasonFields(reason) })),
      verdict_profile: plan.profile,
      estimate,
    },
  };
}
