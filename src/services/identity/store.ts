import { createHash } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import type { Database } from '../../foundation/database/database.ts';
import { jsonb, storableText } from '../../foundation/database/storable.ts';
import type { RealmName } from './keys.ts';
import { type IdentityTables, migrations } from './tables.ts';
import { type UserStore, userStore } from './user-store.ts';

/** Sessions, codes, grants and tokens of the protocol, as the OIDC library keeps them. */
interface ProtocolRecord {
  readonly payload: Record<string, unknown>;
  readonly grantId: string | undefined;
  readonly uid: string | undefined;
  /** Seconds from now; undefined means for ever. */
  readonly lifetime: number | undefined;
}

/** One kind of records of one realm. Ids are secrets of their owners, such as refresh tokens and cookies: their hashes are kept. */
export interface ProtocolRecords {
  put(id: string, record: ProtocolRecord): Promise<void>;
  get(id: string): Promise<Record<string, unknown> | undefined>;
  getByUid(uid: string): Promise<Record<string, unknown> | undefined>;
  /** Marks a record as used; false when it was used already. */
  consume(id: string): Promise<boolean>;
  remove(id: string): Promise<void>;
  removeOfGrant(grantId: string): Promise<void>;
}

/** What the identity service keeps. */
export interface IdentityStore {
  records(realm: RealmName, kind: string): ProtocolRecords;
  readonly users: UserStore;
  /** Removes what has expired; returns how many. */
  removeExpired(): Promise<number>;
  probe(signal: AbortSignal): Promise<void>;
}

/** The stored hash of an id. An unsalted hash is enough, since ids are long and random. */
function hashedId(kind: string, id: string): string {
  return createHash('sha256').update(`${kind}:${id}`).digest('hex');
}

/** Expired rows are removed this many at a time, so that no statement holds the embedded engine for long. */
const EXPIRED_BATCH = 500;

function recordsOf(queries: Kysely<IdentityTables>, realm: RealmName, kind: string): ProtocolRecords {
  const alive = () =>
    queries
      .selectFrom('identity_record')
      .select(['payload', sql<number | null>`extract(epoch from consumed_at)::bigint`.as('consumed')])
      .where('realm', '=', realm)
      .where('kind', '=', kind)
      .where((where) =>
        where.or([where('expires_at', 'is', null), where('expires_at', '>', sql<Date>`now()`)]),
      );
  const payloadOf = (row: { payload: Record<string, unknown>; consumed: number | null } | undefined) =>
    row === undefined || row.consumed === null ? row?.payload : { ...row.payload, consumed: row.consumed };
  const remove = () =>
    queries.deleteFrom('identity_record').where('realm', '=', realm).where('kind', '=', kind);
  return {
    async put(id, { payload, grantId, uid, lifetime }) {
      const values = {
        payload: jsonb(payload),
        grant_id: grantId ?? null,
        uid: uid ?? null,
        expires_at: lifetime === undefined ? null : sql<Date>`now() + make_interval(secs => ${lifetime})`,
      };
      await queries
        .insertInto('identity_record')
        .values({ realm, kind, id: hashedId(kind, id), consumed_at: null, ...values })
        .onConflict((conflict) => conflict.columns(['realm', 'kind', 'id']).doUpdateSet(values))
        .execute();
    },
    get: async (id) => payloadOf(await alive().where('id', '=', hashedId(kind, id)).executeTakeFirst()),
    getByUid: async (uid) => payloadOf(await alive().where('uid', '=', storableText(uid)).executeTakeFirst()),
    async consume(id) {
      const result = await queries
        .updateTable('identity_record')
        .set({ consumed_at: sql<Date>`now()` })
        .where('realm', '=', realm)
        .where('kind', '=', kind)
        .where('id', '=', hashedId(kind, id))
        .where('consumed_at', 'is', null)
        .executeTakeFirst();
      return result.numUpdatedRows > 0n;
    },
    async remove(id) {
      await remove().where('id', '=', hashedId(kind, id)).execute();
    },
    async removeOfGrant(grantId) {
      await remove().where('grant_id', '=', grantId).execute();
    },
  };
}

/** Opens the tables of the identity service. */
export async function openIdentityStore(database: Database): Promise<IdentityStore> {
  await database.migrate('identity', migrations);
  const queries = database.kysely<IdentityTables>();
  return {
    records: (realm, kind) => recordsOf(queries, realm, kind),
    users: userStore(queries),
    async removeExpired() {
      const old = sql`select ctid from identity_record where expires_at < now() limit ${EXPIRED_BATCH}`;
      let removed = 0;
      for (let last = EXPIRED_BATCH; last === EXPIRED_BATCH; removed += last) {
        const result = await sql`delete from identity_record where ctid = any(array(${old}))`.execute(
          queries,
        );
        last = Number(result.numAffectedRows ?? 0n);
      }
      return removed;
    },
    probe: (signal) => database.probe(signal),
  };
}
