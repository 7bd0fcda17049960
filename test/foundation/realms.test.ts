import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  type CryptoKey,
  exportJWK,
  exportSPKI,
  generateKeyPair,
  type JWK,
  type JWTHeaderParameters,
  SignJWT,
} from 'jose';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { createApiKey } from '../../src/foundation/api-keys.ts';
import { createTokenVerifier } from '../../src/foundation/auth.ts';
import { defineFailures } from '../../src/foundation/errors.ts';
import { authenticateUsers, realmProblems, realmSettings, realmsFrom } from '../../src/foundation/realms.ts';
import { parseSettings } from '../../src/foundation/settings.ts';

const errors = defineFailures({
  validation_failed: [400, 'request'],
  token_missing: [401, 'missing'],
  token_invalid: [401, 'invalid'],
  token_expired: [401, 'expired'],
  api_key_invalid: [401, 'key'],
  service_unavailable: [503, 'later'],
});

const PUBLIC_URL = 'https://limpede.example';
const schema = z.object(realmSettings);
const now = () => Math.floor(Date.now() / 1000);

interface Keys {
  privateKey: CryptoKey;
  publicKey: CryptoKey;
  jwk: JWK;
}

async function makeKeys(kid: string): Promise<Keys> {
  const { privateKey, publicKey } = await generateKeyPair('RS256', { extractable: true });
  return { privateKey, publicKey, jwk: { ...(await exportJWK(publicKey)), kid, alg: 'RS256', use: 'sig' } };
}

let keys: Keys;
let strangers: Keys;
let server: Server;
let base: string;
let broken = false;
let discoveries = 0;

