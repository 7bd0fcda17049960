import { z } from 'zod';
import { enqueueReason } from '../resources/moderation.ts';

/** Why a session goes to the moderation queue, and how soon it should be seen: 1 is the most urgent. */
export const enqueueWish = z.object({
  reason: enqueueReason,
  priority: z.int().min(1).max(5),
  /** Every reason that holds, the one that decided first. */
  reasons: z.array(enqueueReason),
});
export type Enqueue = z.infer<typeof enqueueWish>;
