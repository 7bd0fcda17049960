import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { exportSPKI, importJWK, SignJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApiKey } from '../../../src/foundation/api-keys.ts';
import type { Operation } from '../../../src/foundation/contract.ts';
import { analysis as analysisContract } from '../../../src/services/analysis/contract.ts';
import { loadKeys } from '../../../src/services/identity/keys.ts';
import { emptyHome } from '../../foundation/database/engines.ts';
import { exchangeBytes, listen, listenIdentity, PUBLIC_URL, startGateway, tokenOf } from './behind.ts';

const MIB = 1024 * 1024;
const place = { home: '', remove: async () => {} };
let identity: Awaited<ReturnType<typeof listenIdentity>>;
let analysis: Awaited<ReturnType<typeof listen>>;
let gateway: Awaited<ReturnType<typeof startGateway>>;
let token: string;
/** Paths of requests that arrived. */
const arrived: string[] = [];
/** Requests that ended before their answer did, by path. */
const abandoned: string[] = [];

/** What the service behind does, by path: most paths echo. */
async function behind(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const path = request.url ?? '';
  arrived.push(path);
  response.once('close', () => {
    if (!response.writableFinished) abandoned.push(path);
  });
  if (path === '/never') return;
  if (path === '/cut') {
    response.writeHead(200, { 'content-length': '100' }).write('half');
    setTimeout(() => response.destroy(), 20);
    return;
  }
  if (path === '/reset') {
    request.socket.destroy();
    return;
  }
  if (path === '/events') {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
    response.on('drain', () => undefined);
    await sleep(50);
    response.write('data: first\n\n');
    return;
  }
  if (path === '/created') {
    request.resume();
    response.writeHead(202, { location: '/agent-v3/x', 'set-cookie': ['a=1', 'b=2'], server: 'secret' });
    response.end('{}');
    return;
  }
  let size = 0;
  for await (const chunk of request) size += (chunk as Buffer).length;
  const { method, headers } = request;
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ method, path, headers, size }));
}

const swallow = (request: IncomingMessage, response: ServerResponse) => {
  behind(request, response).catch(() => response.destroy());
};

beforeAll(async () => {
  Object.assign(place, emptyHome());
  [identity, analysis] = await Promise.all([listenIdentity(place.home), listen(swallow)]);
  gateway = await startGateway(place.home, {
    IDENTITY_URL: identity.url,
    ANALYSIS_URL: analysis.url,
    GATEWAY_RATE_LIMIT_RPS: '100000',
    GATEWAY_RATE_LIMIT_BURST: '100000',
    GATEWAY_CORS_ORIGINS: 'https://app.example, chrome-extension://abc',
  });
  token = await tokenOf(place.home);
});
afterAll(async () => {
  await gateway.close();
  await Promise.all([identity.close(), analysis.close()]);
  await place.remove();
});

const authorization = () => ({ authorization: `Bearer ${token}` });
const call = (path: string, options: RequestInit = {}) =>
  fetch(`${gateway.url}${path}`, { ...options, headers: { ...authorization(), ...options.headers } });
const codeOf = async (response: Response) => [
  response.status,
  ((await response.json()) as { error_code: string }).error_code,
];

interface Echo {
  method: string;
  path: string;
  headers: Record<string, string>;
  size: number;
}

describe('security headers', () => {
  it.each<[string, string, RequestInit, number]>([
    ['of the gateway itself', '/', {}, 200],
    ['of a service behind', '/agent-v3/api/v3/pipeline/history', {}, 200],
    ['of a refusal', '/agent-v3/api/v3/pipeline/history', { headers: { authorization: 'Bearer no' } }, 401],
    ['of nothing', '/nowhere', {}, 404],
    ['of a redirect', '/agent-v3/docs', { redirect: 'manual' }, 308],
  ])('stand on answers %s', async (_name, path, options, status) => {
    const { headers, ...response } = await call(path, options).then(async (answer) => {
      await answer.text();
      return { status: answer.status, headers: Object.fromEntries(answer.headers) };
    });
    expect(response.status).toBe(status);
    expect(headers).toMatchObject({
      'x-frame-options': 'DENY',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'strict-transport-security': expect.stringMatching(/^max-age=31536000/),
    });
    expect(headers['content-security-policy']).toContain("frame-ancestors 'none'");
  });
});

