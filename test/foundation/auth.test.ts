import { createHmac } from 'node:crypto';
import { exportJWK, exportSPKI, generateKeyPair, SignJWT } from 'jose';
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { bearerToken, createTokenVerifier, TokenError } from '../../src/foundation/auth.ts';
import { createMemoryCache } from '../../src/foundation/cache.ts';
import { pause } from '../patience.ts';

type Keys = Awaited<ReturnType<typeof generateKeyPair>>;

const ISSUER = 'https://id.example/realms/clients';
const STAFF = 'https://id.example/realms/admins';
let own: Keys;
let stranger: Keys;
let jwk: Record<string, unknown>;
let verify: (token: string) => ReturnType<ReturnType<typeof createTokenVerifier>>;

beforeAll(async () => {
  [own, stranger] = await Promise.all([
    generateKeyPair('RS256', { extractable: true }),
    generateKeyPair('RS256', { extractable: true }),
  ]);
  jwk = { ...(await exportJWK(own.publicKey)), kid: 'k1', alg: 'RS256', use: 'sig' };
  verify = createTokenVerifier([
    { name: 'clients', issuer: ISSUER, audience: 'limpede', keys: { keys: [jwk] } },
    { name: 'admins', issuer: STAFF, keys: { keys: [{ ...jwk, alg: undefined }] } },
  ]);
});

const seconds = () => Math.floor(Date.now() / 1000);
const encode = (part: unknown) => Buffer.from(JSON.stringify(part)).toString('base64url');

interface Made {
  claims?: Record<string, unknown>;
  header?: Record<string, unknown>;
  key?: Keys['privateKey'];
}

const payloadOf = (claims: Record<string, unknown> = {}) => ({
  scope: 'openid',
  iss: ISSUER,
  aud: ['account', 'limpede'],
  sub: 'ana',
  exp: seconds() + 600,
  ...claims,
});
const token = ({ claims, header, key = own.privateKey }: Made = {}) =>
  new SignJWT(payloadOf(claims)).setProtectedHeader({ alg: 'RS256', kid: 'k1', ...header }).sign(key);

const problemOf = async (given: string) => {
  try {
    await verify(given);
    return 'none';
  } catch (error) {
    return error instanceof TokenError ? error.problem : 'another error';
  }
};

