import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import * as openid from 'openid-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTokenVerifier } from '../../../src/foundation/auth.ts';
import type { Database } from '../../../src/foundation/database/database.ts';
import { realmsFrom } from '../../../src/foundation/realms.ts';
import { buildService } from '../../../src/foundation/service.ts';
import { parseSettings } from '../../../src/foundation/settings.ts';
import { gatewayService } from '../../../src/services/gateway/service.ts';
import { loadKeys, signToken } from '../../../src/services/identity/keys.ts';
import { startedHome } from '../../foundation/database/engines.ts';
import { listenFirst, startIdentity, testDatabase, testPlatform } from './running.ts';

const place = { home: '', remove: async () => {} };
let passwords: Record<string, string>;
let database: Database;
let front: Awaited<ReturnType<typeof listenFirst>>;
let identity: Awaited<ReturnType<typeof startIdentity>>;
let closeGateway: () => Promise<void>;
let verify: ReturnType<typeof createTokenVerifier>;

beforeAll(async () => {
  Object.assign(place, startedHome());
  passwords = JSON.parse(readFileSync(join(place.home, 'identity', 'first-passwords.json'), 'utf8'));
  database = await testDatabase(place.home);
  front = await listenFirst();
  identity = await startIdentity({ home: place.home, publicUrl: front.url, database });
  const settings = parseSettings(gatewayService.settings, {
    // The tests sign in more often than a person does.
    GATEWAY_LOGIN_RATE_LIMIT_BURST: '1000',
    IDENTITY_URL: identity.url,
    ANALYSIS_URL: 'none',
  });
  const gateway = await buildService(gatewayService, settings, testPlatform(place.home, front.url));
  front.serve(gateway.app.server);
  closeGateway = gateway.close;
  verify = createTokenVerifier(realmsFrom(settings, front.url));
});
afterAll(async () => {
  front.server.close();
  front.server.closeAllConnections();
  await closeGateway();
  await identity.close();
  await database.close();
  await place.remove();
});

/** A browser without scripts: follows redirects by hand and keeps cookies by path. */
function browser() {
  const cookies = new Map<string, { value: string; path: string }>();
  const open = async (address: string | URL, form?: Record<string, string>) => {
    const url = new URL(address, front.url);
    const sent = [...cookies].filter(([, { path }]) => url.pathname.startsWith(path));
    const response = await fetch(url, {
      redirect: 'manual',
      headers: {
        cookie: sent.map(([name, { value }]) => `${name}=${value}`).join('; '),
        accept: 'text/html',
      },
      ...(form !== undefined && { method: 'POST', body: new URLSearchParams(form) }),
    });
    for (const line of response.headers.getSetCookie()) {
      const [pair = '', ...attributes] = line.split(/; */);
      const [name = '', value = ''] = pair.split('=');
      const path = attributes.find((item) => item.startsWith('path='))?.slice(5) ?? '/';
      if (value === '') cookies.delete(name);
      else cookies.set(name, { value, path });
    }
    return response;
  };
  return Object.assign(open, { cookies });
}

type Browser = ReturnType<typeof browser>;

function discover(realm: string): Promise<openid.Configuration> {
  const issuer = new URL(`${front.url}/realms/${realm}`);
  return openid.discovery(issuer, 'limpede-web', undefined, openid.None(), {
    execute: [openid.allowInsecureRequests],
  });
}

/** Signs in like the web application does; returns the tokens. */
async function signIn(
  open: Browser,
  realm: string,
  name: string | undefined,
  more: Record<string, string> = {},
) {
  const config = await discover(realm);
  const verifier = openid.randomPKCECodeVerifier();
  const state = openid.randomState();
  const begin = openid.buildAuthorizationUrl(config, {
    redirect_uri: `${front.url}/`,
    scope: 'openid email',
    code_challenge: await openid.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    state,
    ...more,
  });
  let response = await open(begin);
  if (name !== undefined) {
    const page = response.headers.get('location') ?? '';
    expect(await (await open(page)).text()).toContain('name="password"');
    const password = passwords[name] ?? '';
    response = await open(page, { name, password });
    response = await open(response.headers.get('location') ?? '');
  }
  const back = new URL(response.headers.get('location') ?? '');
  const grant = () =>
    openid.authorizationCodeGrant(config, back, { pkceCodeVerifier: verifier, expectedState: state });
  return { config, tokens: await grant(), grant };
}

