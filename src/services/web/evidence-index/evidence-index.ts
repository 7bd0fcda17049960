import { setTimeout as pause } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Database } from '../../../foundation/database/database.ts';
import type { Logger } from '../../../foundation/log.ts';
import type {
  ClaimEntry,
  DocumentEntry,
  IndexStatistics,
  ListedOrigin,
  StoredEntries,
} from '../contract/evidence-index.ts';
import { encodePending, encoderFor, type TextEncoder } from './encode.ts';
import { openPgvectorSearch } from './pgvector-search.ts';
import { type IndexHit, searchIndex } from './search.ts';
import { type LanguageOf, type Origin, type Removal, removeEntries, storeEntries } from './store.ts';
import { type EvidenceTables, migrations } from './tables.ts';
import { createSignatureSearch, type VectorSearch } from './vector-search.ts';

/** Documents and reviewed claims of the operator, searched by words and by vectors. */
export interface EvidenceIndex {
  store(
    origin: Origin,
    entries: readonly (DocumentEntry | ClaimEntry)[],
  ): Promise<Omit<StoredEntries, 'failed'>>;
  remove(removal: Removal): Promise<{ documents: number; claims: number }>;
  list(): Promise<ListedOrigin[]>;
  statistics(): Promise<IndexStatistics>;
  /** `share` names the user on whose behalf. */
  search(text: string, count: number, signal: AbortSignal, share?: string): Promise<IndexHit[]>;
  /** Encodes what waits until the signal aborts. */
  encode(signal: AbortSignal): Promise<void>;
  probe(signal: AbortSignal): Promise<void>;
}

/** What the index works with. */
export interface IndexDependencies {
  readonly database: Database;
  readonly encoder: TextEncoder;
  /** For passages, where some of them come with their vectors; the same encoder unless given. */
  readonly passageEncoder?: TextEncoder;
  readonly languageOf: LanguageOf;
  readonly log: Logger;
}

/** How long the encoding rests when nothing waits (another process may bring something), and when the encoder was lost, in milliseconds. */
const REST_MS = { done: 15_000, lost: 10_000, more: 0 };
/** A start needs the processor for itself: what the starter set brought is encoded a little later. */
const START_REST_MS = 4_000;

/** pgvector where the database has it, else the search of our own. */
async function vectorSearchOf(database: Database, log: Logger): Promise<VectorSearch> {
  const pgvector = await openPgvectorSearch(database).catch((error: unknown) => {
    log.warn({ err: error }, 'pgvector is installed and cannot be used: vectors are searched without it');
    return undefined;
  });
  if (pgvector !== undefined) log.info('vectors of evidence are searched by pgvector');
  return pgvector ?? createSignatureSearch(database);
}

/** Opens the index in a database, with its tables. */
export async function openEvidenceIndex(dependencies: IndexDependencies): Promise<EvidenceIndex> {
  const { database, encoder, passageEncoder = encoder, languageOf, log } = dependencies;
  await database.migrate('web', migrations);
  const tables = database.kysely<EvidenceTables>();
  const vectors = await vectorSearchOf(database, log);
  let waiting = new AbortController();
  return {
    store: async (origin, entries) => {
      const stored = await storeEntries(tables, origin, entries, languageOf);
      waiting.abort();
      return stored;
    },
    remove: (removal) => removeEntries(tables, removal),
    list: async () => {
      const { rows } = await sql<Omit<ListedOrigin, 'imported_at'> & { imported_at: Date }>`
        select o.operator, o.name as origin, o.imported_at,
          (select count(*) from evidence_document d where d.origin_id = o.id) as documents,
          (select count(*) from evidence_claim c where c.origin_id = o.id) as claims
        from evidence_origin o order by o.operator, o.name`.execute(tables);
      return rows.map((row) => ({ ...row, imported_at: row.imported_at.toISOString() }));
    },
    statistics: async () => {
      const { rows } = await sql<IndexStatistics>`
        select (select count(*) from evidence_document) as documents, (select count(*) from evidence_claim) as claims,
          s.passages, s.revision, (select count(*) from evidence_passage where vector is null) as passages_without_vector,
          (select sum(pg_total_relation_size(c.oid))::bigint from pg_class c
            where c.relkind = 'r' and c.relname like 'evidence\\_%') as bytes
        from evidence_state s`.execute(tables);
      const [row] = rows;
      if (row === undefined) throw new Error('the state of the evidence index is missing');
      return row;
    },
    search: (text, count, signal, share) =>
      searchIndex({ tables, vectors, encoder: encoderFor(encoder, share) }, text, count, signal),
    encode: async (signal) => {
      let isLost = false;
      waiting = new AbortController();
      const starts = AbortSignal.any([signal, waiting.signal]);
      await pause(START_REST_MS, undefined, { signal: starts }).catch(() => undefined);
      while (!signal.aborted) {
        waiting = new AbortController();
        const state = await encodePending(tables, passageEncoder, signal).catch((error) => {
          log.debug({ err: error }, 'passages could not be encoded');
          return 'lost' as const;
        });
        if (state === 'lost' && !isLost && !signal.aborted)
          log.warn('the encoder is not there: new passages are found by their words alone');
        isLost = state === 'lost';
        // What is stored meanwhile ends the rest, unless the encoder was lost: it needs its time.
        const ends = state === 'lost' ? signal : AbortSignal.any([signal, waiting.signal]);
        await pause(REST_MS[state], undefined, { signal: ends }).catch(() => undefined);
      }
    },
    probe: (signal) => database.probe(signal),
  };
}