describe('a token', () => {
  it('becomes a caller', async () => {
    const claims = { email: 'a@example.org', azp: 'web', plan_type: 4, realm_access: { roles: ['user'] } };
    expect(await verify(await token({ claims }))).toEqual({
      subject: 'ana',
      email: 'a@example.org',
      realm: 'clients',
      roles: ['user'],
      planCap: 4,
      application: 'web',
    });
  });

  it('of few claims becomes a caller with nulls', async () => {
    expect(await verify(await token({ claims: { iss: STAFF, aud: 'anything', client_id: 'cli' } }))).toEqual({
      subject: 'ana',
      email: null,
      realm: 'admins',
      roles: [],
      planCap: null,
      application: 'cli',
    });
  });

  it.each<[string, Made, string]>([
    ['that has expired', { claims: { exp: 1_700_000_000 } }, 'expired'],
    ['that expires this second', { claims: { exp: Math.floor(Date.now() / 1000) - 1 } }, 'expired'],
    ['that is not valid yet', { claims: { nbf: Math.floor(Date.now() / 1000) + 600 } }, 'invalid'],
    ['of another issuer', { claims: { iss: 'https://evil.example/realms/clients' } }, 'invalid'],
    ['of an issuer with a slash more', { claims: { iss: `${ISSUER}/` } }, 'invalid'],
    ['without an issuer', { claims: { iss: undefined } }, 'invalid'],
    ['of the wrong audience', { claims: { aud: 'limpede-web' } }, 'invalid'],
    ['without an audience', { claims: { aud: undefined } }, 'invalid'],
    ['without a subject', { claims: { sub: undefined } }, 'invalid'],
    ['of an empty subject', { claims: { sub: '' } }, 'invalid'],
    ['without an end', { claims: { exp: undefined } }, 'invalid'],
    ['that is an ID token by its claim', { claims: { typ: 'ID' } }, 'invalid'],
    ['that is an ID token by its shape', { claims: { scope: undefined } }, 'invalid'],
    ['that is an ID token of a sign-in', { claims: { nonce: 'n', realm_access: { roles: [] } } }, 'invalid'],
    ['that is a refresh token', { claims: { typ: 'Refresh' } }, 'invalid'],
    ['that is an offline token', { claims: { typ: 'Offline' } }, 'invalid'],
    ['of a kind that is no text', { claims: { typ: ['Bearer'] } }, 'invalid'],
    ['that is a logout token', { header: { typ: 'logout+jwt' } }, 'invalid'],
    ['that is a security event', { header: { typ: 'secevent+jwt' } }, 'invalid'],
    ['that proves a key', { header: { typ: 'dpop+jwt' } }, 'invalid'],
    ['with a NUL in the subject', { claims: { sub: 'an\0a' } }, 'invalid'],
    ['with a NUL in the e-mail address', { claims: { email: 'a\0@example.org' } }, 'invalid'],
    ['with a NUL in the application', { claims: { azp: 'web\0' } }, 'invalid'],
    ['with a NUL in a role', { claims: { realm_access: { roles: ['admin\0'] } } }, 'invalid'],
    ['with half of a surrogate pair in the subject', { claims: { sub: 'ana\ud800' } }, 'invalid'],
    ['with a subject that no index can hold', { claims: { sub: 'a'.repeat(256) } }, 'invalid'],
    ['of a plan that is none', { claims: { plan_type: 0 } }, 'invalid'],
    ['of roles that are none', { claims: { realm_access: { roles: 'admin' } } }, 'invalid'],
    ['that names a key of nobody', { header: { kid: 'k2' } }, 'invalid'],
    ['with a header that must be understood', { header: { crit: ['exp'], exp: 1 } }, 'invalid'],
  ])('%s is refused', async (_name, made, problem) => {
    // A header that this library would not sign either is made by hand.
    const given = await token(made).catch(
      () => `${encode({ alg: 'RS256', kid: 'k1', ...made.header })}.${encode(payloadOf())}.AAAA`,
    );
    expect(await problemOf(given)).toBe(problem);
  });

  it.each<[string, Made]>([
    ['the header of RFC 9068', { header: { typ: 'at+jwt' }, claims: { scope: undefined } }],
    ['its long form', { header: { typ: 'application/at+JWT' }, claims: { scope: undefined } }],
    ["Keycloak's claim", { header: { typ: 'JWT' }, claims: { typ: 'Bearer', scope: undefined } }],
    ['a scope', { header: { typ: 'JWT' }, claims: { scope: 'read' } }],
    ['scopes as some providers write them', { claims: { scope: undefined, scp: ['read'] } }],
    ['roles', { claims: { scope: undefined, realm_access: { roles: ['user'] } } }],
  ])('that is an access token by %s is taken', async (_name, made) => {
    expect(await problemOf(await token(made))).toBe('none');
  });

  it('signed by another key of the same name is refused', async () => {
    expect(await problemOf(await token({ key: stranger.privateKey }))).toBe('invalid');
  });

  it('that brings its own key is refused', async () => {
    const mine = await exportJWK(stranger.publicKey);
    for (const header of [{ jwk: mine }, { jwk: mine, kid: undefined }, { x5u: 'https://evil.example' }])
      expect(await problemOf(await token({ header, key: stranger.privateKey }))).toBe('invalid');
  });

  it('with alg none is refused, whatever the case', async () => {
    for (const alg of ['none', 'None', 'NONE', '', null])
      for (const signature of ['', 'AAAA'])
        expect(await problemOf(`${encode({ alg, kid: 'k1' })}.${encode(payloadOf())}.${signature}`)).toBe(
          'invalid',
        );
  });

  it('signed with the public key as a secret is refused', async () => {
    const pem = await exportSPKI(own.publicKey);
    for (const alg of ['HS256', 'HS384', 'HS512'])
      for (const secret of [
        pem,
        pem.trim(),
        JSON.stringify(jwk),
        String(jwk.n),
        Buffer.from(String(jwk.n), 'base64url'),
      ]) {
        const content = `${encode({ alg, kid: 'k1' })}.${encode(payloadOf())}`;
        const signature = createHmac(alg.replace('HS', 'sha'), secret).update(content).digest('base64url');
        expect(await problemOf(`${content}.${signature}`)).toBe('invalid');
      }
  });

  it('of another RSA scheme is refused', async () => {
    const [header, payload] = (await token()).split('.');
    expect(header).toBeDefined();
    const { createSign, KeyObject } = await import('node:crypto');
    const content = `${encode({ alg: 'RS512', kid: 'k1' })}.${payload}`;
    const signature = createSign('sha512')
      .update(content)
      .sign(KeyObject.from(own.privateKey as never), 'base64url');
    expect(await problemOf(`${content}.${signature}`)).toBe('invalid');
  });

  it('altered anywhere is refused', async () => {
    const [header = '', payload = '', signature = ''] = (await token()).split('.');
    const swap = (part: string, at: number) =>
      part.slice(0, at) + (part[at] === 'A' ? 'B' : 'A') + part.slice(at + 1);
    expect(await problemOf(`${header}.${encode(payloadOf({ sub: 'admin' }))}.${signature}`)).toBe('invalid');
    expect(await problemOf(`${header}.${payload}.${swap(signature, 0)}`)).toBe('invalid');
    expect(await problemOf(`${header}.${payload}.${swap(signature, 100)}`)).toBe('invalid');
    expect(await problemOf(`${swap(header, 12)}.${payload}.${signature}`)).toBe('invalid');
    expect(await problemOf(`${header}.${payload}`)).toBe('invalid');
    expect(await problemOf(`${header}.${payload}.${signature}.${signature}`)).toBe('invalid');
  });

  it('that was taken once is refused when it has expired', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    // The cache of tokens counts their time on this clock, which it read before the timers were replaced.
    const elapsed = performance.now.bind(performance);
    let later = 0;
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => elapsed() + later);
    try {
      const exp = seconds() + 2;
      const once = await token({ claims: { exp } });
      expect([await problemOf(once), await problemOf(once)]).toEqual(['none', 'none']);
      later = 2_020;
      vi.setSystemTime(exp * 1000 + 20);
      await pause(5);
      expect(await problemOf(once)).toBe('expired');
    } finally {
      clock.mockRestore();
      vi.useRealTimers();
    }
  });

  it('that was taken once does not open the door to one like it', async () => {
    const given = await token();
    await verify(given);
    expect(await problemOf(`${given}A`)).toBe('invalid');
    expect(await problemOf(given.slice(0, -1))).toBe('invalid');
  });

  it('is neither good nor bad while the keys cannot be read', async () => {
    const outage = createTokenVerifier([
      { name: 'clients', issuer: ISSUER, keys: () => Promise.reject(new Error('connection refused')) },
    ]);
    await expect(outage(await token())).rejects.toMatchObject({ problem: 'unavailable' });
  });
});

