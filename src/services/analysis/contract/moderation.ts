import { z } from 'zod';
import { defineOperations } from '../../../foundation/contract.ts';
import { analysisSession } from '../resources/analysis-session.ts';
import { count, dateTime } from '../resources/fields.ts';
import { pagination } from '../resources/history-page.ts';
import {
  enqueueReason,
  moderationQueueEntry,
  moderationResolveRequest,
  moderationStatus,
  reviewMedium,
} from '../resources/moderation.ts';
import { revision } from '../resources/revision.ts';
import { enveloped } from './envelope.ts';

const GROUP = 'moderation';
const QUEUE = '/api/v3/moderation/queue';
const ENTRY = `${QUEUE}/{queueId}`;

/** Roles that decide, that may revert a decision, and that may only read. */
const REVIEW = { roles: ['moderator', 'senior_moderator', 'admin'] } as const;
const SENIOR = { roles: ['senior_moderator', 'admin'] } as const;
const READ = { roles: ['moderator', 'senior_moderator', 'admin', 'auditor'] } as const;

/** Lease of a claim in seconds. */
const LEASE = { min: 1, max: 3600, default: 600 } as const;
const LONGEST_NOTE = 2000;

const storable = (shape: z.ZodString) =>
  shape.max(LONGEST_NOTE).refine((value) => !value.includes('\0'), 'must not hold a NUL character');
const entryParams = z.object({ queueId: z.coerce.number().int().min(1).max(Number.MAX_SAFE_INTEGER) });
const leaseBody = z
  .looseObject({ lease_sec: z.int().min(LEASE.min).max(LEASE.max).default(LEASE.default) })
  .default({ lease_sec: LEASE.default });
const noteBody = z.looseObject({ reason: storable(z.string()).optional() }).optional();
const reasonBody = z.looseObject({ reason: storable(z.string().min(1)) });
const entryAnswer = enveloped(moderationQueueEntry);

const activity = z
  .object({
    activity_id: z.int(),
    at: dateTime,
    actor: z.string(),
    action: z.string(),
    previous_status: moderationStatus.nullable(),
    status: moderationStatus,
    note: z.string().nullable(),
  })
  .meta({ id: 'ModerationActivity' });

const queueQuery = z.object({
  status: moderationStatus.optional(),
  priority: z.coerce.number().int().min(1).max(5).optional(),
  enqueue_reason: enqueueReason.optional(),
  assigned_to: storable(z.string()).optional(),
  page: z.coerce.number().int().min(1).max(100_000).default(1),
  limit: z.coerce.number().int().min(1).max(100).default(20),
  sort: z.enum(['priority', '-priority', 'created_at', '-created_at']).default('priority'),
});

const statistics = z
  .object({
    pending: count,
    in_review: count,
    oldest_age_ms: z.number().min(0).nullable(),
    resolved_per_day: z
      .array(z.object({ day: z.iso.date(), resolved: count }))
      .describe('The last 30 days, in UTC; days without a decision are left out.'),
    median_review_ms: z.number().min(0).nullable().describe('Of the last 30 days.'),
    overturn_rate: z.number().min(0).max(1).nullable().describe('Share that was corrected, last 30 days.'),
  })
  .meta({ id: 'ModerationStatistics' });

const entryChange = (method: 'POST', name: string, summary: string) =>
  ({
    method,
    path: `${ENTRY}/${name}`,
    summary,
    group: GROUP,
    params: entryParams,
    answer: entryAnswer,
  }) as const;

/** The review of sessions by people. */
export const moderationOperations = defineOperations({
  moderationQueue: {
    method: 'GET',
    path: QUEUE,
    summary: 'The moderation queue, most urgent first',
    group: GROUP,
    access: READ,
    query: queueQuery,
    answer: enveloped(z.object({ items: z.array(moderationQueueEntry), pagination })),
  },
  moderationStatistics: {
    method: 'GET',
    path: `${QUEUE}/stats`,
    summary: 'What waits, and how reviews went',
    group: GROUP,
    access: READ,
    answer: enveloped(statistics),
  },
  moderationNext: {
    method: 'POST',
    path: `${QUEUE}/next`,
    summary: 'Claim the most urgent entry',
    group: GROUP,
    access: REVIEW,
    body: leaseBody,
    answer: entryAnswer,
  },
  moderationEntry: {
    method: 'GET',
    path: ENTRY,
    summary: 'One entry with its session and its log',
    group: GROUP,
    access: READ,
    params: entryParams,
    answer: enveloped(
      z.object({
        entry: moderationQueueEntry,
        session: analysisSession.nullable().describe('null when it was deleted.'),
        blur_pictures: z
          .boolean()
          .describe(
            'Clients show the pictures of the session blurred until the reviewer asks for one: they may show nudity or violence, or nobody looked. `image_analysis.sensitive` says it for each.',
          ),
        media: z
          .array(reviewMedium)
          .describe('The media of the session and what was drawn of them, for the reviewer to open.'),
        activities: z.array(activity),
        revisions: z.array(revision),
      }),
    ),
  },
  moderationClaim: { ...entryChange('POST', 'claim', 'Claim an entry'), access: REVIEW, body: leaseBody },
  moderationRenew: {
    ...entryChange('POST', 'renew', 'Keep a claimed entry longer'),
    access: REVIEW,
    body: leaseBody,
  },
  moderationRelease: {
    ...entryChange('POST', 'release', 'Give a claimed entry back'),
    access: REVIEW,
    body: noteBody,
  },
  moderationResolve: {
    ...entryChange('POST', 'resolve', 'Decide a claimed entry'),
    access: REVIEW,
    body: moderationResolveRequest,
  },
  moderationDecline: {
    ...entryChange('POST', 'decline', 'Leave an entry undecided for good'),
    access: REVIEW,
    body: reasonBody,
  },
  moderationReopen: {
    ...entryChange('POST', 'reopen', 'Put an ended entry back'),
    access: SENIOR,
    body: reasonBody,
  },
  moderationActivity: {
    method: 'GET',
    path: `${ENTRY}/activity`,
    summary: 'What happened to an entry',
    group: GROUP,
    access: READ,
    params: entryParams,
    answer: enveloped(z.object({ items: z.array(activity), pagination })),
    query: z.object({
      page: z.coerce.number().int().min(1).max(100_000).default(1),
      limit: z.coerce.number().int().min(1).max(100).default(100),
    }),
  },
});
