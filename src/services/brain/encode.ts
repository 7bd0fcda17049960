import { callerShareHeaders } from '../../foundation/caller-share.ts';
import type { Client } from '../../foundation/client.ts';
import { quantiseVector } from '../../text/encoder/quantised-vectors.ts';
import type { embeddings } from '../embeddings/contract.ts';
import type { EncodeClaim } from './cache.ts';

/** The vector of a claim by the embeddings service; without it the cache knows equal claims alone. */
export function createClaimEncoder(
  client: Pick<Client<typeof embeddings>, 'embed'>,
  model: string,
): EncodeClaim {
  return async ({ text, language }, { caller, signal }) => {
    const answer = await client.embed(
      { headers: callerShareHeaders(caller), body: { input: text, model, language } },
      { signal, refused: () => undefined },
    );
    const vector = answer?.data[0]?.embedding;
    return Array.isArray(vector) ? quantiseVector(vector) : undefined;
  };
}