describe('the bearer token of a request', () => {
  it.each([
    ['Bearer abc', 'abc'],
    ['bearer   abc  ', 'abc'],
    ['Bearer', undefined],
    ['Bearer ', undefined],
    ['Bearer a b', undefined],
    ['Basic abc', undefined],
    ['xBearer abc', undefined],
    [undefined, undefined],
  ])('%s is %s', (authorization, expected) => {
    expect(bearerToken({ authorization })).toBe(expected);
  });
});

describe('a key set in a cache that processes share', () => {
  const address = new URL('https://id.example/keys');
  const realms = [{ name: 'clients', issuer: ISSUER, keys: address }];
  let fetched: number;
  let answer: () => Response;
  beforeEach(() => {
    fetched = 0;
    answer = () => Response.json({ keys: [jwk] });
    vi.spyOn(globalThis, 'fetch').mockImplementation(async () => {
      fetched += 1;
      return answer();
    });
  });
  afterEach(() => {
    vi.restoreAllMocks();
  });

  it('is fetched by the first, and serves a second that starts while the issuer is down', async () => {
    const cache = createMemoryCache();
    await createTokenVerifier(realms, cache)(await token());
    answer = () => new Response('', { status: 502 });
    expect(await createTokenVerifier(realms, cache)(await token())).toMatchObject({ subject: 'ana' });
    expect(fetched).toBe(1);
  });

  it('that is older than a key is fetched anew', async () => {
    const cache = createMemoryCache();
    await createTokenVerifier(realms, cache)(await token());
    const rotated = { ...(await exportJWK(stranger.publicKey)), kid: 'k2', alg: 'RS256', use: 'sig' };
    answer = () => Response.json({ keys: [jwk, rotated] });
    const late = createTokenVerifier(realms, cache);
    const fresh = await token({ header: { kid: 'k2' }, key: stranger.privateKey });
    expect(await late(fresh)).toMatchObject({ subject: 'ana' });
    expect(await createTokenVerifier(realms, cache)(fresh)).toMatchObject({ subject: 'ana' });
    expect(fetched).toBe(2);
  });

  it('is left alone when it is no key set, and one that could not be fetched is not kept', async () => {
    const cache = createMemoryCache();
    answer = () => new Response('', { status: 502 });
    const verifyNow = createTokenVerifier(realms, cache);
    await expect(verifyNow(await token())).rejects.toMatchObject({ problem: 'unavailable' });
    expect(await cache.get(address.href)).toBeUndefined();
    await cache.set(address.href, 'rubbish', 60_000);
    answer = () => Response.json({ keys: [jwk] });
    const other = createTokenVerifier(realms, cache);
    await expect(other(await token())).rejects.toMatchObject({ problem: 'unavailable' });
    expect(await other(await token())).toMatchObject({ subject: 'ana' });
  });
});
