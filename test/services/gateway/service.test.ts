import { exportSPKI, importJWK, SignJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApiKey } from '../../../src/foundation/api-keys.ts';
import type { Operation } from '../../../src/foundation/contract.ts';
import { analysis as analysisContract } from '../../../src/services/analysis/contract.ts';
import { loadKeys } from '../../../src/services/identity/keys.ts';
import { emptyHome } from '../../foundation/database/engines.ts';
import { exchangeBytes, PUBLIC_URL, startGateway, tokenOf } from './behind.ts';
import { codeOf, startEchoGateway } from './echo-gateway.ts';

const MIB = 1024 * 1024;
let running: Awaited<ReturnType<typeof startEchoGateway>>;
beforeAll(async () => {
  running = await startEchoGateway();
});
afterAll(() => running.close());

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
    const { headers, ...response } = await running.call(path, options).then(async (answer) => {
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
    const response = await running.call('/agent-v3/api/v3/pipeline/history?page=2&q=a%2Fb', {
      headers: { 'x-forwarded-for': '1.1.1.1', 'x-limpede-user': 'root', 'x-correlation-id': 'no-uuid' },
    });
    const echo = (await response.json()) as Echo;
    expect(echo.path).toBe('/api/v3/pipeline/history?page=2&q=a%2Fb');
    expect(echo.headers.authorization).toBe(`Bearer ${running.token}`);
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
    const response = await running.call('/agent-v3/x', { headers: { 'x-correlation-id': id } });
    expect(((await response.json()) as Echo).headers['x-correlation-id']).toBe(id);
  });

  it.each(['POST', 'PUT', 'PATCH', 'DELETE'])('passes the body of a %s', async (method) => {
    const response = await running.call('/agent-v3/x', { method, body: 'x'.repeat(70_000) });
    expect(await response.json()).toMatchObject({ method, size: 70_000 });
  });

  it('passes status and headers of the answer, without those that tell too much', async () => {
    const response = await running.call('/agent-v3/created', { method: 'POST', body: '{}' });
    expect(response.status).toBe(202);
    expect(response.headers.get('location')).toBe('/agent-v3/x');
    expect(response.headers.getSetCookie()).toEqual(['a=1', 'b=2']);
    expect(response.headers.has('server')).toBe(false);
  });

  it('answers HEAD without a body', async () => {
    const response = await running.call('/agent-v3/x', { method: 'HEAD' });
    expect([response.status, await response.text()]).toEqual([200, '']);
  });

  it('hands events on as they come, and tells the service when the reader has left', async () => {
    const controller = new AbortController();
    const response = await running.call('/agent-v3/events', { signal: controller.signal });
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    const reader = response.body?.getReader();
    const first = await reader?.read();
    expect(new TextDecoder().decode(first?.value as Uint8Array)).toBe('data: first\n\n');
    controller.abort();
    await expect.poll(() => running.abandoned).toContain('/events');
  });

  it('gives a request up when the client leaves before any answer', async () => {
    const controller = new AbortController();
    const left = running.call('/agent-v3/never', { signal: controller.signal }).catch(() => 'left');
    await expect.poll(() => running.arrived).toContain('/never');
    controller.abort();
    expect(await left).toBe('left');
    await expect.poll(() => running.abandoned).toContain('/never');
  });

  it('lets the caller see that an answer broke off', async () => {
    const response = await running.call('/agent-v3/cut');
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
      const response = await fetch(`${running.gateway.url}/agent-v3${path}`);
      expect(response.status).toBe(200);
      expect(await response.json()).toMatchObject({ path: encodeURI(path) });
    },
  );

  it.each(['/health', '/ready', '/v1/info'])('%s is for those who run the service', async (path) => {
    const response = await fetch(`${running.gateway.url}/agent-v3${path}`);
    expect(await codeOf(response)).toEqual([401, 'token_missing']);
  });

  it('of both realms are accepted', async () => {
    const admin = await tokenOf(running.home, { realm: 'admins', roles: ['admin'] });
    const response = await running.call('/agent-v3/x', { headers: { authorization: `Bearer ${admin}` } });
    expect(response.status).toBe(200);
  });

  async function forged(alg: string): Promise<string> {
    const [key] = (await loadKeys(running.home, 'clients')).keys;
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
    const [, payload] = running.token.split('.');
    return `${Buffer.from('{"alg":"none"}').toString('base64url')}.${payload}.`;
  };
  const altered = () => {
    const [header, payload = '', signature] = running.token.split('.');
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as object;
    const raised = { ...claims, realm_access: { roles: ['admin'] } };
    return `${header}.${Buffer.from(JSON.stringify(raised)).toString('base64url')}.${signature}`;
  };

  it.each<[string, () => Promise<string> | string, string]>([
    ['garbage', () => 'garbage', 'token_invalid'],
    ['alg none', unsigned, 'token_invalid'],
    ['HS256 with the public key as PEM', () => forged('PEM'), 'token_invalid'],
    ['HS256 with the public key as JWK', () => forged('JWK'), 'token_invalid'],
    ['an expired one', () => tokenOf(running.home, { lifetime: -1 }), 'token_expired'],
    ['an altered one', altered, 'token_invalid'],
    [
      'one of another issuer',
      async () => {
        const [key] = (await loadKeys(running.home, 'clients')).keys;
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
    const response = await running.call('/agent-v3/x', {
      headers: { authorization: `Bearer ${await make()}` },
    });
    expect(response.headers.get('www-authenticate')).toContain('Bearer');
    const body = (await response.json()) as Record<string, unknown>;
    expect([response.status, body.success, body.error_code]).toEqual([401, false, code]);
    expect(body.correlation_id).toBe(response.headers.get('x-correlation-id'));
  });

  it('are asked for before the body is read', async () => {
    const bytes =
      'POST /agent-v3/x HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000\r\nExpect: 100-continue\r\n\r\n';
    const answer = await exchangeBytes(running.gateway.url, bytes, /"correlation_id"/);
    expect(answer).toMatch(/^HTTP\/1\.1 401 /);
    expect(answer).toContain('token_missing');
  });

  it('cannot be replaced by a key that is mistyped, nor come with a key', async () => {
    const response = await fetch(`${running.gateway.url}/agent-v3/x`, {
      headers: { 'x-api-key': 'lmp_ext_1' },
    });
    expect(await codeOf(response)).toEqual([401, 'api_key_invalid']);
    const both = await running.call('/agent-v3/x', { headers: { 'x-api-key': createApiKey().key } });
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
    running.call(path, { method: 'POST', body: chunks(bytes), duplex: 'half' } as RequestInit);

  it('lets the largest body through, declared or in chunks', async () => {
    const declared = await running.call('/agent-v3/x', { method: 'POST', body: Buffer.alloc(MIB) });
    expect(await declared.json()).toMatchObject({ size: MIB });
    expect(await (await stream('/agent-v3/x', MIB)).json()).toMatchObject({ size: MIB });
  });

  it.each([MIB + 1, 30 * MIB])('refuses %i bytes that were declared', async (bytes) => {
    const response = await running.call('/agent-v3/x', { method: 'POST', body: Buffer.alloc(bytes) });
    expect(await codeOf(response)).toEqual([413, 'payload_too_large']);
  });

  it.each([MIB + 65_536, 30 * MIB])('refuses %i bytes that come in chunks', async (bytes) => {
    expect(await codeOf(await stream('/agent-v3/x', bytes))).toEqual([413, 'payload_too_large']);
  });

  it('asks for a body that it is going to take', async () => {
    const head = `POST /agent-v3/x HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${running.token}\r\n`;
    const waiting = exchangeBytes(
      running.gateway.url,
      `${head}Content-Length: 4\r\nExpect: 100-continue\r\n\r\n`,
      /100 Continue/,
    );
    expect(await waiting).toMatch(/^HTTP\/1\.1 100 Continue/);
  });

  it('gives a body up that does not arrive', async () => {
    const impatient = await startGateway(running.home, {
      IDENTITY_URL: running.identity.url,
      ANALYSIS_URL: running.analysis.url,
      GATEWAY_BODY_PAUSE_MS: '300',
    });
    const head = `POST /agent-v3/x HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${running.token}\r\n`;
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
      running.gateway.url,
      `${line} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAuthorization: Bearer ${running.token}\r\n${headers}\r\n${body}`,
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
    expect((await running.call('/agent-v3/x')).status).toBe(200);
  });
});
