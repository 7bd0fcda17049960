import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Database } from '../../foundation/database/database.ts';
import type { RetentionRule } from '../../foundation/database/retention.ts';
import { jsonb, storableText } from '../../foundation/database/storable.ts';
import { migrations } from './migrations.ts';
import type { BrainRequest, EvidencePack, FactVerdict } from './resources.ts';

/** A claim whose evidence was gathered. Times are those of the database. */
export interface Fact {
  readonly fact_id: string;
  readonly claim: string;
  readonly language: 'en' | 'ro';
  /** The evidence that was found, whatever it says. */
  readonly pack: EvidencePack;
  /** What was asked for when it was gathered: a later request for more is not served from it. */
  readonly request: BrainRequest;
  readonly verdict: FactVerdict | null;
  readonly locked_by: string | null;
  readonly created_at: Date;
  readonly checked_at: Date;
  readonly next_check_at: Date;
  readonly last_asked_at: Date;
  readonly hits: number;
  /** Hours until the check after the next; doubled by a check that finds the same. */
  readonly interval_hours: number;
}

/** A claim as it is looked for: in one scope, which is what its request asked for besides. */
export interface ClaimKey {
  readonly scope: string;
  readonly hash: string;
}

/** A fact with what it is found by. */
export type KeyedFact = Fact & ClaimKey;

/** What is kept of a gathered claim. */
export interface NewFact extends ClaimKey {
  readonly claim: string;
  readonly language: 'en' | 'ro';
  readonly terms: readonly string[];
  readonly vector: Uint8Array | null;
  readonly pack: EvidencePack;
  readonly request: BrainRequest;
  readonly intervalHours: number;
}

/** A stored claim that shares words with another. */
export interface ClaimCandidate {
  readonly fact_id: string;
  readonly claim: string;
  readonly language: 'en' | 'ro';
  readonly vector: Uint8Array | null;
}

/** A line of the record of what was changed by hand. */
interface AuditRow {
  readonly actor: string;
  readonly action: 'invalidated' | 'locked' | 'unlocked' | 'judged';
  readonly fact_id: string | null;
  readonly reason: string;
}

interface FactTable extends Fact, ClaimKey {
  readonly terms: string[];
  readonly vector: Uint8Array | null;
  readonly invalidated_at: Date | null;
  readonly taken_until: Date | null;
}

interface Tables {
  brain_fact: FactTable;
  brain_audit: AuditRow & { readonly at: Date };
}

/** What an invalidation did. */
export type Invalidation =
  | { readonly kind: 'done'; readonly factIds: readonly string[] }
  | { readonly kind: 'locked' }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'limited'; readonly retryMs: number };

const COLUMNS = [
  'fact_id',
  'claim',
  'language',
  'pack',
  'request',
  'verdict',
  'locked_by',
  'created_at',
  'checked_at',
  'next_check_at',
  'last_asked_at',
  'hits',
  'interval_hours',
] as const;

const KEYED = [...COLUMNS, 'scope', 'hash'] as const;

/** Names the locks of actors among the advisory locks of the database. */
const ACTOR_LOCK = 0x62726169;
const HOUR_MS = 3_600_000;
const now = sql<Date>`now()`;
const inHours = (hours: number | RawBuilder<number>) => sql<Date>`now() + ${hours} * interval '1 hour'`;

/** The facts of the verification cache. */
export interface FactStore {
  /** The fact of exactly this claim. */
  find(key: ClaimKey): Promise<Fact | undefined>;
  read(factId: string): Promise<Fact | undefined>;
  /** Stored claims that share most with these terms, the nearest first. */
  candidates(scope: string, terms: readonly string[], limit: number): Promise<ClaimCandidate[]>;
  /** Keeps a gathered claim; a fact of the same claim gets the new evidence, unless it is locked. */
  keep(fact: NewFact): Promise<Fact>;
  /** Stores the result of a new check; a fact that was locked meanwhile stays as it is. */
  renew(factId: string, pack: EvidencePack, intervalHours: number): Promise<void>;
  countHit(factId: string): Promise<void>;
  /** Facts that are due and not locked, the longest overdue first. */
  due(limit: number): Promise<{ facts: Fact[]; total: number }>;
  /** Takes the fact that is longest overdue among those asked for lately; no other process takes it for so long. */
  takeDue(askedWithinDays: number, takenMs: number): Promise<KeyedFact | undefined>;
  /** Takes this fact for a check; undefined when another process has taken it, or when it is not due. */
  take(factId: string, takenMs: number): Promise<KeyedFact | undefined>;
  /** Postpones a check that failed. */
  postpone(factId: string, hours: number): Promise<void>;
  judge(factId: string, verdict: FactVerdict, actor: string): Promise<Fact | undefined>;
  setLock(factId: string, locked: boolean, actor: string, reason: string): Promise<Fact | undefined>;
  /** Forgets facts, at most so many times an hour for each actor. */
  invalidate(
    which: { factId?: string; hash?: string },
    by: { actor: string; reason: string; perHour: number },
  ): Promise<Invalidation>;
  probe(signal: AbortSignal): Promise<void>;
}

