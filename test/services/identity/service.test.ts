import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { createLocalJWKSet, type JSONWebKeySet, jwtVerify } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Database } from '../../../src/foundation/database/database.ts';
import { freshHome, startedHome } from '../../foundation/database/engines.ts';
import { startIdentity, testDatabase } from './running.ts';

const PUBLIC_URL = 'https://limpede.example/base';
const SECRET = 'a-secret-of-a-machine';
const GATEWAY = 'the-secret-of-the-gateway';
const place = { home: '', remove: async () => {} };
let database: Database;
let identity: Awaited<ReturnType<typeof startIdentity>>;

const environment = {
  IDENTITY_LOGIN_ATTEMPTS: '3',
  IDENTITY_LOGIN_PAUSE_SECONDS: '3600',
  GATEWAY_INTERNAL_TOKEN: GATEWAY,
  IDENTITY_SERVICE_CLIENT_ID: 'machine',
  IDENTITY_SERVICE_CLIENT_SECRET: SECRET,
  IDENTITY_SERVICE_CLIENT_ROLES: 'user, robot',
};

beforeAll(async () => {
  Object.assign(place, freshHome());
  database = await testDatabase(place.home);
  identity = await startIdentity({ home: place.home, publicUrl: PUBLIC_URL, database }, environment);
});
afterAll(async () => {
  await identity.close();
  await database.close();
  await place.remove();
});

const get = (path: string, headers: Record<string, string> = {}) =>
  fetch(`${identity.url}${path}`, { headers, redirect: 'manual' });

const authorizationPath = (more: Record<string, string> = {}) =>
  `/realms/clients/auth?${new URLSearchParams({
    client_id: 'limpede-web',
    redirect_uri: PUBLIC_URL,
    response_type: 'code',
    scope: 'openid',
    code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
    code_challenge_method: 'S256',
    ...more,
  })}`;

