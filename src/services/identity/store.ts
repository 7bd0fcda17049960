import { createHash } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import type { Database } from '../../foundation/database/database.ts';
import { jsonb, storableText } from '../../foundation/database/storable.ts';
import type { RealmName } from './keys.ts';

/** A person who may sign in. `subject` is what tokens carry. */
export interface User {
  readonly realm: RealmName;
  readonly subject: string;
  readonly email: string | null;
  readonly roles: readonly string[];
  readonly plan: number | null;
  readonly passwordHash: string;
}

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
  /** Marks a record as used; false when somebody was first. */
  consume(id: string): Promise<boolean>;
  remove(id: string): Promise<void>;
  removeOfGrant(grantId: string): Promise<void>;
}

/** What the identity service keeps. */
export interface IdentityStore {
  records(realm: RealmName, kind: string): ProtocolRecords;
  /** The user of a name in a realm; undefined when there is none or it was disabled. */
  user(realm: RealmName, subject: string): Promise<User | undefined>;
  hasUsers(): Promise<boolean>;
  /** Adds users, all or none at once; those whose name is taken stay as they are. Returns the added ones. */
  addUsers(users: readonly User[]): Promise<Pick<User, 'realm' | 'subject'>[]>;
  /** Removes what has expired; returns how many. */
  removeExpired(): Promise<number>;
  probe(signal: AbortSignal): Promise<void>;
}

interface RecordTable {
  realm: string;
  kind: string;
  id: string;
  payload: Record<string, unknown>;
  grant_id: string | null;
  uid: string | null;
  consumed_at: Date | null;
  expires_at: Date | null;
}

interface UserTable {
  realm: RealmName;
  subject: string;
  email: string | null;
  roles: string[];
  plan: number | null;
  password_hash: string;
  disabled: boolean;
}

interface Tables {
  identity_record: RecordTable;
  identity_user: UserTable;
}

/** The tables, in the order in which they came. A migration that was released never changes. */
export const migrations = {
  '0001_users_and_records': `
    create table identity_user (
      realm text not null,
      subject text not null,
      email text,
      roles text[] not null,
      plan integer,
      password_hash text not null,
      disabled boolean not null default false,
      created_at timestamptz not null default now(),
      primary key (realm, subject)
    );
    create table identity_record (
      realm text not null,
      kind text not null,
      id text not null,
      payload jsonb not null,
      grant_id text,
      uid text,
      consumed_at timestamptz,
      expires_at timestamptz,
      primary key (realm, kind, id)
    );
    create index identity_record_grant on identity_record (realm, grant_id) where grant_id is not null;
    create index identity_record_uid on identity_record (realm, kind, uid) where uid is not null;
    create index identity_record_expiry on identity_record (expires_at) where expires_at is not null;
  `,
  // Ids and what repeats them were kept as they are: those who are signed in stay so.
  '0002_hashed_ids': `
    update identity_record set
      id = encode(sha256(convert_to(kind || ':' || id, 'UTF8')), 'hex'),
      payload = (payload - 'jti') #- '{session,cookie}';
  `,
};

/** What is kept of an id; it has enough random bits that nobody guesses it from its hash. */
function hashedId(kind: string, id: string): string {
  return createHash('sha256').update(`${kind}:${id}`).digest('hex');
}

/** Expired rows are removed this many at a time, so that no statement holds the embedded engine for long. */
const EXPIRED_BATCH = 500;

function recordsOf(queries: Kysely<Tables>, realm: RealmName, kind: string): ProtocolRecords {
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

function toUser(row: UserTable): User {
  const { realm, subject, email, roles, plan, password_hash } = row;
  return { realm, subject, email, roles, plan, passwordHash: password_hash };
}

/** Opens the tables of the identity service. */
export async function openIdentityStore(database: Database): Promise<IdentityStore> {
  await database.migrate('identity', migrations);
  const queries = database.kysely<Tables>();
  return {
    records: (realm, kind) => recordsOf(queries, realm, kind),
    async user(realm, subject) {
      const row = await queries
        .selectFrom('identity_user')
        .selectAll()
        .where('realm', '=', realm)
        .where('subject', '=', storableText(subject))
        .where('disabled', '=', false)
        .executeTakeFirst();
      return row === undefined ? undefined : toUser(row);
    },
    async hasUsers() {
      const row = await queries.selectFrom('identity_user').select('subject').limit(1).executeTakeFirst();
      return row !== undefined;
    },
    async addUsers(users) {
      const rows = users.map(({ passwordHash, roles, ...user }) => ({
        ...user,
        roles: [...roles],
        password_hash: passwordHash,
        disabled: false,
      }));
      return queries
        .insertInto('identity_user')
        .values(rows)
        .onConflict((conflict) => conflict.doNothing())
        .returning(['realm', 'subject'])
        .execute();
    },
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
