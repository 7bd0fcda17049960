import { type Degradation, degradationFields, reasonFields } from '../reasons.ts';
import type { AnalysisSession, SessionSummary } from '../resources/analysis-session.ts';
import type { Blocks } from '../resources/component-blocks.ts';
import { byComponent, COMPONENTS, type ComponentName } from '../resources/component-name.ts';
import { type MediaType, mediaTypeRow } from '../resources/media-types.ts';
import type { QueueStatus } from '../resources/queue-status.ts';
import type { RunningStage, WorkStage } from '../resources/work-stage.ts';
import {
  blockOf,
  type Checkpoints,
  checkpointOf,
  completedStepNames,
  outcomeOf,
} from '../session/checkpoint.ts';
import type { Plan, StepName } from '../session/plan.ts';
import type { Findings, ListedSession, StoredSession } from '../session/record.ts';
import { isFinal } from '../session/states.ts';
import { publicRecording } from '../session/timed-text.ts';
import { componentsOf, nextSteps } from './plan.ts';

/** Degradations without duplicates: one entry per dependency, reason and effect. */
function distinct(degraded: readonly Degradation[]): Degradation[] {
  const lines = new Map(degraded.map((line) => [`${line.dependency} ${line.reason} ${line.effect}`, line]));
  return [...lines.values()];
}

/** Reads from the checkpoints what ran, what did not and why. */
export function findingsOf(plan: Plan, checkpoints: Checkpoints): Findings {
  const skipped = [...plan.skipped];
  const run: ComponentName[] = [];
  for (const component of COMPONENTS) {
    const outcome = outcomeOf(checkpoints, component);
    if (outcome?.state === 'ran') run.push(component);
    else if (outcome !== undefined) skipped.push({ component, reason: outcome.reason });
  }
  // In the order of the work, whatever order the checkpoints were read in.
  const order = ['material', ...COMPONENTS, 'verdict'] as const;
  const all = order.flatMap((step) => checkpointOf(checkpoints, step)?.degraded ?? []);
  return {
    componentsRun: run,
    componentsSkipped: COMPONENTS.filter((name) => skipped.some(({ component }) => component === name)),
    skipped,
    degraded: distinct(all),
    verdict: checkpointOf(checkpoints, 'verdict')?.verdict ?? null,
    topic: checkpointOf(checkpoints, 'verdict')?.topic ?? null,
  };
}

/** The summary of a session: what history shows of it. */
export function summaryOf({ session, findings, verdict }: ListedSession): SessionSummary {
  return {
    session_id: session.sessionId,
    user_id: session.userId,
    user_email: session.userEmail,
    input_type: session.inputType,
    input_text: session.inputText,
    input_title: session.inputTitle,
    input_url: session.inputUrl,
    input_media_url: session.inputMediaUrl,
    input_hash: session.inputHash,
    input_language: session.inputLanguage,
    status: session.status,
    error_code: session.errorCode,
    plan_type: session.plan.planType,
    components_run: findings.componentsRun,
    components_skipped: findings.componentsSkipped,
    skipped: findings.skipped.map(({ component, reason }) => ({ component, ...reasonFields(reason) })),
    degraded: findings.degraded.map(degradationFields),
    risk_score: verdict?.risk_score ?? null,
    risk_category: verdict?.risk_category ?? null,
    risk_level: verdict?.risk_level ?? null,
    confidence: verdict?.confidence ?? null,
    confidence_level: verdict?.confidence_level ?? null,
    started_at: session.startedAt?.toISOString() ?? null,
    completed_at: session.completedAt?.toISOString() ?? null,
    created_at: session.createdAt.toISOString(),
    total_duration_ms: session.totalDurationMs,
    scenario_applied: verdict === null ? null : session.plan.profile.profile_code,
    topic_applied: findings.topic,
    source_app: session.sourceApp,
    api_version: 'v3',
    revision: session.revision,
    config_version: session.configVersion,
  };
}

/** The stored data of a recording from its preparation; null where there is none. */
function recordingOf(checkpoints: Checkpoints): AnalysisSession['recording'] {
  const parts = checkpointOf(checkpoints, 'material')?.material.parts;
  return parts?.recording === undefined
    ? null
    : publicRecording(parts.recording, parts.text?.text ?? parts.transcript?.text ?? '');
}

/** The whole record; blocks are there as far as the session has come. */
export function analysisSessionOf(session: StoredSession, checkpoints: Checkpoints): AnalysisSession {
  const findings = findingsOf(session.plan, checkpoints);
  return {
    ...summaryOf({ session, findings, verdict: findings.verdict }),
    recording: recordingOf(checkpoints),
    ...byComponent<{ [Name in ComponentName]: Blocks[Name] | null }>((name) => blockOf(checkpoints, name)),
    verdict: findings.verdict,
  };
}

/** Name of the part of the work that a running session is in. */
function stageOf(session: StoredSession, done: ReadonlySet<string>): string {
  if (session.status !== 'running' && session.status !== 'processing') return session.status;
  const waiting = session.plan.steps.find(({ name }) => !done.has(name));
  if (waiting === undefined) return 'store';
  return waiting.name === 'material' || waiting.name === 'verdict' ? waiting.name : 'components';
}

/** The share of the preparation that is done when a stage begins, 0 to 1. */
function partBefore(stage: WorkStage, mediaType: MediaType): number {
  const steps: readonly string[] = mediaTypeRow(mediaType).preparation;
  return Math.max(0, steps.indexOf(stage)) / steps.length;
}

/** Where a session stands: progress is the share of its steps that have ended. */
export function queueStatusOf(
  session: StoredSession,
  checkpoints: Checkpoints,
  queuePosition: number | null,
  begun: readonly RunningStage[] = [],
): QueueStatus {
  const done = completedStepNames(checkpoints);
  const components = componentsOf(session.plan);
  const ended = session.plan.steps.filter(({ name }) => done.has(name)).length;
  const running = isFinal(session.status)
    ? []
    : begun.filter(({ component }) => !done.has(component ?? 'material'));
  const making = running.find(({ component }) => component === null);
  const part = making === undefined ? 0 : partBefore(making.stage, session.plan.mediaType);
  return {
    session_id: session.sessionId,
    status: session.status,
    progress: session.status === 'completed' ? 1 : (ended + part) / session.plan.steps.length,
    completed_components: components.filter((component) => done.has(component)),
    total_components: components.length,
    stage: stageOf(session, done),
    running_stages: running,
    queue_position: queuePosition,
    eta_ms: isFinal(session.status) ? 0 : null,
    degraded: findingsOf(session.plan, checkpoints).degraded.map(degradationFields),
    cancel_requested: session.cancelRequestedAt !== null,
  };
}

/** The checkpoints of a session as a list: what was complete at each, and what was possible from there. */
export function checkpointList(
  plan: Plan,
  stored: readonly { readonly id: number; readonly step: StepName; readonly createdAt: Date }[],
) {
  return stored.map(({ id, step, createdAt }, index) => {
    const done = new Set(stored.slice(0, index + 1).map((earlier) => earlier.step));
    return {
      checkpoint_id: String(id),
      node: step,
      created_at: createdAt.toISOString(),
      completed_components: componentsOf(plan).filter((component) => done.has(component)),
      next: nextSteps(plan, done).map(({ name }) => name),
    };
  });
}