describe('the identity service', () => {
  it('makes the users of the first start once, and keeps their passwords for the owner alone', async () => {
    const made = identity.needs.firstPasswords;
    expect(Object.keys(made)).toEqual(['reader', 'moderator', 'admin']);
    const folder = join(place.home, 'identity');
    expect((await readdir(folder)).sort()).toEqual([
      'admins-keys.json',
      'clients-keys.json',
      'first-passwords.json',
    ]);
    const file = join(folder, 'first-passwords.json');
    expect(JSON.parse(await readFile(file, 'utf8'))).toEqual(made);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const again = await startIdentity({ home: place.home, publicUrl: PUBLIC_URL, database });
    expect(again.needs.firstPasswords).toEqual({});
    await again.close();
  });

  it('tells its health', async () => {
    const health = await get('/health');
    expect(health.status).toBe(200);
    expect(await health.json()).toMatchObject({ status: 'healthy', service: 'identity', version: '1.2.3' });
    expect(await (await get('/ready')).json()).toEqual({ ready: true });
  });

  it('is unhealthy without its database', async () => {
    const other = await startIdentity({ home: place.home, publicUrl: PUBLIC_URL, database });
    other.needs.store.probe = () => Promise.reject(new Error('the disk is full'));
    const health = await fetch(`${other.url}/health`);
    expect([health.status, await health.json()]).toMatchObject([
      503,
      { status: 'unhealthy', checks: { database: { error: 'the disk is full' } } },
    ]);
    const ready = await fetch(`${other.url}/ready`);
    expect([ready.status, await ready.json()]).toEqual([503, { ready: false }]);
    await other.close();
  });

  it('says that a later attempt may succeed when its database is lost', async () => {
    const home = startedHome();
    const lost = await testDatabase(home.home);
    const other = await startIdentity({ home: home.home, publicUrl: PUBLIC_URL, database: lost });
    await lost.close();
    const token = await fetch(`${other.url}/realms/clients/token`, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'refresh_token',
        client_id: 'limpede-web',
        refresh_token: 'x'.repeat(43),
      }),
    });
    expect([token.status, token.headers.get('retry-after'), await token.json()]).toMatchObject([
      503,
      '5',
      { error: 'temporarily_unavailable' },
    ]);
    const page = await fetch(`${other.url}${authorizationPath()}`, { headers: { accept: 'text/html' } });
    expect([page.status, page.headers.get('retry-after')]).toEqual([503, '5']);
    expect(await page.text()).toContain('<main>');
    const form = await fetch(`${other.url}/realms/clients/interaction/x`, { headers: { cookie: 'a=b' } });
    expect(form.status).toBe(400);
    const health = await fetch(`${other.url}/health`);
    expect(health.status).toBe(503);
    await other.close();
    await home.remove();
  });

  it.each(['clients', 'admins'])('describes the realm %s under its public address', async (realm) => {
    const response = await get(`/realms/${realm}/.well-known/openid-configuration`, {
      host: 'evil.example',
      'x-forwarded-host': 'evil.example',
    });
    const found = (await response.json()) as Record<string, unknown>;
    const base = `${PUBLIC_URL}/realms/${realm}`;
    expect(found).toMatchObject({
      issuer: base,
      authorization_endpoint: `${base}/auth`,
      token_endpoint: `${base}/token`,
      jwks_uri: `${base}/jwks`,
      end_session_endpoint: `${base}/session/end`,
      response_types_supported: ['code'],
      code_challenge_methods_supported: ['S256'],
    });
    expect(found.id_token_signing_alg_values_supported).toContain('RS256');
  });

  it('publishes public keys only', async () => {
    const { keys } = (await (await get('/realms/clients/jwks')).json()) as { keys: object[] };
    expect(keys).toHaveLength(1);
    expect(Object.keys(keys[0] ?? {}).sort()).toEqual(['alg', 'e', 'kid', 'kty', 'n', 'use']);
  });

  it('gives a machine a token for itself, with the roles of the settings', async () => {
    const response = await fetch(`${identity.url}/realms/clients/token`, {
      method: 'POST',
      headers: { authorization: `Basic ${Buffer.from(`machine:${SECRET}`).toString('base64')}` },
      body: new URLSearchParams({ grant_type: 'client_credentials' }),
    });
    const { access_token: token } = (await response.json()) as { access_token: string };
    const keys = createLocalJWKSet((await (await get('/realms/clients/jwks')).json()) as JSONWebKeySet);
    const { payload, protectedHeader } = await jwtVerify(token, keys, { audience: 'limpede' });
    expect(protectedHeader).toMatchObject({ alg: 'RS256', typ: 'at+jwt' });
    expect(payload).toMatchObject({ azp: 'machine', realm_access: { roles: ['user', 'robot'] } });
  });

  it.each([
    ['another realm', '/realms/others/jwks', 404],
    ['a path of no realm', '/realms/clients/nothing', 404],
    ['no path', '/realms/clients', 404],
    ['an interaction that is over', '/realms/clients/interaction/nothing', 400],
    ['a cookie with a NUL', '/realms/clients/interaction/%00', 400],
    ['an unknown client', authorizationPath({ client_id: 'stranger' }), 400],
    ['a NUL for a client', authorizationPath({ client_id: '\0' }), 400],
    ['another redirect address', authorizationPath({ redirect_uri: 'https://evil.example/' }), 400],
    ['no challenge', authorizationPath({ code_challenge: '' }), 303],
    ['the implicit flow', authorizationPath({ response_type: 'token' }), 303],
    ['another resource', authorizationPath({ resource: 'urn:other' }), 303],
  ])('refuses %s', async (_name, path, status) => {
    const response = await get(path, { accept: 'text/html' });
    expect(response.status).toBe(status);
    if (status === 303) expect(response.headers.get('location')).toMatch(/[?#&]error=/);
    if (status === 404)
      expect(await response.json()).toMatchObject({ success: false, error_code: 'not_found' });
    if (status === 400) expect(await response.text()).toContain('<main>');
  });

  it.each([
    ['garbage', 'x=%%%&&==', 'application/x-www-form-urlencoded'],
    ['JSON', '{"grant_type":"client_credentials"}', 'application/json'],
    ['nothing', '', 'application/x-www-form-urlencoded'],
    [
      'a code with a NUL',
      'grant_type=authorization_code&client_id=limpede-web&code=%00&redirect_uri=x&code_verifier=y',
      'application/x-www-form-urlencoded',
    ],
    ['too much', `x=${'y'.repeat(100_000)}`, 'application/x-www-form-urlencoded'],
  ])('refuses a token request of %s', async (_name, body, type) => {
    const response = await fetch(`${identity.url}/realms/clients/token`, {
      method: 'POST',
      headers: { 'content-type': type },
      body,
    });
    expect(response.status).toBeGreaterThanOrEqual(400);
    expect(response.status).toBeLessThan(500);
    expect(await response.json()).toHaveProperty('error');
  });
});

