import { type Kysely, sql } from 'kysely';
import { callerShareHeaders } from '../../../foundation/caller-share.ts';
import type { Client } from '../../../foundation/client.ts';
import { DIMENSIONS } from '../../../text/encoder/layers.ts';
import { quantiseVector } from '../../../text/encoder/quantised-vectors.ts';
import type { embeddings } from '../../embeddings/contract.ts';
import type { EvidenceTables } from './tables.ts';

/** Encodes texts as vectors: null for a text without words, undefined when the encoder is not available. */
export interface TextEncoder {
  /** `share` names the user on whose behalf texts are encoded. */
  encode(
    texts: readonly string[],
    signal: AbortSignal,
    share?: string,
  ): Promise<(Float32Array | null)[] | undefined>;
}

/** The encoder on behalf of one user. */
export const encoderFor = (encoder: TextEncoder, share: string | undefined): TextEncoder => ({
  encode: (texts, signal) => encoder.encode(texts, signal, share),
});

/** The encoder that the vectors of the index are made by: its own space, whatever else the service offers. */
const MODEL = 'limpede-encoder-1';
/** Passages that are encoded at once: a quarter of a second of work. */
const BATCH = 64;
const BYTES_PER_NUMBER = 4;
/** How long passages are leased to the process that encodes them. */
const LEASE_SECONDS = 120;

function readVector(embedding: string | readonly number[]): Float32Array | undefined {
  if (typeof embedding !== 'string') return undefined;
  const bytes = Buffer.from(embedding, 'base64');
  if (bytes.length !== DIMENSIONS * BYTES_PER_NUMBER) return undefined;
  return Float32Array.from({ length: DIMENSIONS }, (_, index) => bytes.readFloatLE(index * BYTES_PER_NUMBER));
}

/** The encoder of the embeddings service; without one nothing is encoded. */
export function createTextEncoder(client: Pick<Client<typeof embeddings>, 'embed'> | undefined): TextEncoder {
  return {
    async encode(texts, signal, share) {
      const readable = texts.flatMap((text, index) => (/[\p{L}\p{N}]/u.test(text) ? [index] : []));
      if (client === undefined) return undefined;
      if (readable.length === 0) return texts.map(() => null);
      const input = readable.map((index) => texts[index] ?? '');
      const answer = await client.embed(
        { headers: callerShareHeaders(share), body: { model: MODEL, input, encoding_format: 'base64' } },
        { signal },
      );
      const vectors = answer?.data.map(({ embedding }) => readVector(embedding));
      if (vectors?.length !== readable.length || vectors.includes(undefined)) return undefined;
      const all: (Float32Array | null)[] = texts.map(() => null);
      readable.forEach((index, place) => {
        all[index] = vectors[place] ?? null;
      });
      return all;
    },
  };
}

/** Leases passages without a vector, so that no other process encodes them as well. */
function leasePending(tables: Kysely<EvidenceTables>) {
  return sql<{ id: number; text: string }>`
    update evidence_passage set claimed_until = now() + make_interval(secs => ${LEASE_SECONDS})
    where id in (
      select id from evidence_passage where vector is null and (claimed_until is null or claimed_until < now())
      order by id limit ${BATCH} for update skip locked
    )
    returning id, text`.execute(tables);
}

const releaseLease = (tables: Kysely<EvidenceTables>, ids: readonly number[]) =>
  sql`update evidence_passage set claimed_until = null where id = any(${ids})`.execute(tables);

/**
 * Encodes some of the passages that have no vector yet. `done` when none is left, `lost` when the encoder is not
 * available; the passages are then found by their words alone until it is.
 */
export async function encodePending(
  tables: Kysely<EvidenceTables>,
  encoder: TextEncoder,
  signal: AbortSignal,
): Promise<'more' | 'done' | 'lost'> {
  const { rows } = await leasePending(tables);
  if (rows.length === 0) return 'done';
  const ids = rows.map(({ id }) => id);
  const vectors = await encoder
    .encode(
      rows.map(({ text }) => text),
      signal,
    )
    .catch(() => undefined);
  if (vectors === undefined) {
    await releaseLease(tables, ids);
    return 'lost';
  }
  const bytes = vectors.map((vector) => quantiseVector(vector ?? new Float32Array(DIMENSIONS)));
  await tables.transaction().execute(async (queries) => {
    const { revision } = await queries
      .updateTable('evidence_state')
      .set({ revision: sql`revision + 1` })
      .returning('revision')
      .executeTakeFirstOrThrow();
    await sql`
      update evidence_passage p set vector = v.vector, vector_revision = ${revision}, claimed_until = null
      from unnest(${ids}::bigint[], ${bytes}::bytea[]) v (id, vector) where p.id = v.id`.execute(queries);
  });
  return 'more';
}
