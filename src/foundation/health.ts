import { withDeadline } from './deadline.ts';

/** The state of one dependency or part; `unknown` when it is absent or was not asked. */
export interface HealthCheck {
  status: 'healthy' | 'unhealthy' | 'unknown';
  latency_ms: number | null;
  error: string | null;
  /** A remark for operators about a part that works. */
  note?: string | undefined;
}

/** How a whole service is. */
export type HealthStatus = 'healthy' | 'degraded' | 'unhealthy';

/** Parses the status in a health answer; `ok` and `unavailable` come from the video service, whose form is given. */
export function parseStatus(word: unknown): HealthStatus | undefined {
  if (word === 'ok') return 'healthy';
  if (word === 'unavailable') return 'unhealthy';
  return word === 'healthy' || word === 'degraded' || word === 'unhealthy' ? word : undefined;
}

/** A part of a service whose health can be checked: the probe rejects with a short reason when it does not work. */
export interface Probeable {
  /** A remark for operators while it works. */
  readonly note?: string;
  probe(signal: AbortSignal): Promise<void>;
}

/** Thrown by a probe that has nothing to check; the state of the part is then unknown and degrades nothing. */
export class NothingToProbeError extends Error {}

/** The parts that decide the health of a service. */
export interface HealthParts {
  /** By the name that /health shows; undefined when the part is switched off. */
  readonly parts: Readonly<Record<string, Probeable | undefined>>;
  /**
   * Without one of these the service is unhealthy, without another part it is degraded. When none is named, the service is
   * unhealthy once no part works.
   */
  readonly critical?: readonly string[];
  /** Parts whose failure degrades the service, and which do not count among those of which one must work. */
  readonly auxiliary?: readonly string[];
  /** The parts that /ready requires, when that is not the same as not being unhealthy. */
  readonly ready?: Readonly<Record<string, Probeable>>;
}

/** A part that is switched off. */
const OFF: HealthCheck = { status: 'unknown', latency_ms: null, error: 'switched off' };

function isProbeable(need: unknown): need is Probeable {
  return typeof need === 'object' && need !== null && 'probe' in need && typeof need.probe === 'function';
}

/** All needs of a service that carry a probe, each of them critical. */
export function probeableNeeds(needs: object): HealthParts {
  const parts = Object.entries(needs).filter((entry): entry is [string, Probeable] => isProbeable(entry[1]));
  return { parts: Object.fromEntries(parts), critical: parts.map(([name]) => name) };
}

/** Asks one part, within a time limit in milliseconds. */
export async function runCheck(part: Probeable, limitMs: number): Promise<HealthCheck> {
  const started = performance.now();
  try {
    await withDeadline(limitMs, undefined, (signal) => part.probe(signal));
    const latency = Math.round(performance.now() - started);
    return { status: 'healthy', latency_ms: latency, error: null, note: part.note };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const status = error instanceof NothingToProbeError ? 'unknown' : 'unhealthy';
    return { status, latency_ms: Math.round(performance.now() - started), error: reason };
  }
}

/** Asks all parts at once; those that are switched off are unknown. */
export async function runChecks(
  parts: HealthParts['parts'],
  limitMs: number,
): Promise<Record<string, HealthCheck>> {
  const checks = Object.entries(parts).map(
    async ([name, part]) => [name, part === undefined ? OFF : await runCheck(part, limitMs)] as const,
  );
  return Object.fromEntries(await Promise.all(checks));
}

/** The health of a service by its checks. A part that is switched off is missed only where it is critical. */
export function overallHealth(
  checks: Readonly<Record<string, HealthCheck>>,
  critical: readonly string[] = [],
  aside: readonly string[] = [],
): HealthStatus {
  const works = (name: string) => checks[name]?.status === 'healthy';
  if (!critical.every(works)) return 'unhealthy';
  const names = Object.keys(checks);
  const supporting = names.filter((name) => !aside.includes(name));
  if (critical.length === 0 && !supporting.some(works)) return 'unhealthy';
  return names.some((name) => checks[name]?.status === 'unhealthy') ? 'degraded' : 'healthy';
}
