import type { Kysely } from 'kysely';
import { createApiKey, hashApiKey } from '../../../foundation/api-keys.ts';
import type { Logger } from '../../../foundation/log.ts';
import type { VerifyKey } from '../../../foundation/realms.ts';
import type { Handlers } from '../../../foundation/service.ts';
import type { keyOperations } from '../contract/keys.ts';
import type { KEY_SCOPE } from '../contract/parameters.ts';
import { errors } from '../errors.ts';
import {
  countKeys,
  findActiveKey,
  insertKey,
  listKeys,
  recordKeyUse,
  revokeKey,
  type StoredKey,
} from '../store/keys.ts';
import type { AnalysisTables } from '../store/tables.ts';
import { callerOf } from './pipeline-dependencies.ts';

/** What the operations on extension keys work with. */
export interface KeyDependencies {
  readonly queries: Kysely<AnalysisTables>;
}

/** Most unrevoked keys of one owner: enough for every browser of a person, and a bound on stored rows. */
const MOST_KEYS = 50;

/** A key as the wire has it. */
function keyFields(row: StoredKey) {
  return {
    id: row.key_id,
    label: row.label,
    prefix: row.prefix,
    scopes: row.scopes as (keyof typeof KEY_SCOPE)[],
    created_at: row.created_at.toISOString(),
    expires_at: row.expires_at?.toISOString() ?? null,
    last_used_at: row.last_used_at?.toISOString() ?? null,
  };
}

/** The expiry of a new key; throws when it is in the past. */
function expiryOf(text: string | undefined): Date | null {
  if (text === undefined) return null;
  const expiry = new Date(text);
  if (expiry.getTime() > Date.now()) return expiry;
  const message = 'The key would have expired already.';
  throw errors.validation_failed({
    message,
    details: [{ path: ['body', 'expires_at'], type: 'value_error', message }],
  });
}

/** The handlers of the operations on extension keys. */
export function keyRoutes({ queries }: KeyDependencies): Handlers<typeof keyOperations> {
  return {
    issueKey: async ({ body }, call) => {
      const { key, prefix } = createApiKey();
      const { label, scopes } = body;
      const created = {
        hash: hashApiKey(key),
        prefix,
        label,
        scopes: [...new Set(scopes)],
        expiresAt: expiryOf(body.expires_at),
      };
      const stored = await insertKey(queries, callerOf(call), created, MOST_KEYS);
      if (stored === undefined)
        throw errors.validation_failed({
          message: `You have ${MOST_KEYS} keys, which is the most; revoke one first.`,
        });
      return { success: true, data: { ...keyFields(stored), key } };
    },
    keys: async ({ query }, call) => {
      const owner = callerOf(call);
      const { page, limit } = query;
      const total = await countKeys(queries, owner);
      const items = (await listKeys(queries, owner, query)).map(keyFields);
      return {
        success: true,
        data: { items, pagination: { page, limit, total, pages: Math.ceil(total / limit) } },
      };
    },
    revokeKey: async ({ params }, call) => {
      const revokedAt = await revokeKey(queries, callerOf(call), params.id);
      if (revokedAt === undefined) throw errors.not_found({ message: 'You have no such key.' });
      return { success: true, data: { id: params.id, revoked_at: revokedAt.toISOString() } };
    },
  };
}

/**
 * Finds owners of extension keys. Each request asks the database, so that a revoked key opens nothing from that moment; the
 * use of a key is noted at most once a minute.
 */
export function createKeyVerifier(queries: Kysely<AnalysisTables>, log: Logger): VerifyKey {
  return async (key) => {
    const active = await findActiveKey(queries, hashApiKey(key));
    if (active === undefined) return undefined;
    if (active.unnoted)
      await recordKeyUse(queries, active.id).catch((error) =>
        log.warn({ err: error }, 'the use of an extension key could not be noted'),
      );
    return active.owner;
  };
}
