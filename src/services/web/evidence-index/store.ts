import { createHash } from 'node:crypto';
import { type Kysely, sql, type Transaction } from 'kysely';
import { jsonb, storableText } from '../../../foundation/database/storable.ts';
import { termsOf } from '../../../text/terms.ts';
import type { ClaimEntry, DocumentEntry, StoredEntries } from '../contract/evidence-index.ts';
import { textHash } from '../extract/page-metadata.ts';
import { splitDocument } from './passages.ts';
import type { EvidenceTables } from './tables.ts';

type Queries = Transaction<EvidenceTables>;

/** Who imports, and from what. */
export interface Origin {
  readonly operator: string;
  readonly name: string;
}

/** Names the language of a text: ISO 639-1. */
export type LanguageOf = (text: string) => string;

/** A document as it is stored; `key` is unique in its origin. */
interface StoredDocument extends Omit<DocumentEntry, 'kind'> {
  readonly whole: boolean;
}

/** What one entry becomes: documents, and a claim that they review. */
interface Prepared {
  readonly hash: string;
  readonly documents: readonly StoredDocument[];
  readonly claim: ClaimEntry | undefined;
}

/** A row to search, before it is stored. */
interface PassageRow {
  readonly document_id: number | null;
  readonly claim_id: number | null;
  readonly text: string;
  readonly language: string;
}

/** Rows of one statement: their parameters stay far below the limit of the protocol. */
const ROWS_PER_STATEMENT = 500;
/** RequestLimiter of a term beyond these are not kept by the database. */
const LAST_PLACE = 16_383;

const hashOf = (value: unknown) => createHash('sha256').update(JSON.stringify(value)).digest('hex');

/** Keys of documents that are entries themselves, and of those that review a claim: several claims may share a page. */
const documentKey = (key: string) => `document ${key}`;
const reviewKey = (claim: string, url: string) => `claim ${claim} ${url}`;

function prepare(entry: DocumentEntry | ClaimEntry): Prepared {
  const hash = hashOf(entry);
  if (entry.kind === 'document') {
    const { kind: _, key, ...document } = entry;
    return { hash, documents: [{ ...document, key: documentKey(key), whole: true }], claim: undefined };
  }
  const documents = entry.reviews.map(({ passage, stance: _, ...page }) => ({
    ...page,
    key: reviewKey(entry.key, page.url),
    text: passage ?? page.title,
    whole: false,
  }));
  return { hash, documents, claim: entry };
}

/** The terms of a passage in the notation of the database: 'word':1,7. */
export function termVector(terms: readonly string[]): string {
  const places = new Map<string, number[]>();
  terms.forEach((term, index) => {
    const known = places.get(term) ?? [];
    known.push(Math.min(index + 1, LAST_PLACE));
    places.set(term, known);
  });
  return [...places].map(([term, at]) => `'${term}':${at.join(',')}`).join(' ');
}

/** Every writer waits here, so that versions of the index become visible in their order. */
async function lockState(queries: Queries): Promise<void> {
  await queries.selectFrom('evidence_state').select('id').where('id', '=', 1).forUpdate().execute();
}

