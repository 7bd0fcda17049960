import type { Kysely } from 'kysely';
import type { Caller } from '../../../foundation/auth.ts';
import type { Configuration } from '../../../foundation/configuration/configuration.ts';
import type { Tunable } from '../../../foundation/configuration/tunable.ts';
import type { Logger } from '../../../foundation/log.ts';
import { answer } from '../../../foundation/service/reply.ts';
import type { Call } from '../../../foundation/service.ts';
import type { Broker } from '../broker/broker.ts';
import type { ActiveSessions } from '../dispatch/active-sessions.ts';
import type { DirectSlots } from '../dispatch/direct-slots.ts';
import type { ProgressFeed } from '../dispatch/progress-feed.ts';
import type { SessionLifecycle } from '../dispatch/session-lifecycle.ts';
import { errors } from '../errors.ts';
import type { MediaLibrary } from '../media/library.ts';
import type { MediaAddresses } from '../media/media-addresses.ts';
import type { AnalysisMetrics } from '../metrics.ts';
import type { KnownModel } from '../pipeline/estimate.ts';
import { accountOf, type IntakeRules } from '../pipeline/intake.ts';
import { componentsOf } from '../pipeline/plan.ts';
import type { StepRunners } from '../pipeline/run.ts';
import { analysisSessionOf } from '../pipeline/session.ts';
import type { AnalysisSession } from '../resources/analysis-session.ts';
import type { AsyncAccepted } from '../resources/async-accepted.ts';
import type { Tuning } from '../resources/tuning.ts';
import type { VerdictRulesSource } from '../resources/verdict-rules.ts';
import type { Plan } from '../session/plan.ts';
import { recordAccess } from '../store/access-log.ts';
import { readCheckpoints } from '../store/checkpoints.ts';
import { readRevision } from '../store/revisions.ts';
import { findSession, type SessionRecord } from '../store/sessions.ts';
import type { AnalysisTables } from '../store/tables.ts';

/** Dependencies of the pipeline operations. */
export interface PipelineDependencies {
  readonly queries: Kysely<AnalysisTables>;
  readonly runners: StepRunners;
  readonly textModel: KnownModel;
  readonly configuration: Pick<Configuration, 'current' | 'change'>;
  readonly lifecycle: SessionLifecycle;
  readonly directPlaces: DirectSlots;
  /** Milliseconds after which a direct analysis answers its session as it stands. */
  readonly directAnswerMs: () => number;
  readonly broker: Pick<Broker, 'depth'>;
  readonly activeSessions: ActiveSessions;
  readonly progressFeed: ProgressFeed;
  readonly rules: IntakeRules;
  readonly media: { readonly library: MediaLibrary; readonly addresses: MediaAddresses };
  readonly verdictRules: VerdictRulesSource;
  readonly asyncStatus: () => 200 | 202;
  /** The tuning for sessions that are accepted now. */
  readonly tuning: () => Tuning;
  /** The configuration of this service. */
  readonly tunables: readonly Tunable[];
  readonly metrics: Pick<AnalysisMetrics, 'ended' | 'feedback'>;
  readonly log: Logger;
  /** Path prefix under which callers reach this service. */
  readonly prefix: string;
}

/** Retry-After of -async operations, in seconds. */
const FIRST_LOOK_SECONDS = 1;

/** The caller, who is known wherever an operation is not public. */
export function callerOf(call: Call): Caller {
  if (call.caller === undefined) throw errors.token_missing();
  return call.caller;
}

/** The name under which the caller's own sessions are kept. */
export const accountOfCaller = ({ realm, subject }: Caller) => accountOf(realm, subject);

/** The caller's session; throws session_not_found also for sessions of others. */
export async function ownSession(
  dependencies: PipelineDependencies,
  call: Call,
  sessionId: string,
): Promise<SessionRecord> {
  const record = await findSession(dependencies.queries, sessionId, accountOfCaller(callerOf(call)));
  if (record === undefined) throw errors.session_not_found();
  return record;
}

/** Logs that the caller reads data of another account; access to one's own is not logged. */
export async function logAccess(
  { queries }: Pick<PipelineDependencies, 'queries'>,
  call: Call,
  look: {
    readonly action: 'history' | 'session';
    readonly account: string;
    readonly sessionId: string | null;
  },
): Promise<void> {
  const caller = callerOf(call);
  const actor = accountOfCaller(caller);
  if (look.account === actor) return;
  await recordAccess(queries, { ...look, actor, roles: caller.roles, correlationId: call.correlationId });
}

/** The paths at which a session is followed. */
export function pathsOf(prefix: string, sessionId: string) {
  return {
    poll_url: `${prefix}/api/v3/pipeline/sessions/${sessionId}/status`,
    result_url: `${prefix}/api/v3/pipeline/results/${sessionId}`,
  };
}

/** The answer to a request that the queues took. */
export function accepted(dependencies: PipelineDependencies, sessionId: string, plan: Plan) {
  const paths = pathsOf(dependencies.prefix, sessionId);
  const body: AsyncAccepted = {
    success: true,
    async_: true,
    data: {
      session_id: sessionId,
      status: 'processing',
      queued_components: componentsOf(plan),
      plan_type: plan.planType,
      ...paths,
    },
  };
  const headers = { Location: paths.poll_url, 'Retry-After': String(FIRST_LOOK_SECONDS) };
  return answer(dependencies.asyncStatus(), body, headers);
}

/** The record of a session as it stands. */
export async function wholeSession(
  dependencies: PipelineDependencies,
  record: SessionRecord,
): Promise<AnalysisSession> {
  const { queries, log } = dependencies;
  const { session } = record;
  const { checkpoints } = await readCheckpoints(queries, session, log);
  const automatic = analysisSessionOf(session, checkpoints);
  if (session.revision === 1) return automatic;
  const corrected = await readRevision(queries, session.sessionId, session.revision);
  if (corrected === undefined) throw new Error(`revision ${session.revision} of a session is not stored`);
  const { risk_score, risk_category, risk_level, confidence, confidence_level } = corrected.verdict;
  return { ...automatic, ...corrected, risk_score, risk_category, risk_level, confidence, confidence_level };
}
