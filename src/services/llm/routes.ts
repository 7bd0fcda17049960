import type { FastifyReply, FastifyRequest, Handlers } from '../../foundation/service.ts';
import { answer } from '../../foundation/service.ts';
import { type Backend, BackendRefusal, type Operation } from './backends/backend.ts';
import { ANONYMOUS } from './caller-tokens.ts';
import { ClientAnswer } from './client-answer.ts';
import { type BackendName, errors, llm } from './contract.ts';
import type { Front } from './front.ts';
import { type ModelDirectory, reason } from './model-directory.ts';

type Call = {
  readonly caller: { readonly subject: string } | undefined;
  readonly correlationId: string;
  readonly signal: AbortSignal;
};

/** What the routes need. */
export interface RouteParts {
  readonly front: Front;
  readonly directory: ModelDirectory;
  readonly backends: ReadonlyMap<BackendName, Backend>;
  readonly defaultBackend: BackendName;
  readonly version: string;
}

/** Completion requests that came through the framework, such as injected ones; it read their body. */
function completion(front: Front, operation: Operation) {
  return async (request: FastifyRequest, reply: FastifyReply, call: Call): Promise<void> => {
    reply.hijack();
    const body = (request.body as Buffer | undefined) ?? Buffer.alloc(0);
    const to = new ClientAnswer(reply.raw, call.correlationId);
    const control = request.headers['cache-control'];
    front.begin(operation, body, call.caller?.subject ?? ANONYMOUS, control, to);
  };
}

/** A backend that can be used; throws a 400 that says why it cannot. */
function usable(backends: RouteParts['backends'], name: BackendName): Backend {
  const backend = backends.get(name);
  const message = backend === undefined ? `The ${name} backend is not configured.` : backend.unavailable;
  if (backend === undefined || message !== undefined)
    throw errors.backend_unavailable({ ...(message !== undefined && { message }) });
  return backend;
}

/** Loads or unloads, and keeps the lists true. */
async function control(
  { backends, directory }: RouteParts,
  verb: 'load' | 'unload',
  { model, backend: name }: { model: string; backend: BackendName },
  signal: AbortSignal,
) {
  const backend = usable(backends, name);
  try {
    const message = await backend[verb](model, signal);
    await directory.renew(name);
    return { success: true, model, backend: name, message };
  } catch (error) {
    if (error instanceof BackendRefusal) {
      const fail = error.kind === 'unsupported' ? errors.not_supported : errors.invalid_parameter;
      throw fail({ message: error.message });
    }
    throw errors.completion_failed({
      message: `The ${name} backend failed: ${reason(error)}.`,
      cause: error,
    });
  }
}

/** The handlers of the contract. */
export function createHandlers(parts: RouteParts): Handlers<typeof llm.operations> {
  const { front, directory, backends, defaultBackend, version } = parts;
  const limit = (call: Call) => front.spend(call.caller?.subject ?? ANONYMOUS);
  return {
    chat: completion(front, 'chat'),
    complete: completion(front, 'complete'),
    models: async ({ query }, call) => {
      limit(call);
      const { backend } = query;
      if (backend !== undefined) usable(backends, backend);
      return { object: 'list', data: await directory.list(backend) };
    },
    load: async ({ body }, call) => {
      limit(call);
      return control(parts, 'load', body, call.signal);
    },
    unload: async ({ body }, call) => {
      limit(call);
      return control(parts, 'unload', body, call.signal);
    },
    backends: async (_input, call) => {
      limit(call);
      const known = [...backends.values()].filter(({ unavailable }) => unavailable === undefined);
      return { backends: known.map(({ name }) => name) };
    },
    info: async () => ({
      resource: { name: llm.name, title: llm.title, version, description: llm.description },
      models: await directory.list(undefined),
      functions: Object.entries(llm.operations).map(([name, { method, path, summary }]) => ({
        name,
        method,
        path,
        description: summary,
      })),
    }),
    health: async () => {
      const states = await directory.health();
      const healthy = states.filter((state) => state.healthy).length;
      const status = healthy === 0 ? 'unhealthy' : healthy === states.length ? 'healthy' : 'degraded';
      return { status, backends: states };
    },
    ready: async () => {
      const states = await directory.health(defaultBackend);
      const ready = states.some(({ healthy }) => healthy);
      return ready ? { ready } : answer(503, { ready });
    },
  };
}
