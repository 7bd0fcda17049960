import { type Kysely, sql } from 'kysely';
import type { Database } from '../../../foundation/database/database.ts';
import { DIMENSIONS } from '../../../text/encoder/layers.ts';
import type { EvidenceTables } from './tables.ts';
import { CANDIDATES, coalesceCalls, type NearPassage, type VectorSearch } from './vector-search.ts';

/** Rows that one statement copies. */
const ROWS_PER_COPY = 2_000;

/** Copies of the vectors as the extension wants them. They go with their passages. */
const migrations = {
  '0001_evidence_vector': `
    create table evidence_vector (
      passage_id bigint primary key references evidence_passage on delete cascade,
      revision bigint not null,
      vector vector(${DIMENSIONS}) not null
    );
    create index evidence_vector_revision on evidence_vector (revision);
    create index evidence_vector_nearest on evidence_vector using hnsw (vector vector_cosine_ops);
  `,
};

type Tables = Kysely<EvidenceTables>;

/** Whether the database has the extension, in a version that knows HNSW indexes (0.5). */
async function hasPgvector(tables: Tables): Promise<boolean> {
  const { rows } = await sql<{ isThere: boolean }>`
    select string_to_array(substring(extversion from '^[0-9.]+'), '.')::int[] >= array[0, 5] and to_regtype('vector') is not null as "isThere"
    from pg_extension where extname = 'vector'`.execute(tables);
  return rows[0]?.isThere === true;
}

/**
 * Copies what was encoded since the last copy. The newest revision that is there may be copied in part only, so it is looked
 * through again. A byte is a number from -128 to 127.
 */
async function copyNewer(tables: Tables): Promise<void> {
  let copied = ROWS_PER_COPY;
  while (copied === ROWS_PER_COPY) {
    const { numAffectedRows } = await sql`
      insert into evidence_vector (passage_id, revision, vector)
      select p.id, p.vector_revision,
        (select array_agg((get_byte(p.vector, at) + 128) % 256 - 128 order by at) from generate_series(0, ${sql.lit(DIMENSIONS - 1)}) at)::real[]::vector
      from evidence_passage p
      where p.vector_revision >= coalesce((select max(revision) from evidence_vector), 0)
        and octet_length(p.vector) = ${sql.lit(DIMENSIONS)}
        and not exists (select from evidence_vector v where v.passage_id = p.id)
      order by p.vector_revision, p.id
      limit ${sql.lit(ROWS_PER_COPY)}
      on conflict do nothing`.execute(tables);
    copied = Number(numAffectedRows ?? 0);
  }
}

/**
 * The search of the extension pgvector (https://github.com/pgvector/pgvector), by an HNSW index over cosine distance; undefined where
 * the database does not have the extension. Before each search what was encoded since is copied. Throws when the database cannot use it.
 */
export async function openPgvectorSearch(database: Database): Promise<VectorSearch | undefined> {
  const tables = database.kysely<EvidenceTables>();
  if (!(await hasPgvector(tables))) return undefined;
  await database.migrate('web-pgvector', migrations);
  await sql`select vector <=> vector from evidence_vector limit 1`.execute(tables);
  const follow = coalesceCalls(() => copyNewer(tables));
  return {
    name: 'pgvector',
    nearest: async (vector, count, signal) => {
      await follow();
      signal.throwIfAborted();
      const wanted = `[${vector.join(',')}]`;
      const rows = await tables.transaction().execute(async (transaction) => {
        await sql`select set_config('hnsw.ef_search', ${String(CANDIDATES)}, true)`.execute(transaction);
        const result = await sql<NearPassage>`
          select passage_id as id, 1 - (vector <=> ${wanted}::vector) as similarity
          from evidence_vector order by vector <=> ${wanted}::vector limit ${count}`.execute(transaction);
        return result.rows;
      });
      // A vector without any length has no direction.
      return rows.filter(({ similarity }) => !Number.isNaN(similarity));
    },
  };
}
