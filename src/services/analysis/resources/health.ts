import { z } from 'zod';

/** The state of one dependency or part; `unknown` when it is absent or was not asked. */
export const healthCheck = z
  .object({
    status: z.enum(['healthy', 'unhealthy', 'unknown']),
    latency_ms: z.int().min(0).nullable(),
    error: z.string().nullable(),
  })
  .meta({ id: 'HealthCheck' });

/** Checks without which nothing works; any of them unhealthy makes the whole unhealthy. */
export const CRITICAL_CHECKS = ['database', 'cache', 'broker', 'framework'] as const;

/** Those of them without which no request can be answered: a lost cache costs time, and rate limits hold for each process apart. */
export const NEEDED_CHECKS = ['database', 'broker', 'framework'] as const;

/** Checks of the AI dependencies; an analysis completes without any of them. */
export const FAIL_OPEN_CHECKS = [
  'llm',
  'vision',
  'speech',
  'video',
  'video_model',
  'extractors',
  'forensic',
  'brain',
  'domain_check',
] as const;

/** Deep health: every check by name. */
export const deepHealthResponse = z
  .object({
    status: z.enum(['healthy', 'degraded', 'unhealthy']),
    service: z.string(),
    version: z.string(),
    timestamp: z.iso.datetime({ offset: true }),
    total_check_ms: z.int().min(0),
    checks: z.record(z.string(), healthCheck),
  })
  .meta({ id: 'DeepHealthResponse' });
export type DeepHealthResponse = z.infer<typeof deepHealthResponse>;
