import { withDeadline } from './deadline.ts';

/** The state of one dependency or part; `unknown` when it is absent or was not asked. */
export interface HealthCheck {
  status: 'healthy' | 'unhealthy' | 'unknown';
  latency_ms: number | null;
  error: string | null;
}

/** A part of the world that can tell whether it works: rejects with a short reason when it does not. */
export interface Probed {
  probe(signal: AbortSignal): Promise<void>;
}

function isProbed(need: unknown): need is Probed {
  return typeof need === 'object' && need !== null && 'probe' in need && typeof need.probe === 'function';
}

/** Asks one part, within a time limit in milliseconds. */
export async function runCheck(part: Probed, limitMs: number): Promise<HealthCheck> {
  const started = performance.now();
  try {
    await withDeadline(limitMs, undefined, (signal) => part.probe(signal));
    return { status: 'healthy', latency_ms: Math.round(performance.now() - started), error: null };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { status: 'unhealthy', latency_ms: Math.round(performance.now() - started), error: reason };
  }
}

/** Asks every need that carries a probe, all at once. */
export async function runChecks(needs: object, limitMs: number): Promise<Record<string, HealthCheck>> {
  const probed = Object.entries(needs).filter((entry): entry is [string, Probed] => isProbed(entry[1]));
  const checks = probed.map(async ([name, part]) => [name, await runCheck(part, limitMs)] as const);
  return Object.fromEntries(await Promise.all(checks));
}