describe('a sign-in through the gateway', () => {
  it('ends in tokens that the services accept, and renews them', async () => {
    const { config, tokens, grant } = await signIn(browser(), 'clients', 'reader');
    const expected = {
      subject: 'reader',
      email: 'reader@limpede.local',
      realm: 'clients',
      roles: ['user'],
      planCap: null,
      application: 'limpede-web',
    };
    expect(await verify(tokens.access_token)).toEqual(expected);
    expect(tokens.claims()).toMatchObject({ sub: 'reader', realm_access: { roles: ['user'] } });
    await expect(verify(tokens.id_token ?? '')).rejects.toThrow('not valid');
    const renewed = await openid.refreshTokenGrant(config, tokens.refresh_token ?? '');
    expect(await verify(renewed.access_token)).toEqual(expected);
    expect(renewed.refresh_token).not.toBe(tokens.refresh_token);
    await expect(grant()).rejects.toMatchObject({ error: 'invalid_grant' });
  });

  it('revokes the whole family when a refresh token is used twice', async () => {
    const { config, tokens } = await signIn(browser(), 'clients', 'reader');
    const renewed = await openid.refreshTokenGrant(config, tokens.refresh_token ?? '');
    const again = openid.refreshTokenGrant(config, tokens.refresh_token ?? '');
    await expect(again).rejects.toMatchObject({ error: 'invalid_grant' });
    const family = openid.refreshTokenGrant(config, renewed.refresh_token ?? '');
    await expect(family).rejects.toMatchObject({ error: 'invalid_grant' });
  });

  it('leaves no refresh token, code or cookie in the database', async () => {
    const open = browser();
    const { tokens } = await signIn(open, 'clients', 'reader');
    const { rows } = await sql`select * from identity_record`.execute(database.kysely());
    const stored = JSON.stringify(rows);
    const cookies = [...open.cookies].filter(([name]) => !name.endsWith('.sig'));
    expect(cookies.map(([name]) => name)).toContain('limpede_clients_session');
    for (const [, { value }] of cookies) expect(stored).not.toContain(value);
    expect(tokens.refresh_token).toBeTruthy();
    expect(stored).not.toContain(tokens.refresh_token);
  });

  it('forgets a refresh token that is revoked', async () => {
    const { config, tokens } = await signIn(browser(), 'clients', 'reader');
    await openid.tokenRevocation(config, tokens.refresh_token ?? '');
    const again = openid.refreshTokenGrant(config, tokens.refresh_token ?? '');
    await expect(again).rejects.toMatchObject({ error: 'invalid_grant' });
  });

  it('gives a code away once, even to two who ask at the same moment', async () => {
    const open = browser();
    const config = await discover('clients');
    const verifier = openid.randomPKCECodeVerifier();
    const begin = openid.buildAuthorizationUrl(config, {
      redirect_uri: `${front.url}/`,
      scope: 'openid',
      code_challenge: await openid.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    });
    const page = (await open(begin)).headers.get('location') ?? '';
    const form = { name: 'reader', password: passwords.reader ?? '' };
    const resume = (await open(page, form)).headers.get('location') ?? '';
    const back = new URL((await open(resume)).headers.get('location') ?? '');
    const grant = () => openid.authorizationCodeGrant(config, back, { pkceCodeVerifier: verifier });
    const results = await Promise.allSettled([grant(), grant(), grant()]);
    expect(results.filter(({ status }) => status === 'fulfilled').length).toBeLessThanOrEqual(1);
  });

  it('of staff carries their roles, and stands beside that of a reader in one browser', async () => {
    const open = browser();
    await signIn(open, 'clients', 'reader');
    const { tokens } = await signIn(open, 'admins', 'moderator');
    expect(await verify(tokens.access_token)).toMatchObject({
      subject: 'moderator',
      realm: 'admins',
      roles: ['moderator'],
    });
    const { tokens: quiet } = await signIn(open, 'clients', undefined, { prompt: 'none' });
    expect(await verify(quiet.access_token)).toMatchObject({ subject: 'reader' });
  });

  it('survives a restart of the identity service', async () => {
    const open = browser();
    const { tokens } = await signIn(open, 'clients', 'reader');
    const again = await startIdentity({ home: place.home, publicUrl: front.url, database });
    const response = await fetch(`${again.url}/realms/clients/token`, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'refresh_token',
        client_id: 'limpede-web',
        refresh_token: tokens.refresh_token ?? '',
      }),
    });
    const renewed = (await response.json()) as { access_token: string };
    expect(await verify(renewed.access_token)).toMatchObject({ subject: 'reader' });
    await again.close();
  });

  it('ends with a sign-out that asks first', async () => {
    const open = browser();
    const { config, tokens } = await signIn(open, 'clients', 'reader');
    const leave = openid.buildEndSessionUrl(config, {
      id_token_hint: tokens.id_token ?? '',
      post_logout_redirect_uri: `${front.url}/`,
    });
    const page = await open(leave);
    const html = await page.text();
    expect(html).toContain('Do you want to sign out of Limpede?');
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
    const action = /action="([^"]+)"/.exec(html)?.[1] ?? '';
    const xsrf = /name="xsrf" value="([^"]+)"/.exec(html)?.[1] ?? '';
    const left = await open(action, { xsrf, logout: 'yes' });
    expect(left.headers.get('location')).toBe(`${front.url}/`);
    await expect(signIn(open, 'clients', undefined, { prompt: 'none' })).rejects.toMatchObject({
      error: 'login_required',
    });
  });
});

