import { z } from 'zod';
import type { HealthCheck, HealthStatus } from './health.ts';

/** Everything that is known of the health of a service. */
export interface HealthReport {
  readonly status: HealthStatus;
  readonly service: string;
  readonly version: string;
  readonly timestamp: string;
  readonly checks: Record<string, HealthCheck>;
}

/** How a service shows its health. */
export interface HealthForm<Body extends z.ZodType = z.ZodType> {
  readonly body: Body;
  /** The HTTP status of an unhealthy service; a degraded one answers 200. */
  readonly unhealthyStatus: 200 | 503;
  readonly describe: (report: HealthReport) => z.input<Body>;
}

const HEALTH_STATUS = z.enum(['healthy', 'degraded', 'unhealthy']);

const healthReport = z
  .object({
    status: HEALTH_STATUS,
    service: z.string(),
    version: z.string(),
    timestamp: z.iso.datetime(),
    checks: z.record(
      z.string(),
      z.object({
        status: z.enum(['healthy', 'unhealthy', 'unknown']),
        latency_ms: z.int().nullable(),
        error: z.string().nullable(),
      }),
    ),
  })
  .meta({ id: 'HealthReport' });

/** Status and every check by its name; 503 when unhealthy. The form of services that name no other. */
export const reportForm: HealthForm<typeof healthReport> = {
  body: healthReport,
  unhealthyStatus: 503,
  describe: (report) => report,
};

const listItem = z.object({ name: z.string(), healthy: z.boolean(), message: z.string().nullable() });

/** Status and a list of the checks under a name such as `backends` or `providers`; always 200. */
export function listForm<const Key extends string>(key: Key) {
  const list = { [key]: z.array(listItem) } as { [Name in Key]: z.ZodArray<typeof listItem> };
  const body = z.object({ status: HEALTH_STATUS, ...list });
  const describe = ({ status, checks }: HealthReport) => ({
    status,
    [key]: Object.entries(checks).map(([name, check]) => ({
      name,
      healthy: check.status === 'healthy',
      message: check.error ?? check.note ?? null,
    })),
  });
  return { body, unhealthyStatus: 200, describe } as HealthForm<typeof body>;
}

const readiness = z.object({ ready: z.boolean() }).meta({ id: 'Readiness' });

const serviceInfo = <Model extends z.ZodType>(model: Model) =>
  z.object({
    resource: z.object({
      name: z.string(),
      title: z.string(),
      version: z.string(),
      description: z.string(),
    }),
    models: z.array(model),
    functions: z.array(
      z.object({ name: z.string(), method: z.string(), path: z.string(), description: z.string() }),
    ),
    depends_on: z.array(z.string()).describe('The services and servers that it is set up to call, by name.'),
  });

/** The operations that every service has: the foundation declares and answers them. */
export function standardOperations<Model extends z.ZodType, Body extends z.ZodType>(
  model: Model,
  health: HealthForm<Body>,
) {
  return {
    info: {
      method: 'GET',
      path: '/v1/info',
      summary: 'What the service is, its models and its operations, for the catalogue',
      access: 'public',
      answer: serviceInfo(model),
      standard: true,
    },
    health: {
      method: 'GET',
      path: '/health',
      summary: 'Whether the service and what it stands on work',
      access: 'public',
      answer: health.body,
      ...(health.unhealthyStatus === 503 && { answers: { 503: health.body } }),
      standard: true,
    },
    ready: {
      method: 'GET',
      path: '/ready',
      summary: 'Whether the service can take requests',
      access: 'public',
      answer: readiness,
      answers: { 503: readiness },
      standard: true,
    },
  } as const;
}
