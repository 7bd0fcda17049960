import { type HealthCheck, type HealthParts, type Probeable, runCheck } from '../../../foundation/health.ts';
import { answer } from '../../../foundation/service/reply.ts';
import type { Handlers } from '../../../foundation/service.ts';
import type { healthOperations } from '../contract/health.ts';
import {
  CRITICAL_CHECKS,
  type DeepHealthResponse,
  FAIL_OPEN_CHECKS,
  NEEDED_CHECKS,
} from '../resources/health.ts';

/** The name of one check. */
export type CheckName = (typeof CRITICAL_CHECKS | typeof FAIL_OPEN_CHECKS)[number];
/** The probes by name. A missing one is not part of this installation, and its check stays unknown. */
export type Probes = Partial<Record<CheckName, Probeable>>;

/** Longest wait for one check in milliseconds. */
const CHECK_LIMIT_MS = 2000;

const ABSENT: HealthCheck = { status: 'unknown', latency_ms: null, error: 'not part of this installation' };

/** Overall status: unhealthy when a critical check fails, degraded when anything else is not healthy. */
export function overallStatus(checks: Readonly<Record<string, HealthCheck>>): DeepHealthResponse['status'] {
  if (CRITICAL_CHECKS.some((name) => checks[name]?.status === 'unhealthy')) return 'unhealthy';
  return Object.values(checks).every(({ status }) => status === 'healthy') ? 'healthy' : 'degraded';
}

/** A dependency that is lost counts as unknown: the analysis goes on without it. */
function failOpen(name: string, check: HealthCheck): HealthCheck {
  const critical = (CRITICAL_CHECKS as readonly string[]).includes(name);
  return critical || check.status !== 'unhealthy' ? check : { ...check, status: 'unknown' };
}

/** The health of the service as /health and /ready ask for it: it can take requests while nothing fails that they need. */
export function healthParts(probes: Probes): HealthParts {
  const needed = NEEDED_CHECKS.flatMap((name) => {
    const probe = probes[name];
    return probe === undefined ? [] : [[name, probe] as const];
  });
  return { parts: probes, critical: needed.map(([name]) => name), ready: Object.fromEntries(needed) };
}

/** Makes the named checks, all at once. */
export async function checkAll(
  probes: Probes,
  names: readonly CheckName[],
): Promise<Record<string, HealthCheck>> {
  const checks = names.map(async (name) => {
    const probe = probes[name];
    return [
      name,
      probe === undefined ? ABSENT : failOpen(name, await runCheck(probe, CHECK_LIMIT_MS)),
    ] as const;
  });
  return Object.fromEntries(await Promise.all(checks));
}

/** The handlers of the health operations. */
export function healthRoutes(probes: Probes, version: string): Handlers<typeof healthOperations> {
  const service = 'analysis';
  // Health is public: concurrent requests share one round of checks.
  let looking: ReturnType<typeof checkAll> | undefined;
  const lookAtAll = () => {
    looking ??= checkAll(probes, [...CRITICAL_CHECKS, ...FAIL_OPEN_CHECKS]).finally(() => {
      looking = undefined;
    });
    return looking;
  };
  return {
    root: () => ({ service, version, api_version: 'v3' }),
    basicHealth: async () => {
      const checks = await checkAll(probes, NEEDED_CHECKS);
      const status = overallStatus(checks) === 'unhealthy' ? 'unhealthy' : 'healthy';
      const body = { status, service, version, timestamp: new Date().toISOString() } as const;
      return answer(status === 'unhealthy' ? 503 : 200, body);
    },
    deepHealth: async () => {
      const started = performance.now();
      const checks = await lookAtAll();
      const status = overallStatus(checks);
      const body: DeepHealthResponse = {
        status,
        service,
        version,
        timestamp: new Date().toISOString(),
        total_check_ms: Math.round(performance.now() - started),
        checks,
      };
      return answer(status === 'unhealthy' ? 503 : 200, body);
    },
  };
}
