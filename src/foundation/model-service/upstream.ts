import type { FormData } from 'undici';
import { z } from 'zod';
import type { HasCircuits } from '../breaker.ts';
import type { Failure } from '../errors.ts';
import { createVendorClient, type VendorLoss } from '../vendor-client.ts';
import type { ModelBackend } from './backends.ts';
import type { ModelServiceFailures } from './errors.ts';

/** Address, key and time limit of an OpenAI-compatible model server. */
export interface UpstreamOptions {
  readonly url: string;
  readonly key: string | undefined;
  /** For one call, in milliseconds; read at each. */
  readonly timeoutMs: number;
}

/** What differs between services that use such a server. */
interface UpstreamKind {
  /** Its name in messages, such as `embeddings upstream`. */
  readonly name: string;
  /** Largest answer. */
  readonly answerBytes: number;
  readonly errors: ModelServiceFailures;
}

/** A model as the list of a server names it. */
export interface ListedModel {
  readonly id: string;
  /** Seconds since 1970; 0 when it does not say. */
  readonly created: number;
  readonly owned_by: string;
}

/** A model server; its failures are thrown as errors of the service's table. */
export interface ModelUpstream extends HasCircuits {
  /** Its models; none while it does not answer. */
  models(signal?: AbortSignal): Promise<readonly ListedModel[]>;
  post<Value>(path: string, body: object, schema: z.ZodType<Value>, signal: AbortSignal): Promise<Value>;
  /** Sends a multipart form. */
  postForm<Value>(
    path: string,
    form: FormData,
    schema: z.ZodType<Value>,
    signal: AbortSignal,
  ): Promise<Value>;
  /** The error for an answer of the right form that cannot be used. */
  unusable(what: string): Failure;
  /** Rejects when it does not answer. Some servers have no list of models: that they answer 404 is enough then. */
  probe(signal: AbortSignal, needs: { readonly modelList: boolean }): Promise<void>;
  close(): Promise<void>;
}

const PROBE_MS = 2_000;

const modelList = z.object({
  data: z.array(
    z.looseObject({ id: z.string(), created: z.number().nullish(), owned_by: z.string().nullish() }),
  ),
});

/** The error of the service's table for a failure of the server. */
function failureOf({ reason, message, status, retryAfterMs }: VendorLoss, errors: ModelServiceFailures) {
  const headers = retryAfterMs === undefined ? {} : { 'retry-after': String(Math.ceil(retryAfterMs / 1000)) };
  if (reason === 'rate_limited') return errors.upstream_rate_limited({ message, headers });
  if (reason === 'refused') {
    if (status === 404) return errors.model_not_found();
    // A wrong key is the operator's mistake, not the caller's.
    return status === 401 || status === 403
      ? errors.backend_failed({ message })
      : errors.request_refused({ message });
  }
  return reason === 'invalid_answer'
    ? errors.backend_failed({ message })
    : errors.backend_unavailable({ message });
}

/** What lists of models say of every model of a server. */
export const upstreamModel = ({ id, created, owned_by }: ListedModel) =>
  ({ id, object: 'model', created, owned_by, backend: 'upstream' }) as const;

/** The part of a backend over a model server that is the same whatever its models do. */
export function upstreamBackend<Model extends { readonly id: string }>(
  upstream: ModelUpstream,
  describe: (model: ListedModel) => Model,
  needs: { readonly modelList: boolean },
) {
  return {
    name: 'upstream',
    models: async (signal) => (await upstream.models(signal)).map(describe),
    // The list of a server may be incomplete, so any name is passed on to it.
    find: async (id) => describe({ id, created: 0, owned_by: 'upstream' }),
    probe: (signal) => upstream.probe(signal, needs),
    circuits: upstream.circuits,
    close: upstream.close,
  } satisfies ModelBackend<Model> & HasCircuits;
}

/** Opens a client of an OpenAI-compatible model server. */
export function openModelUpstream(
  options: UpstreamOptions,
  { name, answerBytes, errors }: UpstreamKind,
): ModelUpstream {
  const client = createVendorClient({
    name,
    baseUrl: options.url,
    headers: options.key === undefined ? {} : { authorization: `Bearer ${options.key}` },
    timeoutMs: options.timeoutMs,
    answerBytes,
  });
  const list = (signal?: AbortSignal) =>
    client.getJson('/models', modelList, { signal, timeoutMs: PROBE_MS });
  return {
    models: async (signal) => {
      const answer = await list(signal);
      if (!answer.ok) return [];
      return answer.value.data.map(({ id, created, owned_by: owner }) => ({
        id,
        created: Math.trunc(created ?? 0),
        owned_by: owner ?? 'upstream',
      }));
    },
    post: async (path, body, schema, signal) => {
      const answer = await client.postJson(path, body, schema, { signal, timeoutMs: options.timeoutMs });
      if (!answer.ok) throw failureOf(answer, errors);
      return answer.value;
    },
    postForm: async (path, form, schema, signal) => {
      const answer = await client.postForm(path, form, schema, { signal, timeoutMs: options.timeoutMs });
      if (!answer.ok) throw failureOf(answer, errors);
      return answer.value;
    },
    unusable: (what) => errors.backend_failed({ message: `${name}: ${what}` }),
    probe: async (signal, needs) => {
      const answer = await list(signal);
      if (!answer.ok && (needs.modelList || answer.status !== 404)) throw new Error(answer.message);
    },
    circuits: client.circuits,
    close: () => client.close(),
  };
}
