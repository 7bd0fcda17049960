import type { Kysely } from 'kysely';
import type { Caller } from '../../../foundation/auth.ts';
import type { Call, Handlers } from '../../../foundation/service.ts';
import type { moderationOperations } from '../contract/moderation.ts';
import { errors } from '../errors.ts';
import type { Reviews } from '../moderation/reviews.ts';
import { examinedPictures } from '../report/picture-section.ts';
import type { ModerationQueueEntry } from '../resources/moderation.ts';
import {
  type Actor,
  findEntry,
  listActivities,
  listEntries,
  queueStatistics,
  type StoredEntry,
} from '../store/moderation.ts';
import { listRevisions, type StoredRevision } from '../store/revisions.ts';
import { findSession } from '../store/sessions.ts';
import type { AnalysisTables } from '../store/tables.ts';
import { mediaForReview } from './moderation-media.ts';
import { pageOf } from './paging.ts';
import {
  accountOfCaller,
  callerOf,
  logAccess,
  type PipelineDependencies,
  wholeSession,
} from './pipeline-dependencies.ts';

/** What the moderation operations work with. */
export interface ModerationDependencies extends PipelineDependencies {
  readonly reviews: Reviews;
}

const actorOf = (caller: Caller): Actor => ({ account: accountOfCaller(caller), name: caller.subject });
const momentOf = (date: Date | null) => date?.toISOString() ?? null;

/** The times of an entry up to now: the stored sums, and the part that still runs. */
function timesOf(entry: StoredEntry) {
  const { status, queued_at, assigned_at } = entry;
  const since = (from: Date | null) => (from === null ? 0 : Math.max(0, Date.now() - from.getTime()));
  const reviewing = status === 'in_review' ? since(assigned_at) : 0;
  return {
    time_in_queue_ms: entry.time_in_queue_ms + (status === 'pending' ? since(queued_at) : 0),
    time_in_review_ms:
      status === 'pending' && entry.time_in_review_ms === 0 ? null : entry.time_in_review_ms + reviewing,
  };
}

/** An entry as the wire has it. */
function entryFields(entry: StoredEntry): ModerationQueueEntry {
  return {
    queue_id: entry.queue_id,
    session_id: entry.session_id,
    priority: entry.priority,
    enqueue_reason: entry.enqueue_reason,
    enqueue_meta: { ...entry.enqueue_meta },
    status: entry.status,
    assigned_to: entry.assigned_to,
    resolved_by: entry.resolved_by,
    assigned_at: momentOf(entry.assigned_at),
    resolved_at: momentOf(entry.resolved_at),
    created_at: entry.created_at.toISOString(),
    resolution_action: entry.resolution_action,
    ...timesOf(entry),
    version: entry.version,
  };
}

/** A revision as the wire has it. */
export function revisionFields({ revision, content, actor, createdAt, reason }: StoredRevision) {
  return { revision, verdict: content.verdict, actor, created_at: createdAt.toISOString(), reason };
}

async function activitiesOf(queries: Kysely<AnalysisTables>, queueId: number) {
  const rows = await listActivities(queries, queueId);
  return rows.map(({ queue_id: _, at, ...row }) => ({ ...row, at: at.toISOString() }));
}

async function wholeEntry(dependencies: ModerationDependencies, queueId: number, call: Call) {
  const { queries, reviews } = dependencies;
  await reviews.endLeases();
  const entry = await findEntry(queries, queueId);
  if (entry === undefined) throw errors.queue_entry_not_found();
  const record = await findSession(queries, entry.session_id);
  if (record !== undefined) {
    const { account, sessionId } = record.session;
    await logAccess(dependencies, call, { action: 'session', account, sessionId });
  }
  const session = record === undefined ? null : await wholeSession(dependencies, record);
  const media =
    record === undefined || session === null
      ? []
      : await mediaForReview(dependencies.media, record.session.account, session);
  return {
    entry: entryFields(entry),
    session,
    media,
    blur_pictures: examinedPictures(session?.ai_tampered ?? null).some(
      ({ sensitive }) => sensitive.blur_first,
    ),
    activities: await activitiesOf(queries, queueId),
    revisions: (await listRevisions(queries, entry.session_id)).map(revisionFields),
  };
}

/** The handlers of the moderation operations. */
export function moderationRoutes(
  dependencies: ModerationDependencies,
): Handlers<typeof moderationOperations> {
  const { queries, reviews } = dependencies;
  const changed = async (entry: Promise<StoredEntry>) => ({
    success: true as const,
    data: entryFields(await entry),
  });
  return {
    moderationQueue: async ({ query }) => {
      await reviews.endLeases();
      const { items, total } = await listEntries(queries, query);
      const { page, limit } = query;
      const pagination = { page, limit, total, pages: Math.ceil(total / limit) };
      return { success: true, data: { items: items.map(entryFields), pagination } };
    },
    moderationStatistics: async () => {
      await reviews.endLeases();
      return { success: true, data: await queueStatistics(queries) };
    },
    moderationNext: ({ body }, call) => changed(reviews.next(actorOf(callerOf(call)), body.lease_sec)),
    moderationEntry: async ({ params }, call) => ({
      success: true,
      data: await wholeEntry(dependencies, params.queueId, call),
    }),
    moderationClaim: ({ params, body }, call) =>
      changed(reviews.claim(params.queueId, actorOf(callerOf(call)), body.lease_sec)),
    moderationRenew: ({ params, body }, call) =>
      changed(reviews.renew(params.queueId, actorOf(callerOf(call)), body.lease_sec)),
    moderationRelease: ({ params, body }, call) =>
      changed(reviews.release(params.queueId, actorOf(callerOf(call)), body?.reason ?? null)),
    moderationResolve: ({ params, body }, call) =>
      changed(reviews.resolve(params.queueId, actorOf(callerOf(call)), body)),
    moderationDecline: ({ params, body }, call) =>
      changed(reviews.decline(params.queueId, actorOf(callerOf(call)), body.reason)),
    moderationReopen: ({ params, body }, call) =>
      changed(reviews.reopen(params.queueId, actorOf(callerOf(call)), body.reason)),
    moderationActivity: async ({ params, query }) => {
      if ((await findEntry(queries, params.queueId)) === undefined) throw errors.queue_entry_not_found();
      return pageOf(await activitiesOf(queries, params.queueId), query);
    },
  };
}