describe('the way to the analysis service', () => {
  it('strips the prefix, keeps the query, and passes the token on', async () => {
    const response = await call('/agent-v3/api/v3/pipeline/history?page=2&q=a%2Fb', {
      headers: { 'x-forwarded-for': '1.1.1.1', 'x-limpede-user': 'root', 'x-correlation-id': 'no-uuid' },
    });
    const echo = (await response.json()) as Echo;
    expect(echo.path).toBe('/api/v3/pipeline/history?page=2&q=a%2Fb');
    expect(echo.headers.authorization).toBe(`Bearer ${token}`);
    expect(echo.headers['x-correlation-id']).toBe(response.headers.get('x-correlation-id'));
    expect(echo.headers['x-correlation-id']).toMatch(/^[0-9a-f-]{36}$/);
    expect(echo.headers['x-forwarded-for']).toBe('127.0.0.1');
    expect(echo.headers['x-forwarded-host']).toBe('limpede.example');
    expect(echo.headers['x-limpede-user']).toBeUndefined();
    expect(response.headers.get('ratelimit-limit')).toBe('100000');
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    expect(response.headers.get('strict-transport-security')).toContain('max-age');
  });

  it('takes over a correlation id that is a uuid', async () => {
    const id = '6f1c1f0e-6f1c-4f0e-8f1c-1f0e6f1c1f0e';
    const response = await call('/agent-v3/x', { headers: { 'x-correlation-id': id } });
    expect(((await response.json()) as Echo).headers['x-correlation-id']).toBe(id);
  });

  it.each(['POST', 'PUT', 'PATCH', 'DELETE'])('passes the body of a %s', async (method) => {
    const response = await call('/agent-v3/x', { method, body: 'x'.repeat(70_000) });
    expect(await response.json()).toMatchObject({ method, size: 70_000 });
  });

  it('passes status and headers of the answer, without those that tell too much', async () => {
    const response = await call('/agent-v3/created', { method: 'POST', body: '{}' });
    expect(response.status).toBe(202);
    expect(response.headers.get('location')).toBe('/agent-v3/x');
    expect(response.headers.getSetCookie()).toEqual(['a=1', 'b=2']);
    expect(response.headers.has('server')).toBe(false);
  });

  it('answers HEAD without a body', async () => {
    const response = await call('/agent-v3/x', { method: 'HEAD' });
    expect([response.status, await response.text()]).toEqual([200, '']);
  });

  it('hands events on as they come, and tells the service when the reader has left', async () => {
    const controller = new AbortController();
    const response = await call('/agent-v3/events', { signal: controller.signal });
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    const reader = response.body?.getReader();
    const first = await reader?.read();
    expect(new TextDecoder().decode(first?.value as Uint8Array)).toBe('data: first\n\n');
    controller.abort();
    await expect.poll(() => abandoned).toContain('/events');
  });

  it('gives a request up when the client leaves before any answer', async () => {
    const controller = new AbortController();
    const left = call('/agent-v3/never', { signal: controller.signal }).catch(() => 'left');
    await expect.poll(() => arrived).toContain('/never');
    controller.abort();
    expect(await left).toBe('left');
    await expect.poll(() => abandoned).toContain('/never');
  });

  it('lets the caller see that an answer broke off', async () => {
    const response = await call('/agent-v3/cut');
    expect(response.status).toBe(200);
    await expect(response.text()).rejects.toThrow();
  });
});

