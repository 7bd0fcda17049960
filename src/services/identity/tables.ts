import type { Generated } from 'kysely';
import type { RealmName } from './keys.ts';

/** What may be done to a user. */
export type UserAction = 'add' | 'password' | 'disable' | 'enable';

/** A record of the protocol. */
export interface RecordTable {
  realm: string;
  kind: string;
  id: string;
  payload: Record<string, unknown>;
  grant_id: string | null;
  uid: string | null;
  consumed_at: Date | null;
  expires_at: Date | null;
}

/** A person who may sign in. */
export interface UserTable {
  realm: RealmName;
  subject: string;
  email: string | null;
  roles: string[];
  plan: number | null;
  password_hash: string;
  disabled: boolean;
  created_at: Generated<Date>;
}

/** What was done to a user, and by whom. Rows are only ever added. */
export interface AuditTable {
  id: Generated<number>;
  at: Generated<Date>;
  actor: string;
  action: UserAction;
  realm: RealmName;
  subject: string;
}

/** The tables of the identity service. */
export interface IdentityTables {
  identity_record: RecordTable;
  identity_user: UserTable;
  identity_audit: AuditTable;
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
  '0003_audit': `
    create table identity_audit (
      id bigint generated always as identity primary key,
      at timestamptz not null default now(),
      actor text not null,
      action text not null,
      realm text not null,
      subject text not null
    );
  `,
  '0004_audit_at': 'create index identity_audit_at on identity_audit (at)',
};
