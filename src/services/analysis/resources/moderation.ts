import { z } from 'zod';
import { count, dateTime, looseObject } from './fields.ts';

/** States of an entry of the moderation queue. */
export const MODERATION_STATUSES = ['pending', 'in_review', 'resolved', 'declined', 'auto_closed'] as const;

/** Why a session stands in the queue. */
export const ENQUEUE_REASONS = ['flagged', 'low_confidence', 'sensitive_topic', 'mixed'] as const;

/** What a reviewer may decide. */
export const RESOLUTION_ACTIONS = ['approved', 'corrected', 'rejected'] as const;
export const moderationStatus = z.enum(MODERATION_STATUSES);
export const enqueueReason = z.enum(ENQUEUE_REASONS);
export const resolutionAction = z.enum(RESOLUTION_ACTIONS);
export type ModerationStatus = z.infer<typeof moderationStatus>;
export type EnqueueReason = z.infer<typeof enqueueReason>;
export type ResolutionAction = z.infer<typeof resolutionAction>;

/** One session that waits for, or had, a human review; priority 1 is the most urgent. */
export const moderationQueueEntry = z
  .object({
    queue_id: z.int().min(1),
    session_id: z.uuid(),
    priority: z.int().min(1).max(5),
    enqueue_reason: enqueueReason,
    enqueue_meta: looseObject,
    status: moderationStatus,
    assigned_to: z.string().nullable(),
    resolved_by: z.string().nullable(),
    assigned_at: dateTime.nullable(),
    resolved_at: dateTime.nullable(),
    created_at: dateTime,
    resolution_action: resolutionAction.nullable(),
    time_in_queue_ms: count.nullable(),
    time_in_review_ms: count.nullable(),
    version: count,
  })
  .meta({ id: 'ModerationQueueEntry' });
export type ModerationQueueEntry = z.infer<typeof moderationQueueEntry>;

/** A reviewer's decision; corrections are JSON merge patches of the named blocks. */
export const moderationResolveRequest = z
  .looseObject({
    action: resolutionAction,
    corrections: z
      .object({
        verdict: looseObject.optional(),
        techniques: looseObject.optional(),
        ai_tampered: looseObject.optional(),
        claims: looseObject.optional(),
      })
      .optional(),
    notes: z.string().optional(),
    version: count.optional(),
  })
  .meta({ id: 'ModerationResolveRequest' });
export type ModerationResolveRequest = z.infer<typeof moderationResolveRequest>;

/** A medium of a session under review, with an address that needs no token and expires. */
export const reviewMedium = z
  .object({
    media_id: z.uuid(),
    media_url: z.string().describe('Its address for its owner, as the session names it.'),
    mime_type: z.string(),
    download_url: z.string().describe('Opens it without a token until `expires_at`.'),
    expires_at: dateTime,
  })
  .meta({ id: 'ReviewMedium' });
export type ReviewMedium = z.infer<typeof reviewMedium>;