async function originId(queries: Queries, { operator, name }: Origin): Promise<number> {
  const { id } = await queries
    .insertInto('evidence_origin')
    .values({ operator, name })
    .onConflict((on) => on.columns(['operator', 'name']).doUpdateSet({ imported_at: sql`now()` }))
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

/** Takes passages, with what they count, out of the index. */
async function removePassages(queries: Queries, column: 'document_id' | 'claim_id', ids: readonly number[]) {
  if (ids.length === 0) return;
  const owner = sql.ref(column);
  await sql`
    update evidence_term t set passages = t.passages - gone.passages
    from (select u.lexeme, count(*) as passages from evidence_passage p, unnest(p.terms) u
          where p.${owner} = any(${ids}) group by u.lexeme) gone
    where t.term = gone.lexeme`.execute(queries);
  await sql`
    with gone as (delete from evidence_passage where ${owner} = any(${ids}) returning words)
    update evidence_state set passages = passages - (select count(*) from gone),
      words = words - (select coalesce(sum(words), 0) from gone)`.execute(queries);
  await sql`delete from evidence_term where passages <= 0`.execute(queries);
}

/** Removes documents and claims by their ids. */
async function removeRows(queries: Queries, documents: readonly number[], claims: readonly number[]) {
  await removePassages(queries, 'document_id', documents);
  await removePassages(queries, 'claim_id', claims);
  if (documents.length > 0)
    await queries.deleteFrom('evidence_document').where('id', 'in', documents).execute();
  if (claims.length > 0) await queries.deleteFrom('evidence_claim').where('id', 'in', claims).execute();
}

/** Adds passages, and counts them; the encoder reads them later. */
async function addPassages(queries: Queries, rows: readonly PassageRow[]): Promise<void> {
  for (let from = 0; from < rows.length; from += ROWS_PER_STATEMENT) {
    const values = rows.slice(from, from + ROWS_PER_STATEMENT).map((row) => {
      const terms = termsOf(row.text);
      return { ...row, words: terms.length, terms: sql<string>`${termVector(terms)}::tsvector` };
    });
    const ids = await queries.insertInto('evidence_passage').values(values).returning('id').execute();
    const added = ids.map(({ id }) => id);
    await sql`
      insert into evidence_term (term, passages)
      select u.lexeme, count(*) from evidence_passage p, unnest(p.terms) u where p.id = any(${added}) group by u.lexeme
      on conflict (term) do update set passages = evidence_term.passages + excluded.passages`.execute(
      queries,
    );
    const words = values.reduce((sum, row) => sum + row.words, 0);
    await queries
      .updateTable('evidence_state')
      .set({ passages: sql`passages + ${added.length}`, words: sql`words + ${words}` })
      .execute();
  }
}

interface KnownRow {
  readonly id: number;
  readonly key: string;
  readonly content_hash: string;
}

/** Rows of an origin by their keys. */
async function knownRows(
  queries: Queries,
  table: 'evidence_document' | 'evidence_claim',
  origin: number,
  keys: readonly string[],
): Promise<ReadonlyMap<string, KnownRow>> {
  if (keys.length === 0) return new Map();
  const rows = await queries
    .selectFrom(table)
    .select(['id', 'key', 'content_hash'])
    .where('origin_id', '=', origin)
    .where('key', 'in', keys)
    .execute();
  return new Map(rows.map((row) => [row.key, row]));
}

/** The entries that are new or changed, and the rows that they replace. */
async function changesOf(queries: Queries, origin: number, prepared: readonly Prepared[]) {
  const claimKeys = prepared.flatMap(({ claim }) => claim?.key ?? []);
  const documentKeys = prepared.flatMap(({ claim, documents }) =>
    claim ? [] : documents.map(({ key }) => key),
  );
  const claims = await knownRows(queries, 'evidence_claim', origin, claimKeys);
  const documents = await knownRows(queries, 'evidence_document', origin, documentKeys);
  const oldOf = ({ claim, documents: [document] }: Prepared) =>
    claim === undefined ? documents.get(document?.key ?? '') : claims.get(claim.key);
  const changed = prepared.filter((entry) => oldOf(entry)?.content_hash !== entry.hash);
  const removedClaims = changed.flatMap((entry) => (entry.claim ? (oldOf(entry)?.id ?? []) : []));
  const removedDocuments = changed.flatMap((entry) => (entry.claim ? [] : (oldOf(entry)?.id ?? [])));
  return {
    changed,
    replaced: removedClaims.length + removedDocuments.length,
    removedClaims,
    removedDocuments,
  };
}

/** Inserts the documents of entries; their ids by key. */
async function insertDocuments(
  queries: Queries,
  origin: number,
  entries: readonly Prepared[],
  languageOf: LanguageOf,
) {
  const rows = entries.flatMap(({ documents, hash }) =>
    documents.map((document) => {
      const text = storableText(document.text);
      const language = document.language ?? languageOf(text);
      const title = storableText(document.title);
      const publisher = document.publisher === null ? null : storableText(document.publisher);
      return { ...document, text, title, publisher, language, text_hash: textHash(text), content_hash: hash };
    }),
  );
  const ids = new Map<string, number>();
  for (let from = 0; from < rows.length; from += ROWS_PER_STATEMENT) {
    const values = rows.slice(from, from + ROWS_PER_STATEMENT).map((row) => ({ ...row, origin_id: origin }));
    const stored = await queries
      .insertInto('evidence_document')
      .values(values)
      .returning(['id', 'key'])
      .execute();
    for (const { id, key } of stored) ids.set(key, id);
  }
  const passages = rows.flatMap(({ key, title, text, language, whole }) => {
    // Titles are searched too: they name the topic that the text takes for granted.
    const parts = whole ? [title, ...splitDocument(text).map((passage) => passage.text)] : [text];
    return parts.map((part) => ({ document_id: ids.get(key) ?? null, claim_id: null, text: part, language }));
  });
  return { ids, passages };
}

/** Inserts the claims of entries with what reviews them. */
async function insertClaims(
  queries: Queries,
  origin: number,
  entries: readonly Prepared[],
  documents: ReadonlyMap<string, number>,
  languageOf: LanguageOf,
): Promise<PassageRow[]> {
  const claims = entries.flatMap(({ claim, hash }) => (claim === undefined ? [] : [{ claim, hash }]));
  if (claims.length === 0) return [];
  const values = claims.map(({ claim: { key, rating, rating_text, topic, finding }, hash }) => {
    const json = finding === null ? null : jsonb(finding);
    return { origin_id: origin, key, rating, rating_text, topic, finding: json, content_hash: hash };
  });
  const stored = await queries.insertInto('evidence_claim').values(values).returning(['id', 'key']).execute();
  const ids = new Map(stored.map(({ id, key }) => [key, id]));
  const reviews = claims.flatMap(({ claim }) =>
    claim.reviews.flatMap(({ url, stance }) => {
      const [claim_id, document_id] = [ids.get(claim.key), documents.get(reviewKey(claim.key, url))];
      return claim_id === undefined || document_id === undefined ? [] : [{ claim_id, document_id, stance }];
    }),
  );
  if (reviews.length > 0) await queries.insertInto('evidence_review').values(reviews).execute();
  return claims.flatMap(({ claim }) =>
    claim.claims.map(({ text, language }) => ({
      document_id: null,
      claim_id: ids.get(claim.key) ?? null,
      text: storableText(text),
      language: language ?? languageOf(text),
    })),
  );
}

/** Stores entries of one origin: what is unchanged stays as it is, what changed is replaced. In one transaction. */
export async function storeEntries(
  database: Kysely<EvidenceTables>,
  origin: Origin,
  entries: readonly (DocumentEntry | ClaimEntry)[],
  languageOf: LanguageOf,
): Promise<Omit<StoredEntries, 'failed'>> {
  // Of two entries with one key the later counts.
  const unique = new Map(entries.map((entry) => [`${entry.kind} ${entry.key}`, prepare(entry)]));
  return database.transaction().execute(async (queries) => {
    await lockState(queries);
    const id = await originId(queries, origin);
    const { changed, replaced, removedClaims, removedDocuments } = await changesOf(queries, id, [
      ...unique.values(),
    ]);
    await removeRows(
      queries,
      [...removedDocuments, ...(await reviewsOf(queries, removedClaims))],
      removedClaims,
    );
    const documents = await insertDocuments(queries, id, changed, languageOf);
    const claims = await insertClaims(queries, id, changed, documents.ids, languageOf);
    await addPassages(queries, [...documents.passages, ...claims]);
    return { added: changed.length - replaced, changed: replaced, unchanged: unique.size - changed.length };
  });
}

/** The documents that review claims. */
async function reviewsOf(queries: Queries, claims: readonly number[]): Promise<number[]> {
  if (claims.length === 0) return [];
  const rows = await queries
    .selectFrom('evidence_review')
    .select('document_id')
    .where('claim_id', 'in', claims)
    .execute();
  return rows.map((row) => row.document_id);
}

/** What is to be removed: everything of an origin, or everything with an address; of one operator, or of all. */
export interface Removal {
  readonly operator: string | undefined;
  readonly origin?: string | undefined;
  readonly url?: string | undefined;
}

/** Removes documents and claims; a claim goes with the last page that reviews it. */
export async function removeEntries(
  database: Kysely<EvidenceTables>,
  { operator, origin, url }: Removal,
): Promise<{ documents: number; claims: number }> {
  return database.transaction().execute(async (queries) => {
    await lockState(queries);
    const origins = await queries
      .selectFrom('evidence_origin')
      .select('id')
      .$if(operator !== undefined, (query) => query.where('operator', '=', operator ?? ''))
      .$if(origin !== undefined, (query) => query.where('name', '=', origin ?? ''))
      .execute();
    const ids = origins.map(({ id }) => id);
    if (ids.length === 0) return { documents: 0, claims: 0 };
    const documents = await queries
      .selectFrom('evidence_document')
      .select('id')
      .where('origin_id', 'in', ids)
      .$if(url !== undefined, (query) => query.where('url', '=', url ?? ''))
      .execute();
    const gone = documents.map(({ id }) => id);
    const claims = await claimsWithout(queries, ids, gone, url === undefined);
    await removeRows(queries, gone, claims);
    if (url === undefined) await queries.deleteFrom('evidence_origin').where('id', 'in', ids).execute();
    return { documents: gone.length, claims: claims.length };
  });
}

/** The claims that are left without a page that reviews them; all of the origins when these go altogether. */
async function claimsWithout(
  queries: Queries,
  origins: readonly number[],
  gone: readonly number[],
  all: boolean,
) {
  const rows = await queries
    .selectFrom('evidence_claim as c')
    .select('c.id')
    .where('c.origin_id', 'in', origins)
    .$if(!all, (query) =>
      query.where(
        sql<boolean>`exists (select 1 from evidence_review r where r.claim_id = c.id and r.document_id = any(${gone}))
          and not exists (select 1 from evidence_review r where r.claim_id = c.id and not r.document_id = any(${gone}))`,
      ),
    )
    .execute();
  return rows.map(({ id }) => id);
}