describe('the administration of users', () => {
  const NEW_PASSWORD = 'alta parola, mai lunga';
  const ask = async (path: string, options: { as?: string; method?: string; body?: unknown } = {}) => {
    const { as, method = 'GET', body } = options;
    const response = await fetch(`${identity.url}/v1/users${path}`, {
      method,
      headers: {
        ...(as !== undefined && { authorization: `Bearer ${as}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const answer = (await response.json()) as { error_code?: string };
    return [response.status, answer.error_code];
  };
  const tokenOf = async (realm: 'clients' | 'admins', role: string) =>
    signToken(await loadKeys(place.home, realm), front.url, {
      realm,
      subject: 'root',
      roles: [role],
      application: 'test',
      lifetime: 60,
    });

  it.each([
    ['nobody', undefined, [401, 'token_missing']],
    ['a user', ['clients', 'user'], [401, 'token_invalid']],
    ['a user called admin', ['clients', 'admin'], [401, 'token_invalid']],
    ['a moderator', ['admins', 'moderator'], [403, 'forbidden_role']],
    ['an administrator', ['admins', 'admin'], [200, undefined]],
  ] as const)('is open to administrators: %s', async (_name, who, expected) => {
    const as = who === undefined ? undefined : await tokenOf(who[0], who[1]);
    expect(await ask('', as === undefined ? {} : { as })).toEqual(expected);
  });

  it('is not shown by the gateway', async () => {
    const as = await tokenOf('admins', 'admin');
    for (const path of [
      '/v1/users',
      '/realms/clients/../../v1/users',
      '/realms/clients/%2e%2e/%2e%2e/v1/users',
    ]) {
      const response = await fetch(`${front.url}${path}`, { headers: { authorization: `Bearer ${as}` } });
      expect([path, response.status]).toEqual([path, 404]);
    }
  });

  it.each(['disable', 'password'])('ends sessions and refresh tokens: %s', async (change) => {
    const as = await tokenOf('admins', 'admin');
    const open = browser();
    const { config, tokens } = await signIn(open, 'clients', 'reader');
    const other = await signIn(browser(), 'admins', 'moderator');
    const done =
      change === 'disable'
        ? await ask('/clients/reader/disable', { as, method: 'POST' })
        : await ask('/clients/reader/password', { as, method: 'PUT', body: { password: NEW_PASSWORD } });
    expect(done).toEqual([200, undefined]);
    const renewed = openid.refreshTokenGrant(config, tokens.refresh_token ?? '');
    await expect(renewed).rejects.toMatchObject({ error: 'invalid_grant' });
    const quiet = signIn(open, 'clients', undefined, { prompt: 'none' });
    await expect(quiet).rejects.toMatchObject({ error: 'login_required' });
    // The old password of a changed one, and any of a disabled one, opens nothing.
    await expect(signIn(browser(), 'clients', 'reader')).rejects.toThrow('Invalid URL');
    await openid.refreshTokenGrant(other.config, other.tokens.refresh_token ?? '');
    if (change === 'disable')
      expect(await ask('/clients/reader/enable', { as, method: 'POST' })).toEqual([200, undefined]);
    else passwords.reader = NEW_PASSWORD;
    await signIn(browser(), 'clients', 'reader');
  });

  it('ends a sign-in whose password was right and which is not finished yet', async () => {
    const as = await tokenOf('admins', 'admin');
    const open = browser();
    const config = await discover('clients');
    const begin = openid.buildAuthorizationUrl(config, {
      redirect_uri: `${front.url}/`,
      scope: 'openid',
      code_challenge: await openid.calculatePKCECodeChallenge(openid.randomPKCECodeVerifier()),
      code_challenge_method: 'S256',
    });
    const page = (await open(begin)).headers.get('location') ?? '';
    const form = { name: 'reader', password: passwords.reader ?? '' };
    const resume = (await open(page, form)).headers.get('location') ?? '';
    expect(await ask('/clients/reader/disable', { as, method: 'POST' })).toEqual([200, undefined]);
    const back = await open(resume);
    expect(`${back.headers.get('location') ?? ''}`).not.toContain('code=');
    await ask('/clients/reader/enable', { as, method: 'POST' });
  });
});