describe('tokens at the gateway', () => {
  const operations: Operation[] = Object.values(analysisContract.operations);
  const open = operations.filter(
    ({ access, method, standard }) => access === 'public' && method === 'GET' && standard !== true,
  );

  it.each([...open.map(({ path }) => path), '/metrics', '/openapi.json', '/docs/', '/docs/static/x.css'])(
    '%s needs none',
    async (path) => {
      const response = await fetch(`${gateway.url}/agent-v3${path}`);
      expect(response.status).toBe(200);
      expect(await response.json()).toMatchObject({ path: encodeURI(path) });
    },
  );

  it.each(['/health', '/ready', '/v1/info'])('%s is for those who run the service', async (path) => {
    const response = await fetch(`${gateway.url}/agent-v3${path}`);
    expect(await codeOf(response)).toEqual([401, 'token_missing']);
  });

  it('of both realms are accepted', async () => {
    const admin = await tokenOf(place.home, { realm: 'admins', roles: ['admin'] });
    const response = await call('/agent-v3/x', { headers: { authorization: `Bearer ${admin}` } });
    expect(response.status).toBe(200);
  });

  async function forged(alg: string): Promise<string> {
    const [key] = (await loadKeys(place.home, 'clients')).keys;
    const { kty = 'RSA', n = '', e = '', kid = '' } = key ?? {};
    const spki = await exportSPKI((await importJWK({ kty, n, e }, 'RS256', { extractable: true })) as never);
    const claims = { iss: `${PUBLIC_URL}/realms/clients`, aud: 'limpede', sub: 'ana' };
    const secret = alg === 'PEM' ? spki : JSON.stringify({ kty, n, e, kid });
    return new SignJWT(claims)
      .setProtectedHeader({ alg: 'HS256', kid })
      .setExpirationTime('1h')
      .sign(new TextEncoder().encode(secret));
  }

  const unsigned = () => {
    const [, payload] = token.split('.');
    return `${Buffer.from('{"alg":"none"}').toString('base64url')}.${payload}.`;
  };
  const altered = () => {
    const [header, payload = '', signature] = token.split('.');
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as object;
    const raised = { ...claims, realm_access: { roles: ['admin'] } };
    return `${header}.${Buffer.from(JSON.stringify(raised)).toString('base64url')}.${signature}`;
  };

  it.each<[string, () => Promise<string> | string, string]>([
    ['garbage', () => 'garbage', 'token_invalid'],
    ['alg none', unsigned, 'token_invalid'],
    ['HS256 with the public key as PEM', () => forged('PEM'), 'token_invalid'],
    ['HS256 with the public key as JWK', () => forged('JWK'), 'token_invalid'],
    ['an expired one', () => tokenOf(place.home, { lifetime: -1 }), 'token_expired'],
    ['an altered one', altered, 'token_invalid'],
    [
      'one of another issuer',
      async () => {
        const [key] = (await loadKeys(place.home, 'clients')).keys;
        return new SignJWT({ iss: 'https://evil.example', aud: 'limpede', sub: 'ana' })
          .setProtectedHeader({ alg: 'RS256' })
          .setExpirationTime('1h')
          .sign(await importJWK(key ?? {}, 'RS256'));
      },
      'token_invalid',
    ],
    [
      'one of an unknown key',
      async () => {
        const stranger = emptyHome();
        return tokenOf(stranger.home).finally(stranger.remove);
      },
      'token_invalid',
    ],
  ])('%s is refused', async (_name, make, code) => {
    const response = await call('/agent-v3/x', { headers: { authorization: `Bearer ${await make()}` } });
    expect(response.headers.get('www-authenticate')).toContain('Bearer');
    const body = (await response.json()) as Record<string, unknown>;
    expect([response.status, body.success, body.error_code]).toEqual([401, false, code]);
    expect(body.correlation_id).toBe(response.headers.get('x-correlation-id'));
  });

  it('are asked for before the body is read', async () => {
    const bytes =
      'POST /agent-v3/x HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000\r\nExpect: 100-continue\r\n\r\n';
    const answer = await exchangeBytes(gateway.url, bytes, /"correlation_id"/);
    expect(answer).toMatch(/^HTTP\/1\.1 401 /);
    expect(answer).toContain('token_missing');
  });

  it('cannot be replaced by a key that is mistyped, nor come with a key', async () => {
    const response = await fetch(`${gateway.url}/agent-v3/x`, { headers: { 'x-api-key': 'lmp_ext_1' } });
    expect(await codeOf(response)).toEqual([401, 'api_key_invalid']);
    const both = await call('/agent-v3/x', { headers: { 'x-api-key': createApiKey().key } });
    expect(await codeOf(both)).toEqual([400, 'validation_failed']);
  });
});

