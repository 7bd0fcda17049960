import { type Kysely, type Selectable, sql } from 'kysely';
import { z } from 'zod';
import type { Caller } from '../../../foundation/auth.ts';
import type { AnalysisTables, ExtensionKeyTable, Queries } from './tables.ts';

/** A key without its hash, as its owner may see it. */
export type StoredKey = Pick<Selectable<ExtensionKeyTable>, (typeof KEY_COLUMNS)[number]>;

const KEY_COLUMNS = [
  'key_id',
  'label',
  'prefix',
  'scopes',
  'created_at',
  'expires_at',
  'last_used_at',
] as const;

/** A key about to be stored. */
export interface NewKey {
  readonly hash: string;
  readonly prefix: string;
  readonly label: string;
  readonly scopes: readonly string[];
  readonly expiresAt: Date | null;
}

/** First half of the advisory lock under which the keys of one owner are counted; the second is the owner's. */
const KEYS_LOCK = 0x6b657973;

/** What a key is recorded as having come from, in `source_app`. */
const APPLICATION = 'extension';

const keyId = z.uuid();

const ownedBy = ({ realm, subject }: Pick<Caller, 'realm' | 'subject'>) =>
  ({ owner_realm: realm, owner_subject: subject }) as const;

/** Stores a key of an owner who has fewer than `most`; undefined for one who has not. */
export function insertKey(
  queries: Kysely<AnalysisTables>,
  owner: Caller,
  { hash, prefix, label, scopes, expiresAt }: NewKey,
  most: number,
): Promise<StoredKey | undefined> {
  return queries.transaction().execute(async (transaction) => {
    const account = `${owner.realm}/${owner.subject}`;
    await sql`select pg_advisory_xact_lock(${KEYS_LOCK}, hashtext(${account}))`.execute(transaction);
    if ((await countKeys(transaction, owner)) >= most) return undefined;
    return transaction
      .insertInto('extension_key')
      .values({
        ...ownedBy(owner),
        owner_email: owner.email,
        plan_cap: owner.planCap,
        key_hash: hash,
        prefix,
        label,
        scopes: [...scopes],
        expires_at: expiresAt,
      })
      .returning(KEY_COLUMNS)
      .executeTakeFirstOrThrow();
  });
}

/** How many keys of an owner were not revoked. */
export async function countKeys(queries: Queries, owner: Caller): Promise<number> {
  const { total } = await queries
    .selectFrom('extension_key')
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .where((where) => where.and(ownedBy(owner)))
    .where('revoked_at', 'is', null)
    .executeTakeFirstOrThrow();
  return total;
}

/** One page of an owner's keys that were not revoked, newest first. */
export function listKeys(
  queries: Queries,
  owner: Caller,
  { page, limit }: { readonly page: number; readonly limit: number },
): Promise<StoredKey[]> {
  return queries
    .selectFrom('extension_key')
    .select(KEY_COLUMNS)
    .where((where) => where.and(ownedBy(owner)))
    .where('revoked_at', 'is', null)
    .orderBy('created_at', 'desc')
    .orderBy('key_id')
    .limit(limit)
    .offset((page - 1) * limit)
    .execute();
}

/** Revokes an owner's key; when that was, the first time. Undefined when there is no such key. */
export async function revokeKey(queries: Queries, owner: Caller, id: string): Promise<Date | undefined> {
  if (!keyId.safeParse(id).success) return undefined;
  const row = await queries
    .updateTable('extension_key')
    .set({ revoked_at: sql<Date>`coalesce(revoked_at, clock_timestamp())` })
    .where((where) => where.and({ ...ownedBy(owner), key_id: id }))
    .returning('revoked_at')
    .executeTakeFirst();
  return row?.revoked_at ?? undefined;
}

/** A key that opens something now. */
export interface ActiveKey {
  readonly id: string;
  readonly owner: Caller;
  /** No use was noted in the last minute. */
  readonly unnoted: boolean;
}

/** The key with a hash, unless it was revoked or has expired. Its owner has no roles, and the plan of the day of issue. */
export async function findActiveKey(queries: Queries, hash: string): Promise<ActiveKey | undefined> {
  const row = await queries
    .selectFrom('extension_key')
    .select(['key_id', 'owner_realm', 'owner_subject', 'owner_email', 'plan_cap', 'scopes'])
    .select(sql<boolean>`last_used_at is null or last_used_at < now() - interval '1 minute'`.as('unnoted'))
    .where('key_hash', '=', hash)
    .where('revoked_at', 'is', null)
    .where(({ eb, or }) => or([eb('expires_at', 'is', null), eb('expires_at', '>', sql<Date>`now()`)]))
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const owner = {
    subject: row.owner_subject,
    realm: row.owner_realm,
    email: row.owner_email,
    roles: [],
    planCap: row.plan_cap,
    application: APPLICATION,
    keyScopes: row.scopes,
  };
  return { id: row.key_id, owner, unnoted: row.unnoted };
}

/** Notes that a key was used, unless another request did so in the last minute. */
export async function recordKeyUse(queries: Queries, id: string): Promise<void> {
  await queries
    .updateTable('extension_key')
    .set({ last_used_at: sql<Date>`now()` })
    .where('key_id', '=', id)
    .where(({ eb, or }) =>
      or([eb('last_used_at', 'is', null), eb('last_used_at', '<', sql<Date>`now() - interval '1 minute'`)]),
    )
    .execute();
}
