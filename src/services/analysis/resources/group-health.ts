import { z } from 'zod';
import { componentName } from './component-name.ts';
import { healthCheck } from './health.ts';

/** Whether one component works: its engine, and the dependencies that it can do without. */
export const groupHealth = z
  .object({
    status: z.enum(['healthy', 'degraded', 'unhealthy']),
    component: componentName,
    version: z.string(),
    timestamp: z.iso.datetime({ offset: true }),
    checks: z.record(z.string(), healthCheck),
  })
  .meta({ id: 'GroupHealth' });
export type GroupHealth = z.infer<typeof groupHealth>;
