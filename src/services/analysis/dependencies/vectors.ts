import type { Client } from '../../../foundation/client.ts';
import type { embeddings } from '../../embeddings/contract.ts';
import { type CallContext, callerShare } from './caller-share.ts';

/** Vectors of texts, of length 1 and in their order; undefined when they could not be had. */
export type EncodeTexts = (texts: readonly string[], run: CallContext) => Promise<Float32Array[] | undefined>;

/** The model that the product's own weights were trained on; vectors of another would mean something else. */
const MODEL = 'limpede-encoder-1';

/** Encodes by the embeddings service. */
export function createEncodeTexts(client: Pick<Client<typeof embeddings>, 'embed'>): EncodeTexts {
  return async (texts, { account, signal, correlationId }) => {
    if (texts.length === 0) return [];
    const answer = await client.embed(
      { headers: callerShare(account), body: { input: [...texts], model: MODEL } },
      { signal, correlationId, refused: () => undefined },
    );
    const vectors = answer?.data.flatMap(({ embedding }) =>
      typeof embedding === 'string' ? [] : [Float32Array.from(embedding)],
    );
    return vectors?.length === texts.length ? vectors : undefined;
  };
}