describe('sizes at the gateway', () => {
  const chunks = (bytes: number) =>
    new ReadableStream({
      start(controller) {
        for (let sent = 0; sent < bytes; sent += 65_536) controller.enqueue(new Uint8Array(65_536));
        controller.close();
      },
    });
  const stream = (path: string, bytes: number) =>
    call(path, { method: 'POST', body: chunks(bytes), duplex: 'half' } as RequestInit);

  it('lets the largest body through, declared or in chunks', async () => {
    const declared = await call('/agent-v3/x', { method: 'POST', body: Buffer.alloc(MIB) });
    expect(await declared.json()).toMatchObject({ size: MIB });
    expect(await (await stream('/agent-v3/x', MIB)).json()).toMatchObject({ size: MIB });
  });

  it.each([MIB + 1, 30 * MIB])('refuses %i bytes that were declared', async (bytes) => {
    const response = await call('/agent-v3/x', { method: 'POST', body: Buffer.alloc(bytes) });
    expect(await codeOf(response)).toEqual([413, 'payload_too_large']);
  });

  it.each([MIB + 65_536, 30 * MIB])('refuses %i bytes that come in chunks', async (bytes) => {
    expect(await codeOf(await stream('/agent-v3/x', bytes))).toEqual([413, 'payload_too_large']);
  });

  it('asks for a body that it is going to take', async () => {
    const head = `POST /agent-v3/x HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\n`;
    const waiting = exchangeBytes(
      gateway.url,
      `${head}Content-Length: 4\r\nExpect: 100-continue\r\n\r\n`,
      /100 Continue/,
    );
    expect(await waiting).toMatch(/^HTTP\/1\.1 100 Continue/);
  });

  it('gives a body up that does not arrive', async () => {
    const impatient = await startGateway(place.home, {
      IDENTITY_URL: identity.url,
      ANALYSIS_URL: analysis.url,
      GATEWAY_BODY_PAUSE_MS: '300',
    });
    const head = `POST /agent-v3/x HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\n`;
    for (const framing of [
      'Content-Length: 10\r\n\r\nabc',
      'Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n',
    ]) {
      const answer = await exchangeBytes(impatient.url, `${head}${framing}`, /"correlation_id"/);
      expect(answer).toMatch(/^HTTP\/1\.1 400 /);
      expect(answer).toContain('did not arrive in time');
    }
    await impatient.close();
  });
});

describe('odd requests', () => {
  const raw = (line: string, headers = '', body = '') =>
    exchangeBytes(
      gateway.url,
      `${line} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAuthorization: Bearer ${token}\r\n${headers}\r\n${body}`,
    );

  it.each([
    ['bad percent-encoding', 'GET /agent-v3/%zz', '', '', 400],
    ['percent-encoding of no UTF-8', 'GET /agent-v3/%ff', '', '', 400],
    ['a NUL in the path', 'GET /agent-v3/%00', '', '', 200],
    ['a path that climbs', 'GET /agent-v3/../realms/clients', '', '', 404],
    ['a path that climbs in disguise', 'GET /agent-v3/%2e%2e/realms', '', '', 404],
    ['an absolute target', 'GET http://evil.example/agent-v3/x', '', '', 200],
    ['an absolute target that climbs', 'GET http://evil.example/agent-v3/../x', '', '', 404],
    ['an asterisk', 'OPTIONS *', '', '', 204],
    ['an unknown path', 'GET /nothing', '', '', 404],
    ['two slashes', 'GET //agent-v3/x', '', '', 404],
    ['an unknown method', 'PROPFIND /agent-v3/x', '', '', 404],
    ['TRACE', 'TRACE /agent-v3/x', '', '', 404],
    ['a method that is none', 'NONSENSE /agent-v3/x', '', '', 400],
    ['huge headers', 'GET /agent-v3/x', `X-Big: ${'x'.repeat(40_000)}\r\n`, '', 431],
    ['a header with control characters', 'GET /agent-v3/x', 'X-Odd: a\x01b\r\n', '', 400],
    ['a header outside of ASCII', 'GET /agent-v3/x', 'X-Odd: \xe9\r\n', '', 200],
    ['garbage for chunks', 'POST /agent-v3/x', 'Transfer-Encoding: chunked\r\n', 'zz\r\nnonsense', 400],
    [
      'a length and chunks',
      'POST /agent-v3/x',
      'Content-Length: 3\r\nTransfer-Encoding: chunked\r\n',
      '0\r\n\r\n',
      400,
    ],
    ['a negative length', 'POST /agent-v3/x', 'Content-Length: -1\r\n', '', 400],
    [
      'a content type that is none',
      'POST /agent-v3/x',
      'Content-Type: ;;;/\r\nContent-Length: 2\r\n',
      '{}',
      400,
    ],
    ['an upgrade', 'GET /agent-v3/x', 'Upgrade: websocket\r\n', '', 200],
    ['a body with GET', 'GET /agent-v3/x', 'Content-Length: 2\r\n', '{}', 200],
    ['a long address', `GET /agent-v3/${'x'.repeat(10_000)}`, '', '', 200],
    ['no HTTP', 'hello', '', '', 400],
  ])('%s', async (_name, line, headers, body, status) => {
    const answer = await raw(line, headers, body);
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    if (status >= 400) {
      expect(answer).toContain('"success":false');
      expect(answer).toMatch(/"correlation_id":"[0-9a-f-]{36}"/);
    }
  });

  it('leave the gateway standing', async () => {
    expect((await call('/agent-v3/x')).status).toBe(200);
  });
});

