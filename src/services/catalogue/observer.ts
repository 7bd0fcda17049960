import { z } from 'zod';
import { parseStatus } from '../../foundation/health.ts';
import { createVendorClient, type VendorClient } from '../../foundation/vendor-client.ts';
import type { PlatformState, ServiceState } from './contract.ts';
import type { ServiceName } from './settings.ts';

/** Longest wait for one service, in milliseconds: longer than its own checks may take. */
const LOOK_LIMIT_MS = 2_500;
/** How long what was seen is told again, in milliseconds: many who ask cost the services no more than one. */
const FRESH_MS = 2_000;
/** The contracts of all services together are smaller. */
const ANSWER_BYTES = 4 * 1024 * 1024;
/** Each look asks anew: a service that comes back is seen at once. */
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

/** Looks at all services. */
export interface Observer {
  /** What was seen less than two seconds ago, or what a look sees now; those who ask at once share it. */
  state(): Promise<PlatformState>;
  /** Rejects when no service is named, or the last look reached none. Looks at nothing itself. */
  probe(): Promise<void>;
  close(): Promise<void>;
}

/** What is remembered of a service from one look to the next. */
interface Memory {
  info: Info | undefined;
  status: ServiceState['status'] | undefined;
  changedAt: string | null;
}

type Seen = Pick<ServiceState, 'status' | 'latency_ms' | 'error'>;

const OFF: Seen = { status: 'off', latency_ms: null, error: null };

async function look(client: VendorClient, memory: Memory): Promise<Seen> {
  const started = performance.now();
  const [answer, told] = await Promise.all([
    client.getJson('/health', health).then((result) => ({ result, ms: performance.now() - started })),
    client.getJson('/v1/info', info),
  ]);
  if (told.ok) memory.info = told.value;
  const latency_ms = Math.round(answer.ms * 10) / 10;
  if (answer.result.ok) return { status: answer.result.value.status, latency_ms, error: null };
  // It answers, and says that it does not work.
  if (answer.result.status === 503) return { status: 'unhealthy', latency_ms, error: null };
  return { status: 'unreachable', latency_ms: null, error: answer.result.message };
}

/** A service among the others: what was seen, what it told, and what it calls of them. */
function stateOf(name: ServiceName, seen: Seen, memory: Memory, names: ReadonlySet<string>): ServiceState {
  const { info: told } = memory;
  return {
    name,
    ...seen,
    version: told?.resource.version ?? null,
    models: told?.models ?? [],
    functions: told?.functions ?? [],
    depends_on: (told?.depends_on ?? []).filter((other) => names.has(other) && other !== name),
    last_change: memory.changedAt,
  };
}

function noteChange(memory: Memory, { status }: Seen, at: string): void {
  if (memory.status !== undefined && memory.status !== status) memory.changedAt = at;
  memory.status = status;
}

/** Looks at services by their addresses, all at once; `none` is switched off. `now` is a clock in milliseconds. */
export function createObserver(
  addresses: ReadonlyMap<ServiceName, string>,
  now: () => number = () => performance.now(),
): Observer {
  const names: ReadonlySet<string> = new Set(addresses.keys());
  const places = [...addresses].map(([name, address]) => {
    const options = { name, timeoutMs: LOOK_LIMIT_MS, answerBytes: ANSWER_BYTES, breaker: NO_BREAKER };
    const client = address === 'none' ? undefined : createVendorClient({ ...options, baseUrl: address });
    const memory: Memory = { info: undefined, status: undefined, changedAt: null };
    return { name, client, memory };
  });
  let last: { state: PlatformState; at: number } | undefined;
  let looking: Promise<PlatformState> | undefined;

  const lookAtAll = async (): Promise<PlatformState> => {
    const services = await Promise.all(
      places.map(async ({ name, client, memory }) => {
        const seen = client === undefined ? OFF : await look(client, memory);
        noteChange(memory, seen, new Date().toISOString());
        return stateOf(name, seen, memory, names);
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
      looking ??= lookAtAll().finally(() => {
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