beforeAll(async () => {
  [keys, strangers] = await Promise.all([makeKeys('one'), makeKeys('one')]);
  server = createServer((request, response) => {
    const discovery = request.url === '/external/.well-known/openid-configuration';
    if (discovery) discoveries += 1;
    if (request.url?.startsWith('/large') === true) {
      const large = { issuer: `${base}/large`, jwks_uri: `${base}/large/keys`, keys: [keys.jwk] };
      response.end(JSON.stringify({ ...large, filler: 'x'.repeat(300_000) }));
      return;
    }
    if (request.url?.startsWith('/moved') === true) {
      response.writeHead(302, { location: `${base}/external/.well-known/openid-configuration` }).end();
      return;
    }
    const body = discovery
      ? { issuer: `${base}/external`, jwks_uri: `${base}/external/keys` }
      : { keys: [keys.jwk] };
    response.writeHead(broken ? 502 : 200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => new Promise((resolve) => server.close(resolve)));

interface Changes {
  header?: Partial<JWTHeaderParameters>;
  claims?: Record<string, unknown>;
  key?: CryptoKey | Uint8Array;
}

function token({ header = {}, claims = {}, key = keys.privateKey }: Changes = {}): Promise<string> {
  const payload = {
    iss: `${PUBLIC_URL}/realms/clients`,
    aud: 'limpede',
    sub: 'ana',
    email: 'ana@example.org',
    azp: 'limpede-web',
    plan_type: 3,
    realm_access: { roles: ['user'] },
    exp: now() + 600,
    ...claims,
  };
  return new SignJWT(payload).setProtectedHeader({ alg: 'RS256', kid: 'one', ...header }).sign(key);
}

function authenticator(environment: Record<string, string> = {}) {
  const settings = parseSettings(schema, { IDENTITY_URL: base, ...environment });
  return authenticateUsers(createTokenVerifier(realmsFrom(settings, PUBLIC_URL)), errors);
}

const outcome = async (given: string, environment?: Record<string, string>) => {
  try {
    const caller = await authenticator(environment)({ authorization: `Bearer ${given}` });
    return caller.subject;
  } catch (error) {
    return (error as { code: string }).code;
  }
};

describe('tokens of the embedded provider', () => {
  it('are read into a caller', async () => {
    const caller = await authenticator()({ authorization: `Bearer ${await token()}` });
    expect(caller).toEqual({
      subject: 'ana',
      email: 'ana@example.org',
      realm: 'clients',
      roles: ['user'],
      planCap: 3,
      application: 'limpede-web',
    });
  });

  it('are accepted from the other realm too, with the roles in it', async () => {
    const claims = { iss: `${PUBLIC_URL}/realms/admins`, realm_access: { roles: ['moderator', 'auditor'] } };
    const caller = await authenticator()({ authorization: `bearer ${await token({ claims })}` });
    expect([caller.realm, caller.roles]).toEqual(['admins', ['moderator', 'auditor']]);
  });

  it.each<[string, Changes, string]>([
    ['expired', { claims: { exp: now() - 1 } }, 'token_expired'],
    ['without an end', { claims: { exp: undefined } }, 'token_invalid'],
    ['without a subject', { claims: { sub: undefined } }, 'token_invalid'],
    ['not valid yet', { claims: { nbf: now() + 600 } }, 'token_invalid'],
    [
      'of an unknown issuer',
      { claims: { iss: 'https://elsewhere.example/realms/clients' } },
      'token_invalid',
    ],
    ['of an ID token audience', { claims: { aud: 'limpede-web' } }, 'token_invalid'],
    ['that are ID tokens of Keycloak', { claims: { typ: 'ID' } }, 'token_invalid'],
    ['that are access tokens of Keycloak', { claims: { typ: 'Bearer' } }, 'ana'],
    ['with an unknown key', { header: { kid: 'two' } }, 'token_invalid'],
    ['with a plan that is none', { claims: { plan_type: 9 } }, 'token_invalid'],
    ['with roles that are none', { claims: { realm_access: { roles: 'admin' } } }, 'token_invalid'],
  ])('%s', async (_name, changes, result) => {
    expect(await outcome(await token(changes))).toBe(result);
  });

  it('are refused when another key of the same name signed them', async () => {
    expect(await outcome(await token({ key: strangers.privateKey }))).toBe('token_invalid');
  });

  it('are refused with alg none, whatever the case', async () => {
    const [, payload] = (await token()).split('.');
    for (const alg of ['none', 'None', 'NONE']) {
      const header = Buffer.from(JSON.stringify({ alg, kid: 'one' })).toString('base64url');
      expect(await outcome(`${header}.${payload}.`), alg).toBe('token_invalid');
    }
  });

  it('are refused when HS256 was keyed with the public key', async () => {
    const header = { alg: 'HS256' };
    for (const secret of [await exportSPKI(keys.publicKey), JSON.stringify(keys.jwk)]) {
      const forged = await token({ header, key: new TextEncoder().encode(secret) });
      expect(await outcome(forged)).toBe('token_invalid');
    }
  });

  it('are refused when a letter of the payload or the signature changed', async () => {
    const [header = '', payload = '', signature = ''] = (await token()).split('.');
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as Record<string, unknown>;
    const raised = Buffer.from(JSON.stringify({ ...claims, realm_access: { roles: ['admin'] } }));
    expect(await outcome(`${header}.${raised.toString('base64url')}.${signature}`)).toBe('token_invalid');
    const other = signature.startsWith('A') ? 'B' : 'A';
    expect(await outcome(`${header}.${payload}.${other}${signature.slice(1)}`)).toBe('token_invalid');
  });

  it.each(['garbage', 'a.b.c', '..', `${'x'.repeat(10_000)}`, 'eyJhbGciOiJSUzI1NiJ9.bnVsbA.x'])(
    'that are none (%#) are refused',
    async (garbage) => {
      expect(await outcome(garbage)).toBe('token_invalid');
    },
  );

  it('say nothing about a token while their keys cannot be read', async () => {
    broken = true;
    try {
      const verify = authenticator();
      const given = { authorization: `Bearer ${await token()}` };
      await expect(verify(given)).rejects.toMatchObject({ code: 'service_unavailable', status: 503 });
      broken = false;
      await expect(verify(given)).resolves.toMatchObject({ subject: 'ana' });
    } finally {
      broken = false;
    }
  });

  it('are of nobody when the embedded provider is off', async () => {
    expect(await outcome(await token(), { IDENTITY_URL: 'none' })).toBe('token_invalid');
  });
});

/** Settings of an external provider. */
const external = (issuer: string) => ({ AUTH_CLIENTS_ISSUER: issuer, AUTH_CLIENTS_AUDIENCE: 'limpede' });

describe('tokens of an external provider', () => {
  it('are checked with the keys that its discovery names, asked for once', async () => {
    const verify = authenticator(external(`${base}/external`));
    const before = discoveries;
    for (const aud of ['limpede', ['account', 'limpede']])
      expect(
        await verify({
          authorization: `Bearer ${await token({ claims: { iss: `${base}/external`, aud } })}`,
        }),
      ).toMatchObject({ realm: 'clients' });
    expect(discoveries).toBe(before + 1);
  });

  it('take the place of the embedded realm, and leave the other', async () => {
    const environment = external(`${base}/external`);
    expect(await outcome(await token(), environment)).toBe('token_invalid');
    const admins = await token({ claims: { iss: `${PUBLIC_URL}/realms/admins` } });
    expect(await outcome(admins, environment)).toBe('ana');
  });

  it.each(['CLIENTS', 'ADMINS'])('of %s are not accepted at all without an audience of ours', (realm) => {
    const settings = parseSettings(schema, { [`AUTH_${realm}_ISSUER`]: 'https://sso.example/' });
    const problem = `AUTH_${realm}_AUDIENCE: must name the audience of this installation`;
    expect(() => realmsFrom(settings, PUBLIC_URL)).toThrow(problem);
    expect(realmProblems(settings)).toEqual([expect.stringContaining(problem)]);
    expect(realmProblems({ ...settings, [`AUTH_${realm}_AUDIENCE`]: 'limpede' })).toEqual([]);
  });

  it('must name the audience', async () => {
    const environment = { AUTH_CLIENTS_ISSUER: `${base}/external`, AUTH_CLIENTS_AUDIENCE: 'platform' };
    const given = (aud: string) => token({ claims: { iss: `${base}/external`, aud } });
    expect(await outcome(await given('limpede'), environment)).toBe('token_invalid');
    expect(await outcome(await given('platform'), environment)).toBe('ana');
  });

  it('are checked with a key set named by setting, without discovery', async () => {
    const environment = {
      ...external('https://sso.example/clients/'),
      AUTH_CLIENTS_JWKS_URL: `${base}/external/keys`,
    };
    expect(await outcome(await token({ claims: { iss: 'https://sso.example/clients/' } }), environment)).toBe(
      'ana',
    );
  });

  it.each([
    ['a discovery document', 'large', {}],
    ['a key set', 'large', { AUTH_CLIENTS_JWKS_URL: 'keys' }],
    ['a discovery document elsewhere', 'moved', {}],
  ])(
    'are an outage when the provider answers with too much, or points elsewhere: %s',
    async (_name, path, more) => {
      const iss = `${base}/${path}`;
      const named = Object.fromEntries(Object.keys(more).map((name) => [name, `${iss}/keys`]));
      const given = await token({ claims: { iss } });
      expect(await outcome(given, { ...external(iss), ...named })).toBe('service_unavailable');
    },
  );

  it('are an outage while the provider is away, or calls itself otherwise', async () => {
    const elsewhere = external(`${base}/nowhere`);
    const given = await token({ claims: { iss: `${base}/nowhere` } });
    expect(await outcome(given, elsewhere)).toBe('service_unavailable');
    broken = true;
    const later = await token({ claims: { iss: `${base}/external` } });
    const verify = authenticator(external(`${base}/external`));
    await expect(verify({ authorization: `Bearer ${later}` })).rejects.toMatchObject({ status: 503 });
    broken = false;
    await expect(verify({ authorization: `Bearer ${later}` })).resolves.toMatchObject({ subject: 'ana' });
  });
});

describe('requests', () => {
  it.each([
    ['nothing', {}, 'token_missing'],
    ['another scheme', { authorization: 'Basic YTpi' }, 'token_missing'],
    ['an empty bearer', { authorization: 'Bearer ' }, 'token_missing'],
    ['an extension key', { 'x-api-key': 'lmp_ext_1' }, 'api_key_invalid'],
  ])('with %s are refused with 401', async (_name, headers, code) => {
    await expect(authenticator()(headers)).rejects.toMatchObject({ code, status: 401 });
  });

  it('with two credentials are refused, whichever of them is good', async () => {
    for (const authorization of ['Bearer x', 'Basic x'])
      await expect(authenticator()({ 'x-api-key': 'lmp_ext_1', authorization })).rejects.toMatchObject({
        code: 'validation_failed',
        status: 400,
      });
  });

  it('with a key are answered by those who keep keys, and never asked for one that is mistyped', async () => {
    const { key } = createApiKey();
    const owner = {
      subject: 'ana',
      realm: 'clients',
      email: null,
      roles: [],
      planCap: null,
      application: null,
    };
    const verifyKey = vi.fn(async (asked: string) => (asked === key ? owner : undefined));
    const authenticate = authenticateUsers(() => Promise.reject(new Error('no token')), errors, verifyKey);
    expect(await authenticate({ 'x-api-key': key })).toBe(owner);
    for (const other of [
      createApiKey().key,
      `${key}x`,
      key.slice(0, -1),
      key.toUpperCase(),
      `${key}, ${key}`,
    ])
      await expect(authenticate({ 'x-api-key': other })).rejects.toMatchObject({ code: 'api_key_invalid' });
    expect(verifyKey).toHaveBeenCalledTimes(2);
  });
});