/** What is kept for a limited time: facts that are no longer asked for, unless judged or locked by staff, and the audit log. */
export const factRows = (
  settings: Readonly<Record<'BRAIN_FACT_DAYS' | 'LIMPEDE_AUDIT_DAYS', number>>,
): RetentionRule[] => [
  {
    table: 'brain_fact',
    at: 'last_asked_at',
    days: settings.BRAIN_FACT_DAYS,
    only: sql`(invalidated_at is not null or (locked_by is null and verdict is null))`,
  },
  { table: 'brain_audit', at: 'at', days: settings.LIMPEDE_AUDIT_DAYS },
];

function alive(queries: Kysely<Tables>) {
  return queries.selectFrom('brain_fact').where('invalidated_at', 'is', null);
}

/** Adds a line to the record. */
async function record(queries: Kysely<Tables>, row: AuditRow): Promise<void> {
  const reason = storableText(row.reason);
  await queries
    .insertInto('brain_audit')
    .values({ ...row, reason, at: now })
    .execute();
}

/** Milliseconds until the actor may invalidate again; 0 when it may now. Holds other attempts of the actor back until the transaction ends. */
async function waitOf(queries: Kysely<Tables>, actor: string, perHour: number): Promise<number> {
  await sql`select pg_advisory_xact_lock(${ACTOR_LOCK}, hashtext(${actor}))`.execute(queries);
  const rows = await queries
    .selectFrom('brain_audit')
    .select(sql<number>`extract(epoch from now() - at) * 1000`.as('ago'))
    .where('actor', '=', actor)
    .where('action', '=', 'invalidated')
    .where('at', '>', sql<Date>`now() - interval '1 hour'`)
    .orderBy('at', 'desc')
    .limit(perHour)
    .execute();
  const oldest = rows[perHour - 1];
  return oldest === undefined ? 0 : Math.max(1, HOUR_MS - Number(oldest.ago));
}

async function invalidate(
  queries: Kysely<Tables>,
  { factId, hash }: { factId?: string; hash?: string },
  { actor, reason, perHour }: { actor: string; reason: string; perHour: number },
): Promise<Invalidation> {
  const facts = await alive(queries)
    .select(['fact_id', 'locked_by'])
    .$if(factId !== undefined, (query) => query.where('fact_id', '=', factId ?? ''))
    .$if(hash !== undefined, (query) => query.where('hash', '=', hash ?? ''))
    .forUpdate()
    .execute();
  if (facts.length === 0) return { kind: 'unknown' };
  const retryMs = await waitOf(queries, actor, perHour);
  if (retryMs > 0) return { kind: 'limited', retryMs };
  const open = facts.filter(({ locked_by }) => locked_by === null).map(({ fact_id }) => fact_id);
  const [first] = open;
  if (first === undefined) return { kind: 'locked' };
  await queries.updateTable('brain_fact').set({ invalidated_at: now }).where('fact_id', 'in', open).execute();
  await record(queries, { actor, action: 'invalidated', fact_id: first, reason });
  return { kind: 'done', factIds: open };
}

function keep(queries: Kysely<Tables>, fact: NewFact): Promise<Fact> {
  const content = {
    claim: storableText(fact.claim),
    pack: jsonb(fact.pack),
    request: jsonb(fact.request),
    checked_at: now,
    next_check_at: inHours(fact.intervalHours),
    interval_hours: fact.intervalHours,
    vector: fact.vector,
    taken_until: null,
  };
  const { scope, hash, language } = fact;
  return queries
    .insertInto('brain_fact')
    .values({
      ...content,
      fact_id: sql<string>`gen_random_uuid()`,
      scope,
      hash,
      language,
      terms: [...fact.terms],
      verdict: null,
      locked_by: null,
      created_at: now,
      last_asked_at: now,
      hits: 0,
      invalidated_at: null,
    })
    .onConflict((conflict) =>
      conflict
        .columns(['scope', 'hash'])
        .where('invalidated_at', 'is', null)
        .doUpdateSet((row) => ({
          ...content,
          // Staff answer for a locked fact; a new check does not change it.
          pack: sql`case when brain_fact.locked_by is null then ${row.ref('excluded.pack')} else brain_fact.pack end`,
        })),
    )
    .returning(COLUMNS)
    .executeTakeFirstOrThrow();
}

const isDue = sql<boolean>`invalidated_at is null and locked_by is null and next_check_at <= now()`;
const isFree = sql<boolean>`(taken_until is null or taken_until < now())`;

