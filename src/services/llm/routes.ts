import { ANONYMOUS } from '../../foundation/bearer-tokens.ts';
import type { FastifyReply, FastifyRequest, Handlers } from '../../foundation/service.ts';
import { type Backend, BackendRefusal } from './backends/backend.ts';
import { errorReason } from './backends/error-reason.ts';
import type { ModelRegistry } from './backends/model-registry.ts';
import type { CompletionEndpoint } from './completion-endpoint.ts';
import { ClientAnswer } from './completions/client-answer.ts';
import type { BackendName, CompletionOperation, llm } from './contract.ts';
import { errors } from './errors.ts';

type Call = {
  readonly caller: { readonly subject: string } | undefined;
  readonly correlationId: string;
  readonly signal: AbortSignal;
};

/** What the routes need. */
export interface RouteDependencies {
  readonly endpoint: CompletionEndpoint;
  readonly registry: ModelRegistry;
  readonly backends: ReadonlyMap<BackendName, Backend>;
}

/** Completion requests that came through the framework, such as injected ones; it read their body. */
function completion(endpoint: CompletionEndpoint, operation: CompletionOperation) {
  return async (request: FastifyRequest, reply: FastifyReply, call: Call): Promise<void> => {
    reply.hijack();
    const body = (request.body as Buffer | undefined) ?? Buffer.alloc(0);
    const answer = new ClientAnswer(reply.raw, call.correlationId);
    const cacheControl = request.headers['cache-control'];
    endpoint.handleBody(operation, body, call.caller?.subject ?? ANONYMOUS, cacheControl, answer);
  };
}

/** A backend that can be used; throws a 400 with the reason when it cannot. */
function usable(backends: RouteDependencies['backends'], name: BackendName): Backend {
  const backend = backends.get(name);
  const message = backend === undefined ? `The ${name} backend is not configured.` : backend.unavailable;
  if (backend === undefined || message !== undefined)
    throw errors.backend_unavailable({ ...(message !== undefined && { message }) });
  return backend;
}

/** Loads or unloads a model, and reads the model list of its backend anew. */
async function controlModel(
  { backends, registry }: RouteDependencies,
  verb: 'load' | 'unload',
  { model, backend: name }: { model: string; backend: BackendName },
  signal: AbortSignal,
) {
  const backend = usable(backends, name);
  try {
    const message = await backend[verb](model, signal);
    await registry.renew(name);
    return { success: true, model, backend: name, message };
  } catch (error) {
    if (error instanceof BackendRefusal) {
      const fail = error.kind === 'unsupported' ? errors.not_supported : errors.invalid_parameter;
      throw fail({ message: error.message });
    }
    throw errors.completion_failed({
      message: `The ${name} backend failed: ${errorReason(error)}.`,
      cause: error,
    });
  }
}

/** The handlers of the contract. */
export function createHandlers(dependencies: RouteDependencies): Handlers<typeof llm.operations> {
  const { endpoint, registry, backends } = dependencies;
  const limit = (call: Call) => endpoint.takeToken(call.caller?.subject ?? ANONYMOUS);
  return {
    chat: completion(endpoint, 'chat'),
    complete: completion(endpoint, 'complete'),
    models: async ({ query }, call) => {
      limit(call);
      const { backend } = query;
      if (backend !== undefined) usable(backends, backend);
      return { object: 'list', data: await registry.list(backend) };
    },
    load: async ({ body }, call) => {
      limit(call);
      return controlModel(dependencies, 'load', body, call.signal);
    },
    unload: async ({ body }, call) => {
      limit(call);
      return controlModel(dependencies, 'unload', body, call.signal);
    },
    backends: async (_input, call) => {
      limit(call);
      const known = [...backends.values()].filter(({ unavailable }) => unavailable === undefined);
      return { backends: known.map(({ name }) => name) };
    },
  };
}
