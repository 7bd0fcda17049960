import { type Kysely, sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Database } from '../../../../src/foundation/database/database.ts';
import { openPgvectorSearch } from '../../../../src/services/web/evidence-index/pgvector-search.ts';
import { type EvidenceTables, migrations } from '../../../../src/services/web/evidence-index/tables.ts';
import {
  createSignatureSearch,
  type VectorSearch,
} from '../../../../src/services/web/evidence-index/vector-search.ts';
import { DIMENSIONS } from '../../../../src/text/encoder/layers.ts';
import { quantisedCosine } from '../../../../src/text/encoder/quantised-vectors.ts';
import { forEachEngine } from '../../../foundation/database/engines.ts';
import { openPgvectorDatabase } from './pgvector-database.ts';

const { signal } = new AbortController();

/** Vectors that are the same in every run, around so many middles: as texts are on so many subjects. */
function vectorsAround(middles: number, count: number): Int8Array[] {
  let state = 42;
  const random = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32 - 0.5;
  };
  const centres = Array.from({ length: middles }, () => Array.from({ length: DIMENSIONS }, random));
  return Array.from({ length: count }, (_, index) =>
    Int8Array.from({ length: DIMENSIONS }, (_number, at) =>
      Math.round(127 * ((centres[index % middles]?.[at] ?? 0) + random())),
    ),
  );
}

const all = vectorsAround(20, 200);

/** Passages with these vectors, all of a new version of the index; their ids. */
async function addPassages(tables: Kysely<EvidenceTables>, vectors: readonly Int8Array[]): Promise<number[]> {
  const state = await tables
    .updateTable('evidence_state')
    .set({ revision: sql`revision + 1` })
    .returning('revision')
    .executeTakeFirstOrThrow();
  const origin = await tables
    .insertInto('evidence_origin')
    .values({ operator: 'ana', name: `of ${state.revision}` })
    .returning('id')
    .executeTakeFirstOrThrow();
  const document = await tables
    .insertInto('evidence_document')
    .values({
      ...{ origin_id: origin.id, key: 'a', url: null, title: 'A', publisher: null, language: 'en' },
      ...{ published_at: null, text: 'a', text_hash: 'a', whole: true, content_hash: 'a' },
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  const rows = await tables
    .insertInto('evidence_passage')
    .values(
      vectors.map((vector) => ({
        ...{ document_id: document.id, claim_id: null, text: 'a', language: 'en', words: 1, terms: 'a' },
        ...{ vector: Buffer.from(vector.buffer), vector_revision: state.revision, claimed_until: null },
      })),
    )
    .returning('id')
    .execute();
  return rows.map(({ id }) => id);
}

function suite(open: () => Database, searchOf: (database: Database) => Promise<VectorSearch>): void {
  let tables: Kysely<EvidenceTables>;
  let search: VectorSearch;
  let ids: number[];

  beforeAll(async () => {
    const database = open();
    await database.migrate('web', migrations);
    tables = database.kysely<EvidenceTables>();
    search = await searchOf(database);
    ids = await addPassages(tables, all);
  });
  const nearest = async (vector: Int8Array, count = 10) =>
    (await search.nearest(vector, count, signal)).map(({ id }) => ids.indexOf(id));

  it('finds the nearest, the nearest first, with their cosines', async () => {
    for (const wanted of all.slice(0, 20)) {
      const exact = all
        .map((vector, index) => ({ index, similarity: quantisedCosine(wanted, vector) }))
        .sort((one, other) => other.similarity - one.similarity)
        .slice(0, 10);
      const found = await search.nearest(wanted, 10, signal);
      expect(found.map(({ id }) => ids.indexOf(id))).toEqual(exact.map(({ index }) => index));
      for (const [at, { similarity }] of found.entries())
        expect(similarity).toBeCloseTo(exact[at]?.similarity ?? 0, 4);
    }
  });

  it('knows what was encoded since the last search, and nothing that was removed', async () => {
    const [first = new Int8Array(), second = new Int8Array()] = vectorsAround(2, 202).slice(200);
    await nearest(first);
    const [added = 0] = await addPassages(tables, [first, second]);
    expect((await search.nearest(first, 1, signal))[0]).toMatchObject({ id: added });
    await tables.deleteFrom('evidence_passage').where('id', '=', added).execute();
    expect((await search.nearest(first, 200, signal)).map(({ id }) => id)).not.toContain(added);
  });

  it('gives as many as are wanted', async () => {
    const [wanted = new Int8Array()] = all;
    for (const count of [1, 50, 100]) expect(new Set(await nearest(wanted, count)).size).toBe(count);
  });

  it('serves several at once, while vectors arrive', async () => {
    const more = vectorsAround(3, 30);
    const [found] = await Promise.all([
      Promise.all(all.slice(0, 8).map((vector) => nearest(vector, 1))),
      addPassages(tables, more),
    ]);
    expect(found).toEqual([[0], [1], [2], [3], [4], [5], [6], [7]]);
  });

  it('ends when its caller left', async () => {
    const reason = new Error('left');
    await expect(search.nearest(all[0] as Int8Array, 1, AbortSignal.abort(reason))).rejects.toBe(reason);
  });
}

describe('the search of our own', () => {
  forEachEngine((engine) =>
    suite(
      () => engine.database(),
      async (database) => createSignatureSearch(database),
    ),
  );
});

describe('the search of pgvector', () => {
  let database: Database;
  beforeAll(async () => {
    database = await openPgvectorDatabase();
  });
  afterAll(() => database.close());

  suite(
    () => database,
    async (opened) => {
      const search = await openPgvectorSearch(opened);
      if (search === undefined) throw new Error('the extension was not seen');
      return search;
    },
  );

  forEachEngine((engine) => {
    it('is not there where the extension is not', async () => {
      expect(await openPgvectorSearch(engine.database())).toBeUndefined();
    });
  });
});