/** What looks facts up. */
function lookups(queries: Kysely<Tables>): Pick<FactStore, 'find' | 'read' | 'candidates' | 'due'> {
  return {
    find: ({ scope, hash }) =>
      alive(queries).select(COLUMNS).where('scope', '=', scope).where('hash', '=', hash).executeTakeFirst(),
    read: (factId) => alive(queries).select(COLUMNS).where('fact_id', '=', factId).executeTakeFirst(),
    candidates: (scope, terms, limit) => {
      const queryTerms = sql`${[...terms]}::text[]`;
      const shared = sql`cardinality(array(select unnest(terms) intersect select unnest(${queryTerms})))`;
      return alive(queries)
        .select(['fact_id', 'claim', 'language', 'vector'])
        .where('scope', '=', scope)
        .where(sql<boolean>`terms && ${queryTerms}`)
        .orderBy(sql`${shared}::real / greatest(cardinality(terms), 1)`, 'desc')
        .limit(limit)
        .execute();
    },
    due: async (limit) => {
      const rows = await queries
        .selectFrom('brain_fact')
        .select([...COLUMNS, sql<number>`count(*) over ()`.as('total')])
        .where(isDue)
        .orderBy('next_check_at')
        .limit(limit)
        .execute();
      return { facts: rows, total: Number(rows[0]?.total ?? 0) };
    },
  };
}

const changing = (queries: Kysely<Tables>, factId: string) =>
  queries.updateTable('brain_fact').where('fact_id', '=', factId);

/** What keeps facts, and keeps them fresh. */
function upkeep(
  queries: Kysely<Tables>,
): Pick<FactStore, 'keep' | 'renew' | 'countHit' | 'take' | 'takeDue' | 'postpone'> {
  const taking = (takenMs: number) =>
    queries
      .updateTable('brain_fact')
      .set({ taken_until: sql<Date>`now() + ${takenMs} * interval '1 millisecond'` })
      .where(isDue)
      .where(isFree)
      .returning(KEYED);
  const longestOverdue = (days: number) =>
    queries
      .selectFrom('brain_fact')
      .select('fact_id')
      .where(isDue)
      .where(isFree)
      .where('last_asked_at', '>', sql<Date>`now() - ${days} * interval '1 day'`)
      .orderBy('next_check_at')
      .limit(1)
      .forUpdate()
      .skipLocked();
  return {
    keep: (fact) => keep(queries, fact),
    renew: async (factId, pack, hours) => {
      await changing(queries, factId)
        .where('locked_by', 'is', null)
        .set({
          pack: jsonb(pack),
          checked_at: now,
          next_check_at: inHours(hours),
          interval_hours: hours,
          taken_until: null,
        })
        .execute();
    },
    countHit: async (factId) => {
      await changing(queries, factId).set({ hits: sql<number>`hits + 1`, last_asked_at: now }).execute();
    },
    take: (factId, takenMs) => taking(takenMs).where('fact_id', '=', factId).executeTakeFirst(),
    takeDue: (days, takenMs) =>
      taking(takenMs).where('fact_id', '=', longestOverdue(days)).executeTakeFirst(),
    postpone: async (factId, hours) => {
      await changing(queries, factId)
        .set({ next_check_at: inHours(hours), taken_until: null })
        .execute();
    },
  };
}

/** What people and callers change by hand; each change is recorded. */
function changes(queries: Kysely<Tables>): Pick<FactStore, 'judge' | 'setLock' | 'invalidate'> {
  return {
    judge: (factId, verdict, actor) =>
      queries.transaction().execute(async (transaction) => {
        const fact = await changing(transaction, factId)
          .set({ verdict: jsonb(verdict) })
          .where('invalidated_at', 'is', null)
          .where('locked_by', 'is', null)
          .returning(COLUMNS)
          .executeTakeFirst();
        if (fact !== undefined)
          await record(transaction, { actor, action: 'judged', fact_id: factId, reason: verdict.status });
        return fact;
      }),
    setLock: (factId, locked, actor, reason) =>
      queries.transaction().execute(async (transaction) => {
        const fact = await changing(transaction, factId)
          .set({ locked_by: locked ? storableText(actor) : null })
          .where('invalidated_at', 'is', null)
          .returning(COLUMNS)
          .executeTakeFirst();
        const action = locked ? 'locked' : 'unlocked';
        if (fact !== undefined) await record(transaction, { actor, action, fact_id: factId, reason });
        return fact;
      }),
    invalidate: (which, by) =>
      queries.transaction().execute((transaction) => invalidate(transaction, which, by)),
  };
}

/** Opens the tables of the verification cache. */
export async function openFactStore(database: Database): Promise<FactStore> {
  await database.migrate('brain', migrations);
  const queries = database.kysely<Tables>();
  return {
    ...lookups(queries),
    ...upkeep(queries),
    ...changes(queries),
    probe: (signal) => database.probe(signal),
  };
}