describe('the sign-in form', () => {
  /** Begins a sign-in like a browser: the page and the cookies. */
  async function begin(more: Record<string, string> = {}) {
    const first = await get(authorizationPath(more));
    expect(first.status).toBe(303);
    const location = first.headers.get('location') ?? '';
    const cookie = first.headers
      .getSetCookie()
      .map((line) => line.split(';')[0])
      .join('; ');
    const path = location.replace('/base', '');
    const send = (form: Record<string, string>, from = '192.0.2.7', gateway = GATEWAY) =>
      fetch(`${identity.url}${path}`, {
        method: 'POST',
        redirect: 'manual',
        headers: { cookie, 'x-forwarded-for': from, 'x-limpede-gateway': gateway },
        body: new URLSearchParams(form),
      });
    return { first, location, path, cookie, send };
  }

  it('is an own page without scripts, in the language of the reader', async () => {
    const { location, path, cookie, first } = await begin({ login_hint: 'reader' });
    expect(location).toMatch(/^\/base\/realms\/clients\/interaction\/[\w-]+$/);
    for (const line of first.headers.getSetCookie()) {
      expect(line.toLowerCase()).toContain('httponly');
      expect(line.toLowerCase()).toContain('secure');
      expect(line).toContain('path=/base/realms/clients/');
    }
    const response = await get(path, { cookie, 'accept-language': 'ro' });
    expect(response.status).toBe(200);
    const html = await response.text();
    expect(html).toContain('Autentificare în Limpede');
    expect(html).toContain('value="reader"');
    expect(html).not.toContain('<script');
    expect(response.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(response.headers.get('content-security-policy')).toContain('https://limpede.example');
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(await (await get(`${path}?lang=en`, { cookie, 'accept-language': 'ro' })).text()).toContain(
      'Sign in',
    );
    expect((await get(path)).status).toBe(400);
  });

  it('goes on with the right password, and not with another', async () => {
    const { send } = await begin();
    const wrong = await send({ name: 'reader', password: 'no' });
    expect([wrong.status, await wrong.text()]).toEqual([401, expect.stringContaining('role="alert"')]);
    expect((await send({ name: 'reader', password: '' })).status).toBe(400);
    expect((await send({ name: 'reader\0', password: 'x' })).status).toBe(401);
    const admin = { name: 'admin', password: identity.needs.firstPasswords.admin ?? '' };
    expect((await send(admin)).status).toBe(401);
    const right = await send({ name: 'reader', password: identity.needs.firstPasswords.reader ?? '' });
    expect(right.status).toBe(303);
    expect(right.headers.get('location')).toMatch(
      /^https:\/\/limpede\.example\/base\/realms\/clients\/auth\//,
    );
  });

  it('slows guessing down', async () => {
    const { send } = await begin();
    const guess = { name: 'moderator', password: 'guess' };
    const statuses = [];
    for (let count = 0; count < 4; count += 1) statuses.push((await send(guess, '192.0.2.9')).status);
    expect(statuses).toEqual([401, 401, 401, 429]);
    expect((await send(guess, '192.0.2.10')).status).toBe(401);
  });

  it('believes no address but what the gateway forwards', async () => {
    const { send } = await begin();
    const guess = { name: 'somebody', password: 'guess' };
    const statuses = [];
    for (const [count, secret] of ['', 'x', `${GATEWAY}x`, `${GATEWAY}, x`].entries())
      statuses.push((await send(guess, `192.0.2.${count}`, secret)).status);
    expect(statuses.slice(0, 2)).toEqual([401, 401]);
    expect(statuses.at(-1)).toBe(429);
  });

  it('can be cancelled', async () => {
    const { send, cookie } = await begin({ state: 'kept' });
    const cancelled = await send({ cancel: 'yes' });
    expect(cancelled.status).toBe(303);
    const resume = new URL(cancelled.headers.get('location') ?? '');
    const back = await get(resume.pathname.replace('/base', ''), { cookie });
    const target = new URL(back.headers.get('location') ?? '');
    expect(target.searchParams.get('error')).toBe('access_denied');
    expect(target.searchParams.get('state')).toBe('kept');
  });

  it('takes no large body', async () => {
    const { send } = await begin();
    expect((await send({ name: 'x'.repeat(20_000), password: 'y' })).status).toBe(413);
  });
});
