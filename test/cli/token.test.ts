import { runCommand } from 'citty';
import { decodeJwt, decodeProtectedHeader } from 'jose';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { makeToken, tokenCommand } from '../../src/cli/token.ts';
import { createTokenVerifier } from '../../src/foundation/auth.ts';
import { loadKeys } from '../../src/services/identity/keys.ts';
import { emptyHome } from '../foundation/database/engines.ts';

const place = { home: '', remove: async () => {} };
beforeAll(async () => {
  Object.assign(place, emptyHome());
});
afterAll(() => place.remove());
afterEach(() => {
  vi.restoreAllMocks();
});

const environment = (more: Record<string, string> = {}) => ({ LIMPEDE_HOME: place.home, ...more });

describe('limpede token', () => {
  it.each([
    [{}, 'clients', 'reader', ['user'], 43_200],
    [{ realm: 'admins' as const }, 'admins', 'admin', ['admin'], 43_200],
    [{ user: 'ana', role: 'user, tester', ttl: '60' }, 'clients', 'ana', ['user', 'tester'], 60],
  ])('%j', async (options, realm, subject, roles, lifetime) => {
    const token = await makeToken(options, environment());
    const { iat = 0, exp = 0, ...claims } = decodeJwt(token);
    expect(claims).toMatchObject({
      iss: `http://127.0.0.1:8080/realms/${realm}`,
      sub: subject,
      realm_access: { roles },
    });
    expect(exp - iat).toBe(lifetime);
    expect(decodeProtectedHeader(token).alg).toBe('RS256');
  });

  it('passes the check of the services', async () => {
    const home = { LIMPEDE_PUBLIC_URL: 'https://limpede.example/', ...environment() };
    const token = await makeToken({ plan: '3' }, home);
    const { kty, n, e, kid } = (await loadKeys(place.home, 'clients')).keys[0] ?? {};
    const issuer = 'https://limpede.example/realms/clients';
    const verify = createTokenVerifier([{ name: 'clients', issuer, keys: { keys: [{ kty, n, e, kid }] } }]);
    expect(await verify(token)).toMatchObject({
      subject: 'reader',
      planCap: 3,
      email: 'reader@limpede.local',
    });
  });

  it.each([
    [{ realm: 'staff' as never }, '--realm'],
    [{ plan: '7' }, '--plan'],
    [{ ttl: 'long' }, '--ttl'],
    [{ ttl: '0' }, '--ttl'],
    [{ user: ' ' }, '--user'],
  ])('refuses %j', async (options, option) => {
    await expect(makeToken(options, environment())).rejects.toThrow(option);
  });

  it('makes none for a realm that is elsewhere', async () => {
    const elsewhere = environment({ AUTH_CLIENTS_ISSUER: 'https://sso.example/realms/clients' });
    await expect(makeToken({}, elsewhere)).rejects.toThrow('https://sso.example/realms/clients');
    await expect(makeToken({ realm: 'admins' }, elsewhere)).resolves.toContain('.');
  });

  it('prints the token and nothing else', async () => {
    const printed = vi.spyOn(console, 'log').mockImplementation(() => undefined);
    await runCommand(tokenCommand(environment()), { rawArgs: ['--realm', 'admins', '--ttl=30'] });
    expect(printed).toHaveBeenCalledOnce();
    const { sub, iat = 0, exp = 0 } = decodeJwt(String(printed.mock.calls[0]?.[0]));
    expect([sub, exp - iat]).toEqual(['admin', 30]);
  });
});
