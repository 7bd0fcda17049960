import { z } from 'zod';
import { sessionStatus } from './analysis-session.ts';
import { componentName } from './component-name.ts';
import { degradation } from './degradation.ts';
import { count, milliseconds } from './fields.ts';
import { runningStage } from './work-stage.ts';

/** Where a session stands; `progress` runs from 0 to 1. */
export const queueStatus = z
  .object({
    session_id: z.uuid(),
    status: sessionStatus,
    progress: z.number().min(0).max(1),
    completed_components: z.array(componentName),
    total_components: count,
    stage: z.string().nullable(),
    running_stages: z
      .array(runningStage)
      .meta({ description: 'Parts of long steps that are under way, as in the events `stage.started`.' }),
    queue_position: count.nullable(),
    eta_ms: milliseconds.nullable(),
    degraded: z.array(degradation),
    cancel_requested: z.boolean(),
  })
  .meta({ id: 'QueueStatus' });
export type QueueStatus = z.infer<typeof queueStatus>;
