import { z } from 'zod';
import { createVendorClient, type VendorLoss } from '../../../foundation/vendor-client.ts';
import type { EmbeddingModel } from '../contract.ts';
import { errors } from '../errors.ts';
import { fromBase64 } from '../vectors.ts';
import type { EmbeddingsBackend } from './backend.ts';

/** Where an embeddings server of the common convention is, and how long it may take. */
export interface UpstreamOptions {
  readonly url: string;
  readonly key: string | undefined;
  /** Read at each call. */
  readonly timeoutMs: number;
}

/** Largest answer: 2048 vectors of 4096 numbers as text. */
const ANSWER_BYTES = 256 * 1024 * 1024;
const PROBE_MS = 2_000;

const modelList = z.object({
  data: z.array(
    z.looseObject({ id: z.string(), created: z.number().nullish(), owned_by: z.string().nullish() }),
  ),
});
const vectorList = z.object({
  data: z.array(z.object({ index: z.int().min(0), embedding: z.union([z.array(z.number()), z.string()]) })),
  usage: z.object({ total_tokens: z.number().nullish(), prompt_tokens: z.number().nullish() }).nullish(),
});

/** The failure of this service for what an upstream server did. */
function failureOf({ reason, message, status, retryAfterMs }: VendorLoss) {
  const headers = retryAfterMs === undefined ? {} : { 'retry-after': String(Math.ceil(retryAfterMs / 1000)) };
  if (reason === 'rate_limited') return errors.upstream_rate_limited({ message, headers });
  if (reason === 'refused') {
    if (status === 404) return errors.model_not_found();
    // Its key is our affair, not the caller's.
    return status === 401 || status === 403
      ? errors.backend_failed({ message })
      : errors.request_refused({ message });
  }
  return reason === 'invalid_answer'
    ? errors.backend_failed({ message })
    : errors.backend_unavailable({ message });
}

function clientOf({ url, key, timeoutMs }: UpstreamOptions) {
  return createVendorClient({
    name: 'embeddings upstream',
    baseUrl: url,
    headers: key === undefined ? {} : { authorization: `Bearer ${key}` },
    timeoutMs,
    answerBytes: ANSWER_BYTES,
  });
}

/** A server that offers /embeddings and /models below its root. */
export function createUpstreamBackend(options: UpstreamOptions): EmbeddingsBackend {
  const client = clientOf(options);
  const describe = (id: string, created = 0, owner = 'upstream'): EmbeddingModel => ({
    id,
    object: 'model',
    created,
    owned_by: owner,
    backend: 'upstream',
    loaded: null,
    dimensions: null,
    languages: null,
  });
  const list = (signal?: AbortSignal) =>
    client.getJson('/models', modelList, { signal, timeoutMs: PROBE_MS });
  return {
    name: 'upstream',
    models: async (signal) => {
      const answer = await list(signal);
      if (!answer.ok) return [];
      return answer.value.data.map(({ id, created, owned_by: owner }) =>
        describe(id, Math.trunc(created ?? 0), owner ?? undefined),
      );
    },
    // It knows its models better than any list.
    find: async (model) => describe(model),
    embed: async ({ model, inputs, dimensions, signal }) => {
      const body = {
        model,
        input: inputs,
        encoding_format: 'float',
        ...(dimensions !== undefined && { dimensions }),
      };
      const call = { signal, timeoutMs: options.timeoutMs };
      const answer = await client.postJson('/embeddings', body, vectorList, call);
      if (!answer.ok) throw failureOf(answer);
      const { data, usage } = answer.value;
      const rows = data.toSorted((one, two) => one.index - two.index);
      const complete = rows.length === inputs.length && rows.every(({ index }, place) => index === place);
      if (!complete)
        throw errors.backend_failed({ message: 'embeddings upstream: the answer lacks vectors' });
      return {
        vectors: rows.map(({ embedding }) =>
          typeof embedding === 'string' ? fromBase64(embedding) : Float32Array.from(embedding),
        ),
        tokens: usage?.total_tokens ?? usage?.prompt_tokens ?? 0,
      };
    },
    probe: async (signal) => {
      const answer = await list(signal);
      if (!answer.ok) throw new Error(answer.message);
    },
    circuits: client.circuits,
    close: () => client.close(),
  };
}
