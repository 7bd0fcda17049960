import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { openIdentityStore } from '../../../src/services/identity/store.ts';
import { migrations } from '../../../src/services/identity/tables.ts';
import { forEachEngine } from '../../foundation/database/engines.ts';

const hashedIds = migrations['0002_hashed_ids'];

forEachEngine((engine) => {
  const record = { payload: { text: 'ș\0' }, grantId: 'grant', uid: 'uid', lifetime: 60 };

  it('keeps records by realm and kind, gives each away once, and forgets grants together', async () => {
    const store = await openIdentityStore(engine.database());
    const codes = store.records('clients', 'AuthorizationCode');
    const tokens = store.records('clients', 'RefreshToken');
    await codes.put('one', record);
    await tokens.put('one', { ...record, payload: { text: 'token' } });
    expect(await codes.get('one')).toEqual({ text: 'ș\ufffd' });
    expect(await codes.getByUid('uid')).toEqual({ text: 'ș\ufffd' });
    expect(await store.records('admins', 'AuthorizationCode').get('one')).toBeUndefined();
    const taken = await Promise.all([1, 2, 3].map(() => codes.consume('one')));
    expect(taken.filter(Boolean)).toHaveLength(1);
    expect(await codes.get('one')).toMatchObject({ consumed: expect.any(Number) });
    await codes.removeOfGrant('grant');
    expect(await codes.get('one')).toBeUndefined();
    await tokens.remove('one');
    expect(await tokens.get('one')).toBeUndefined();
  });

  it('does not find what has expired, and removes it, however much it is', async () => {
    const store = await openIdentityStore(engine.database());
    const sessions = store.records('clients', 'Session');
    await sessions.put('living', record);
    await sessions.put('endless', { ...record, lifetime: undefined });
    for (let count = 0; count < 501; count += 1)
      await sessions.put(`old-${count}`, { ...record, lifetime: -1 });
    expect(await sessions.get('old-0')).toBeUndefined();
    expect(await store.removeExpired()).toBeGreaterThanOrEqual(501);
    expect(await store.removeExpired()).toBe(0);
    expect(await sessions.get('living')).toBeDefined();
    expect(await sessions.get('endless')).toBeDefined();
  });

  it('adds users whose names are free, and no others', async () => {
    const { users } = await openIdentityStore(engine.database());
    const user = { realm: 'clients', email: null, roles: ['user'], plan: 2 } as const;
    const ion = { ...user, subject: 'ion', passwordHash: 'hash' };
    const reader = { ...ion, subject: 'reader' };
    expect(await users.hasAny()).toBe(false);
    expect(await users.add([reader], 'root')).toMatchObject([{ realm: 'clients', subject: 'reader' }]);
    const added = await users.add([ion, { ...reader, roles: ['admin'] }], 'root');
    expect(added).toMatchObject([{ realm: 'clients', subject: 'ion' }]);
    expect(await users.hasAny()).toBe(true);
    expect(await users.find('clients', 'reader')).toEqual(reader);
    expect(await users.find('clients', 'ion')).toEqual(ion);
    expect(await users.find('admins', 'ion')).toBeUndefined();
  });

  it('keeps no id as it is, and finds those that an earlier release kept so', async () => {
    const database = engine.database();
    const store = await openIdentityStore(database);
    const tokens = store.records('clients', 'RefreshToken');
    await tokens.put('secret-of-ana', record);
    const stored = async () =>
      JSON.stringify((await sql`select * from identity_record`.execute(database.kysely())).rows);
    expect(await stored()).not.toContain('secret-of-ana');
    expect(await tokens.get('secret-of-ana')).toBeDefined();
    const payload = JSON.stringify({ jti: 'secret-of-ion', session: { uid: 'u', cookie: 'secret-of-ion' } });
    await sql`insert into identity_record (realm, kind, id, payload)
      values ('clients', 'RefreshToken', 'secret-of-ion', ${payload}::jsonb)`.execute(database.kysely());
    await sql`delete from identity_record where id <> 'secret-of-ion'`.execute(database.kysely());
    await sql.raw(hashedIds).execute(database.kysely());
    expect(await stored()).not.toContain('secret-of-ion');
    expect(await tokens.get('secret-of-ion')).toEqual({ session: { uid: 'u' } });
    await tokens.remove('secret-of-ion');
  });
});
