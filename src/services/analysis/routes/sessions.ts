import { type Caller, STAFF_REALM } from '../../../foundation/auth.ts';
import type { Call, Handlers } from '../../../foundation/service.ts';
import type { sessionOperations } from '../contract/sessions.ts';
import { errors } from '../errors.ts';
import { accountOf } from '../pipeline/intake.ts';
import { checkpointList, queueStatusOf, summaryOf } from '../pipeline/session.ts';
import type { AnalysisSession } from '../resources/analysis-session.ts';
import { COMPONENTS, type ComponentName } from '../resources/component-name.ts';
import { isFinal } from '../session/states.ts';
import { listCheckpoints, readCheckpoints } from '../store/checkpoints.ts';
import { type HistoryQuery, readHistory } from '../store/history.ts';
import { queuePosition } from '../store/leases.ts';
import { runningStages } from '../store/progress-events.ts';
import { listRevisions } from '../store/revisions.ts';
import { revisionFields } from './moderation.ts';
import {
  accepted,
  accountOfCaller,
  callerOf,
  logAccess,
  ownSession,
  type PipelineDependencies,
  wholeSession,
} from './pipeline-dependencies.ts';

const BLOCKS: readonly (ComponentName | 'verdict')[] = [...COMPONENTS, 'verdict'];

/** The session with only the requested blocks. */
function only(session: AnalysisSession, include: readonly string[] | undefined): AnalysisSession {
  // Revisions are added to the blocks: requested alone, they leave all blocks in place.
  if (include === undefined || include.every((name) => name === 'revisions')) return session;
  const left = BLOCKS.filter((block) => !include.includes(block)).map((block) => [block, null]);
  return { ...session, ...Object.fromEntries(left) };
}

/** Roles of the admin realm that may read the sessions of users; each access is logged. */
const READERS: ReadonlySet<string> = new Set(['moderator', 'senior_moderator', 'auditor', 'admin']);

/** The account of a history request: the caller's own, or any user's for staff with such a role. */
function historyOwner(caller: Caller, requestedUser: string | undefined): string {
  if (requestedUser === undefined) return accountOfCaller(caller);
  if (caller.realm === STAFF_REALM && caller.roles.some((role) => READERS.has(role)))
    return accountOf('clients', requestedUser);
  if (caller.realm === STAFF_REALM || requestedUser !== caller.subject) throw errors.forbidden_role();
  return accountOfCaller(caller);
}

/** The revisions of a session, if requested. */
async function revisionsOf(
  { queries }: PipelineDependencies,
  sessionId: string,
  include: readonly string[] | undefined,
) {
  if (include?.includes('revisions') !== true) return {};
  return { revisions: (await listRevisions(queries, sessionId)).map(revisionFields) };
}

/** One page of sessions: the caller's own, or those of a user for staff, whose access is logged first. */
async function history(dependencies: PipelineDependencies, query: HistoryQuery, call: Call) {
  const account = historyOwner(callerOf(call), query.user_id);
  await logAccess(dependencies, call, { action: 'history', account, sessionId: null });
  const { items, total } = await readHistory(dependencies.queries, account, query);
  const { page, limit } = query;
  const pagination = { page, limit, total, pages: Math.ceil(total / limit) };
  return { success: true as const, data: { items: items.map(summaryOf), pagination } };
}

/** The handlers of the operations on sessions. */
export function sessionRoutes(dependencies: PipelineDependencies): Handlers<typeof sessionOperations> {
  return {
    session: async ({ params, query }, call) => {
      const record = await ownSession(dependencies, call, params.sessionId);
      const session = only(await wholeSession(dependencies, record), query.include);
      const revisions = await revisionsOf(dependencies, session.session_id, query.include);
      return { success: true, data: { ...session, ...revisions } };
    },
    sessionStatus: async ({ params }, call) => {
      const { session } = await ownSession(dependencies, call, params.sessionId);
      const { checkpoints } = await readCheckpoints(dependencies.queries, session, dependencies.log);
      const waits = session.status === 'pending';
      const position = waits
        ? await queuePosition(dependencies.queries, session.account, session.createdAt)
        : null;
      const begun = isFinal(session.status)
        ? []
        : await runningStages(dependencies.queries, session.sessionId);
      return { success: true, data: queueStatusOf(session, checkpoints, position, begun) };
    },
    result: async ({ params }, call) => {
      const record = await ownSession(dependencies, call, params.sessionId);
      if (!isFinal(record.session.status)) throw errors.result_not_ready();
      return { success: true, data: await wholeSession(dependencies, record) };
    },
    cancel: async ({ params }, call) => {
      const record = await ownSession(dependencies, call, params.sessionId);
      const at = await dependencies.lifecycle.cancel(record);
      const data = {
        session_id: record.session.sessionId,
        status: 'canceled' as const,
        cancel_requested_at: at.toISOString(),
      };
      return { success: true, data };
    },
    resume: async ({ params, body }, call) => {
      const record = await ownSession(dependencies, call, params.sessionId);
      const choice = {
        components: body?.components,
        forceRerun: body?.force_rerun,
        checkpointId: body?.checkpoint_id,
      };
      await dependencies.lifecycle.resume(record, choice, call.correlationId);
      return accepted(dependencies, record.session.sessionId, record.session.plan);
    },
    checkpoints: async ({ params }, call) => {
      const { session } = await ownSession(dependencies, call, params.sessionId);
      const stored = await listCheckpoints(dependencies.queries, session.sessionId);
      return { success: true, data: checkpointList(session.plan, stored) };
    },
    remove: async ({ params }, call) => {
      const record = await ownSession(dependencies, call, params.sessionId);
      const at = await dependencies.lifecycle.remove(record);
      return {
        success: true,
        data: { session_id: record.session.sessionId, deleted_at: at.toISOString() },
      };
    },
    history: ({ query }, call) => history(dependencies, query, call),
  };
}