describe('what the gateway says itself', () => {
  it('lists what is here', async () => {
    const index = await (await fetch(gateway.url)).json();
    expect(index).toMatchObject({
      name: 'Limpede',
      version: '1.2.3',
      links: {
        api: `${PUBLIC_URL}/agent-v3/api/v3`,
        clients_realm: `${PUBLIC_URL}/realms/clients/.well-known/openid-configuration`,
      },
    });
  });

  it('tells the health of what it leads to', async () => {
    const health = await fetch(`${gateway.url}/health`);
    expect(health.status).toBe(200);
    expect(await health.json()).toMatchObject({
      status: 'healthy',
      service: 'gateway',
      checks: { analysis: { status: 'healthy' }, identity: { status: 'healthy' } },
    });
  });

  it('answers browsers of the named origins only', async () => {
    const preflight = (origin: string) =>
      fetch(`${gateway.url}/agent-v3/x`, {
        method: 'OPTIONS',
        headers: { origin, 'access-control-request-method': 'POST' },
      });
    const known = await preflight('chrome-extension://abc');
    expect(known.status).toBe(204);
    expect(known.headers.get('access-control-allow-origin')).toBe('chrome-extension://abc');
    expect((await preflight('https://evil.example')).headers.has('access-control-allow-origin')).toBe(false);
    const answer = await call('/agent-v3/x', { headers: { origin: 'https://app.example' } });
    expect(answer.headers.get('access-control-allow-origin')).toBe('https://app.example');
    expect(answer.headers.get('access-control-expose-headers')).toContain('X-Correlation-Id');
  });

  it('sends readers of the documentation to its folder', async () => {
    const response = await fetch(`${gateway.url}/agent-v3/docs`, { redirect: 'manual' });
    expect([response.status, response.headers.get('location')]).toEqual([308, 'docs/']);
  });

  it('counts what it relays', async () => {
    await call('/agent-v3/x');
    await fetch(`${gateway.url}/agent-v3/x`);
    await expect
      .poll(async () => (await fetch(`${gateway.url}/metrics`)).text())
      .toMatch(/service="gateway",operation="analysis",status="200"} [1-9]/);
    const text = await (await fetch(`${gateway.url}/metrics`)).text();
    expect(text).toMatch(/service="gateway",operation="analysis",status="401"} [1-9]/);
  });

  it('leads to the identity provider without a token', async () => {
    const response = await fetch(`${gateway.url}/realms/clients/auth?x=1`);
    expect(await response.json()).toEqual({ method: 'GET', url: '/realms/clients/auth?x=1' });
  });
});

