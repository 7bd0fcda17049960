import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { decodeJwt } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTokenVerifier } from '../../../src/foundation/auth.ts';
import { createSecretFile, loadKeys, signToken } from '../../../src/services/identity/keys.ts';
import { emptyHome } from '../../foundation/database/engines.ts';

const PUBLIC_URL = 'http://127.0.0.1:8080';
const place = { home: '', remove: async () => {} };
beforeAll(async () => {
  Object.assign(place, emptyHome());
});
afterAll(() => place.remove());

describe('the keys of a realm', () => {
  it('are made once, whoever asks at the same time, and read by their owner only', async () => {
    const home = join(place.home, 'at-once');
    const loaded = await Promise.all([1, 2, 3].map(() => loadKeys(home, 'clients')));
    expect(new Set(loaded.map((keys) => JSON.stringify(keys))).size).toBe(1);
    expect(await readdir(join(home, 'identity'))).toEqual(['clients-keys.json']);
    expect((await stat(join(home, 'identity'))).mode & 0o777).toBe(0o700);
    expect((await stat(join(home, 'identity', 'clients-keys.json'))).mode & 0o777).toBe(0o600);
    expect(await loadKeys(home, 'clients')).toEqual(loaded[0]);
    expect((await loadKeys(home, 'admins')).keys[0]?.kid).not.toBe(loaded[0]?.keys[0]?.kid);
  });

  it('have 2048 bits or more', async () => {
    const [key] = (await loadKeys(place.home, 'clients')).keys;
    expect(Buffer.from(key?.n ?? '', 'base64url').length * 8).toBeGreaterThanOrEqual(2048);
  });

  it.each(['', '{}', '{"keys":[],"cookies":[]}', 'no json'])(
    'are never replaced when damaged: %j',
    async (text) => {
      const home = join(place.home, `damaged-${text.length}`);
      const file = join(home, 'identity', 'clients-keys.json');
      await mkdir(join(home, 'identity'), { recursive: true });
      await writeFile(file, text);
      await expect(loadKeys(home, 'clients')).rejects.toThrow('clients-keys.json is damaged');
      expect(await readFile(file, 'utf8')).toBe(text);
    },
  );

  it('sign tokens that the verifier accepts', async () => {
    const keys = await loadKeys(place.home, 'admins');
    const request = { realm: 'admins', subject: 'maria', roles: ['auditor'], plan: 2 } as const;
    const token = await signToken(keys, PUBLIC_URL, { ...request, application: 'limpede-cli', lifetime: 60 });
    const { kty, n, e, kid } = keys.keys[0] ?? {};
    const realm = { name: 'admins', issuer: `${PUBLIC_URL}/realms/admins`, audience: 'limpede' };
    const verify = createTokenVerifier([{ ...realm, keys: { keys: [{ kty, n, e, kid }] } }]);
    expect(await verify(token)).toEqual({
      subject: 'maria',
      email: null,
      realm: 'admins',
      roles: ['auditor'],
      planCap: 2,
      application: 'limpede-cli',
    });
    const { iat = 0, exp = 0 } = decodeJwt(token);
    expect(exp - iat).toBe(60);
  });
});

describe('a secret file', () => {
  it('keeps what was there first', async () => {
    expect(await createSecretFile(place.home, 'secret', 'first')).toBe('first');
    expect(await createSecretFile(place.home, 'secret', 'second')).toBe('first');
    expect((await readdir(place.home)).filter((name) => name.startsWith('.'))).toEqual([]);
  });
});
