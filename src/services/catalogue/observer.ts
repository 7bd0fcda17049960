import { z } from 'zod';
import { parseStatus } from '../../foundation/health.ts';
import { roundTo } from '../../foundation/numbers.ts';
import { createVendorClient, type VendorClient } from '../../foundation/vendor-client.ts';
import type { PlatformState, ServiceState } from './contract.ts';
import type { ServiceName } from './settings.ts';

/** Longest wait for one service, in milliseconds: longer than its own checks may take. */
const LOOK_LIMIT_MS = 2_500;
/** How long an observation is reused, in milliseconds, so that many callers cost the services no more than one. */
const FRESH_MS = 2_000;
/** The contracts of all services together are smaller. */
const ANSWER_BYTES = 4 * 1024 * 1024;
/** Without a breaker, so that a service that comes back is seen at once. */
const NO_BREAKER = { requests: Number.POSITIVE_INFINITY };

const health = z.object({ status: z.preprocess(parseStatus, z.enum(['healthy', 'degraded', 'unhealthy'])) });
const info = z.object({
  resource: z.object({ version: z.string() }),
  models: z.array(z.unknown()),
  functions: z.array(
    z.object({ name: z.string(), method: z.string(), path: z.string(), description: z.string() }),
  ),
  depends_on: z.array(z.string()).default([]),
});
type Info = z.output<typeof info>;

/** Observes all services. */
export interface Observer {
  /** An observation of the last two seconds, else a new one; concurrent callers share it. */
  state(): Promise<PlatformState>;
  /** Rejects when no service is configured, or the last observation reached none. Makes no requests. */
  probe(): Promise<void>;
  close(): Promise<void>;
}

/** What is kept of a service between observations. */
interface ServiceMemory {
  info: Info | undefined;
  status: ServiceState['status'] | undefined;
  changedAt: string | null;
}

type ObservedState = Pick<ServiceState, 'status' | 'latency_ms' | 'error'>;

const OFF: ObservedState = { status: 'off', latency_ms: null, error: null };

async function observe(client: VendorClient, memory: ServiceMemory): Promise<ObservedState> {
  const started = performance.now();
  const [answer, infoAnswer] = await Promise.all([
    client.getJson('/health', health).then((result) => ({ result, ms: performance.now() - started })),
    client.getJson('/v1/info', info),
  ]);
  if (infoAnswer.ok) memory.info = infoAnswer.value;
  const latency_ms = roundTo(answer.ms, 1);
  if (answer.result.ok) return { status: answer.result.value.status, latency_ms, error: null };
  // It answers that it is unhealthy.
  if (answer.result.status === 503) return { status: 'unhealthy', latency_ms, error: null };
  return { status: 'unreachable', latency_ms: null, error: answer.result.message };
}

/** The state of one service: its health, what /v1/info says of it, and the other services that it calls. */
function stateOf(
  name: ServiceName,
  observed: ObservedState,
  memory: ServiceMemory,
  names: ReadonlySet<string>,
): ServiceState {
  const { info } = memory;
  return {
    name,
    ...observed,
    version: info?.resource.version ?? null,
    models: info?.models ?? [],
    functions: info?.functions ?? [],
    depends_on: (info?.depends_on ?? []).filter((other) => names.has(other) && other !== name),
    last_change: memory.changedAt,
  };
}

function noteChange(memory: ServiceMemory, { status }: ObservedState, at: string): void {
  if (memory.status !== undefined && memory.status !== status) memory.changedAt = at;
  memory.status = status;
}

/** Observes services by their addresses, all at once; `none` means switched off. `now` is a clock in milliseconds. */
export function createObserver(
  addresses: ReadonlyMap<ServiceName, string>,
  now: () => number = () => performance.now(),
): Observer {
  const names: ReadonlySet<string> = new Set(addresses.keys());
  const places = [...addresses].map(([name, address]) => {
    const options = { name, timeoutMs: LOOK_LIMIT_MS, answerBytes: ANSWER_BYTES, breaker: NO_BREAKER };
    const client = address === 'none' ? undefined : createVendorClient({ ...options, baseUrl: address });
    const memory: ServiceMemory = { info: undefined, status: undefined, changedAt: null };
    return { name, client, memory };
  });
  let last: { state: PlatformState; at: number } | undefined;
  let looking: Promise<PlatformState> | undefined;

  const observeAll = async (): Promise<PlatformState> => {
    const services = await Promise.all(
      places.map(async ({ name, client, memory }) => {
        const observed = client === undefined ? OFF : await observe(client, memory);
        noteChange(memory, observed, new Date().toISOString());
        return stateOf(name, observed, memory, names);
      }),
    );
    const unreachable = services.filter(({ status }) => status === 'unreachable').map(({ name }) => name);
    const state = { checked_at: new Date().toISOString(), unreachable, services };
    last = { state, at: now() };
    return state;
  };

  return {
    state: () => {
      if (last !== undefined && now() - last.at < FRESH_MS) return Promise.resolve(last.state);
      looking ??= observeAll().finally(() => {
        looking = undefined;
      });
      return looking;
    },
    probe: async () => {
      const running = places.filter(({ client }) => client !== undefined);
      if (running.length === 0) throw new Error('no service is named');
      if (last !== undefined && last.state.unreachable.length >= running.length)
        throw new Error('no service answers');
    },
    close: async () => void (await Promise.all(places.map(({ client }) => client?.close()))),
  };
}
