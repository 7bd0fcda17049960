import { z } from 'zod';
import { defineContract } from '../../foundation/contract.ts';
import { errors } from './errors.ts';

/** The state of a service: `off` is switched off by setting, `unreachable` does not answer. */
export const STATUSES = ['healthy', 'degraded', 'unhealthy', 'unreachable', 'off'] as const;

const moment = z.iso.datetime();

const serviceState = z
  .object({
    name: z.string(),
    status: z.enum(STATUSES),
    latency_ms: z.number().min(0).nullable().describe('Of the answer about its health; null when none came.'),
    version: z.string().nullable(),
    models: z
      .array(z.unknown())
      .describe('As the service tells them itself; those last told while it is away.'),
    functions: z.array(
      z.object({ name: z.string(), method: z.string(), path: z.string(), description: z.string() }),
    ),
    depends_on: z.array(z.string()).describe('The services that it calls, as it is set up.'),
    last_change: moment
      .nullable()
      .describe('When its status was seen to change; null: not since the catalogue started.'),
    error: z.string().nullable().describe('Why it counts as unreachable.'),
  })
  .meta({ id: 'ServiceState' });

const platformState = z
  .object({
    checked_at: moment,
    unreachable: z.array(z.string()).describe('Names of the services that do not answer.'),
    services: z.array(serviceState),
  })
  .meta({ id: 'PlatformState' });

/** Every service of the installation, as it is now. */
export const catalogue = defineContract({
  name: 'catalogue',
  title: 'Catalogue',
  version: '1.0.0',
  description:
    'Every service with its live state, its version, models and operations, and what depends on what.',
  errors,
  operations: {
    status: {
      method: 'GET',
      path: '/v1/status',
      summary: 'Every service with its live state, models, operations and dependencies',
      access: 'public',
      answer: z.object({ success: z.literal(true), data: platformState }),
    },
  },
});
/** The state of one service. */
export type ServiceState = z.output<typeof serviceState>;
/** The state of all of them. */
export type PlatformState = z.output<typeof platformState>;
