import { z } from 'zod';
import { enqueueReason } from '../resources/moderation.ts';

/** A request to review a session: why, and with which priority; 1 is the most urgent. */
export const moderationRequest = z.object({
  reason: enqueueReason,
  priority: z.int().min(1).max(5),
  /** All reasons that apply; the first one sets the priority. */
  reasons: z.array(enqueueReason),
});
export type ModerationRequest = z.infer<typeof moderationRequest>;
