import { z } from 'zod';
import { sessionStatus } from './analysis-session.ts';
import { planType } from './analyze-request.ts';
import { componentName } from './component-name.ts';

/** Acceptance of an -async operation. */
export const asyncAccepted = z
  .object({
    success: z.literal(true),
    async_: z.literal(true),
    data: z.object({
      session_id: z.uuid(),
      status: sessionStatus,
      queued_components: z.array(componentName),
      plan_type: planType,
      poll_url: z.string(),
      result_url: z.string(),
    }),
  })
  .meta({ id: 'AsyncAccepted' });
export type AsyncAccepted = z.infer<typeof asyncAccepted>;