describe('a service behind that gives no answer', () => {
  const environment = () => ({ IDENTITY_URL: identity.url, GATEWAY_UPSTREAM_TIMEOUT_MS: '150' });

  it.each([
    ['is switched off', { ANALYSIS_URL: 'none' }, '/agent-v3/x'],
    ['is not there', { ANALYSIS_URL: 'http://127.0.0.1:1' }, '/agent-v3/x'],
    ['hangs up', {}, '/agent-v3/reset'],
    ['is too slow', {}, '/agent-v3/never'],
  ])('because it %s: 503 with Retry-After', async (_name, changes, path) => {
    const other = await startGateway(place.home, {
      ...environment(),
      ANALYSIS_URL: analysis.url,
      ...changes,
    });
    const response = await fetch(`${other.url}${path}`, { headers: authorization() });
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await codeOf(response)).toEqual([503, 'service_unavailable']);
    await other.close();
  });

  it('makes the gateway unhealthy when it is analysis, and worse when it is identity', async () => {
    const statusOf = async (changes: Record<string, string>) => {
      const environment = { IDENTITY_URL: identity.url, ANALYSIS_URL: analysis.url, ...changes };
      const other = await startGateway(place.home, environment);
      const response = await fetch(`${other.url}/health`);
      const { status } = (await response.json()) as { status: string };
      await other.close();
      return [response.status, status];
    };
    const away = 'http://127.0.0.1:1';
    expect(await statusOf({ ANALYSIS_URL: away })).toEqual([503, 'unhealthy']);
    expect(await statusOf({ IDENTITY_URL: away })).toEqual([200, 'degraded']);
    expect(await statusOf({ IDENTITY_URL: 'none' })).toEqual([200, 'healthy']);
  });

  it('is an outage, and no bad token, when it holds the keys', async () => {
    const other = await startGateway(place.home, {
      ANALYSIS_URL: analysis.url,
      IDENTITY_URL: 'http://127.0.0.1:1',
    });
    const response = await fetch(`${other.url}/agent-v3/x`, { headers: authorization() });
    expect(await codeOf(response)).toEqual([503, 'service_unavailable']);
    await other.close();
  });
});

describe('rates at the gateway', () => {
  it('are counted by caller, and by address for strangers and refused tokens', async () => {
    const other = await startGateway(place.home, {
      IDENTITY_URL: identity.url,
      ANALYSIS_URL: analysis.url,
      GATEWAY_RATE_LIMIT_RPS: '0.01',
      GATEWAY_RATE_LIMIT_BURST: '2',
      GATEWAY_LOGIN_RATE_LIMIT_RPS: '0.01',
      GATEWAY_LOGIN_RATE_LIMIT_BURST: '1',
    });
    const ask = (path: string, options?: RequestInit) => fetch(`${other.url}${path}`, options);
    const bearer = (text: string) => ({ headers: { authorization: `Bearer ${text}` } });
    const first = await ask('/agent-v3/x', bearer(token));
    expect(first.headers.get('ratelimit-remaining')).toBe('1');
    await ask('/agent-v3/x', bearer(token));
    const third = await ask('/agent-v3/x', bearer(token));
    expect(Number(third.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await codeOf(third)).toEqual([429, 'rate_limited']);
    const somebody = await tokenOf(place.home, { subject: 'ion' });
    expect((await ask('/agent-v3/x', bearer(somebody))).status).toBe(200);
    expect((await ask('/agent-v3/x', bearer('garbage'))).status).toBe(401);
    expect((await ask('/agent-v3/api/v3/health')).status).toBe(200);
    expect((await ask('/agent-v3/x', bearer('garbage'))).status).toBe(429);
    expect((await ask('/agent-v3/api/v3/health')).status).toBe(429);
    const form = { method: 'POST', body: 'x=1' };
    expect((await ask('/realms/clients/token', form)).status).toBe(200);
    expect((await ask('/realms/clients/token', form)).status).toBe(429);
    await other.close();
  });
});

describe('the end of the gateway', () => {
  it('lets a request finish, and cuts event streams', async () => {
    const other = await startGateway(place.home, { IDENTITY_URL: identity.url, ANALYSIS_URL: analysis.url });
    const events = await fetch(`${other.url}/agent-v3/events`, { headers: authorization() });
    const closing = once(other.app.server, 'close');
    await Promise.all([other.close(), expect(events.text()).rejects.toThrow()]);
    await closing;
  });
});
