import { type Kysely, sql } from 'kysely';
import type { Database } from '../../../foundation/database/database.ts';
import { asSignedBytes, quantisedCosine } from '../../../text/encoder/quantised-vectors.ts';
import { Signatures } from './signatures.ts';
import type { EvidenceTables } from './tables.ts';

/** A passage whose vector is near to that of the query. */
export interface NearPassage {
  readonly id: number;
  /** Cosine, -1 to 1. */
  readonly similarity: number;
}

/** Finds passages by their vectors. */
export interface VectorSearch {
  readonly name: string;
  nearest(vector: Int8Array, count: number, signal: AbortSignal): Promise<NearPassage[]>;
}

/** Candidates whose full vectors are compared. */
export const CANDIDATES = 256;
/** Rows that are read into memory at once. */
const ROWS_PER_READ = 10_000;
/** Most rounds: when candidates were deleted, the search is repeated without them. */
const MOST_ROUNDS = 3;

/** Shares one run of the work between calls. A call during a run waits for the next run, which sees all changes made before the call. */
export function coalesceCalls(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined;
  return async () => {
    await running?.catch(() => undefined);
    running ??= work().finally(() => {
      running = undefined;
    });
    await running;
  };
}

/** Compares the full vectors of the candidates; deleted passages are removed from memory. */
async function compare(
  tables: Kysely<EvidenceTables>,
  signatures: Signatures,
  vector: Int8Array,
  signal: AbortSignal,
) {
  const ids = await signatures.nearest(vector, CANDIDATES, signal);
  if (ids.length === 0) return { near: [], gone: 0 };
  const rows = await tables
    .selectFrom('evidence_passage')
    .select(['id', 'vector'])
    .where(sql<boolean>`id = any(${ids})`)
    .execute();
  const existing = new Set(rows.map(({ id }) => id));
  const gone = ids.filter((id) => !existing.has(id));
  signatures.forget(gone);
  const near = rows.flatMap(({ id, vector: bytes }) =>
    bytes === null ? [] : [{ id, similarity: quantisedCosine(vector, asSignedBytes(bytes)) }],
  );
  return { near, gone: gone.length };
}

/**
 * The search of our own, the same on every database: signs in memory choose candidates, whose vectors are read and compared. The
 * memory follows the database: before each search what was added since is read. What was removed is noticed when it is read.
 */
export function createSignatureSearch(database: Database): VectorSearch & { size(): number } {
  const signatures = new Signatures();
  const tables = database.kysely<EvidenceTables>();
  let seen = 0;

  const readNewer = async () => {
    const state = await tables.selectFrom('evidence_state').select('revision').executeTakeFirstOrThrow();
    if (state.revision < seen) {
      // Another database stands behind the address: what is in memory says nothing of it.
      signatures.clear();
      seen = 0;
    }
    let last = { revision: seen, id: 0 };
    while (state.revision > seen) {
      const rows = await tables
        .selectFrom('evidence_passage')
        .select(['id', 'vector', 'vector_revision as revision'])
        .where(sql<boolean>`(vector_revision, id) > (${last.revision}, ${last.id})`)
        .where('vector_revision', '>', seen)
        .where('vector_revision', '<=', state.revision)
        .orderBy('vector_revision')
        .orderBy('id')
        .limit(ROWS_PER_READ)
        .execute();
      for (const { id, vector } of rows) if (vector !== null) signatures.add(id, asSignedBytes(vector));
      const end = rows.at(-1);
      if (end === undefined || rows.length < ROWS_PER_READ) seen = state.revision;
      else last = { revision: end.revision ?? 0, id: end.id };
    }
  };
  const readNewerOnce = coalesceCalls(readNewer);
  return {
    name: 'signatures',
    size: () => signatures.size,
    nearest: async (vector, count, signal) => {
      await readNewerOnce();
      let comparison = await compare(tables, signatures, vector, signal);
      for (let round = 1; comparison.gone > 0 && round < MOST_ROUNDS; round++)
        comparison = await compare(tables, signatures, vector, signal);
      return comparison.near.sort((one, other) => other.similarity - one.similarity).slice(0, count);
    },
  };
}
