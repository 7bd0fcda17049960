import { createHmac, createPublicKey, generateKeyPairSync, type KeyPairKeyObjectResult } from 'node:crypto';
import { connect } from 'node:net';
import { Readable } from 'node:stream';
import { SignJWT } from 'jose';
import { request } from 'undici';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { errorResponse } from '../src/services/analysis/resources/error-response.ts';
import { loadKeys } from '../src/services/identity/keys.ts';
import { REFUSED_BODIES, TEXT } from './platform-input-cases.ts';
import { type Answered, runHere } from './running-platform.ts';

const ANALYZE = '/api/v3/pipeline/analyze';
const MEBIBYTE = 1024 * 1024;

let platform: Awaited<ReturnType<typeof runHere>>;
let token: string;
beforeAll(async () => {
  platform = await runHere();
  token = await platform.token({ user: 'ana' });
});
afterAll(() => platform?.stop());

function expectRefused(answered: Answered, status: number, code: string): void {
  expect([answered.status, answered.body?.error_code], answered.text.slice(0, 300)).toEqual([status, code]);
  const parsed = errorResponse.parse(answered.body);
  expect(answered.headers.get('x-correlation-id')).toBe(parsed.correlation_id);
}

const DOORS = [
  ['through the gateway', false],
  ['straight at the analysis', true],
] as const;

describe.each(DOORS)('%s', (_name, inside) => {
  const analyze = (body: unknown, headers: Record<string, string> = {}) =>
    platform.ask(ANALYZE, { token, body, headers, inside });
  const get = (path: string, method = 'GET') => platform.ask(path, { token, inside, method });

  it.each(REFUSED_BODIES)('refuses %s', async (_case, body, code) => {
    expectRefused(await analyze(body), 400, code);
  });

  it('names the place of each mistake', async () => {
    const refused = await analyze({ media_type: 'text', text: 5, plan_type: 9, components: ['x'] });
    const paths = refused.body.details.map(({ path }: { path: string }) => path);
    expect(paths).toEqual(expect.arrayContaining(['body.text', 'body.plan_type', 'body.components.0']));
  });

  it.each([
    ['20 characters', { media_type: 'text', text: 'x'.repeat(20) }],
    ['20 emoji', { media_type: 'text', text: '😀'.repeat(20) }],
    ['50000 characters', { media_type: 'text', text: 'ușă '.repeat(12_500) }],
    ['50000 emoji', { media_type: 'text', text: '😀'.repeat(50_000) }],
    ['fields that nobody knows', { media_type: 'text', text: TEXT, colour: { deep: [1] } }],
    [
      'names of the language itself',
      `{"media_type":"text","text":"${TEXT}","__proto__":{"a":1},"constructor":"x"}`,
    ],
    ['control characters', { media_type: 'text', text: `${TEXT}\u0001\u001b[31m\u007f\u200f\u202e` }],
    ['plan 6', { media_type: 'text', text: TEXT, plan_type: 6 }],
  ])('takes %s', async (_case, body) => {
    const answered = await analyze(body);
    expect([answered.status, answered.body.data?.status], answered.text.slice(0, 300)).toEqual([
      200,
      'completed',
    ]);
  });

  it.each([
    'application/json',
    'application/json; charset=utf-8',
    'Application/JSON',
    'application/problem+json',
  ])('reads JSON that is called %s', async (type) => {
    const answered = await analyze({ media_type: 'text', text: TEXT }, { 'content-type': type });
    expect(answered.status, answered.text).toBe(200);
  });

  it.each([
    'text/plain',
    'application/xml',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/json; charset=utf-16',
  ])('refuses JSON that is called %s, which any web page could send', async (type) => {
    expectRefused(
      await analyze({ media_type: 'text', text: TEXT }, { 'content-type': type }),
      400,
      'validation_failed',
    );
  });

  it.each([
    ['GET', '/api/v3/nothing', 404, 'not_found'],
    ['GET', ANALYZE, 405, 'method_not_allowed'],
    ['DELETE', ANALYZE, 405, 'method_not_allowed'],
    ['PATCH', ANALYZE, 405, 'method_not_allowed'],
    ['PUT', '/api/v3/pipeline/history', 405, 'method_not_allowed'],
    ['OPTIONS', '/api/v3/pipeline/history', 404, 'not_found'],
    ['GET', '/api/v3/pipeline/history/', 404, 'not_found'],
    ['GET', '//api/v3/health', 404, 'not_found'],
    ['GET', '/api/v3/pipeline/../../../etc/passwd%00', 404, 'not_found'],
    ['GET', `/api/v3/pipeline/sessions/${'x'.repeat(3000)}`, 404, 'not_found'],
    ['GET', '/api/v3/pipeline/sessions/abc', 404, 'session_not_found'],
    ['GET', '/api/v3/pipeline/sessions/%00', 404, 'session_not_found'],
    ['GET', "/api/v3/pipeline/sessions/'%20or%201=1--", 404, 'session_not_found'],
    ['GET', '/api/v3/pipeline/sessions/6f1c1f0e-6f1c-4f0e-8f1c-1f0e6f1c1f0e', 404, 'session_not_found'],
    ['GET', '/api/v3/pipeline/results/x', 404, 'session_not_found'],
    ['GET', '/api/v3/pipeline/sessions/x/status', 404, 'session_not_found'],
    ['DELETE', '/api/v3/pipeline/sessions/x', 404, 'session_not_found'],
    ['GET', '/api/v3/pipeline/sessions/x?include=magic', 400, 'validation_failed'],
    ['GET', '/api/v3/pipeline/history?page=0', 400, 'validation_failed'],
    ['GET', '/api/v3/pipeline/history?page=1e9', 400, 'validation_failed'],
    ['GET', '/api/v3/pipeline/history?page=1&page=2', 400, 'validation_failed'],
    ['GET', '/api/v3/pipeline/history?limit=101', 400, 'validation_failed'],
    ['GET', '/api/v3/pipeline/history?limit=NaN', 400, 'validation_failed'],
    ['GET', '/api/v3/pipeline/history?status=dead', 400, 'validation_failed'],
    ['GET', '/api/v3/pipeline/history?sort=drop', 400, 'validation_failed'],
    ['GET', '/api/v3/pipeline/history?from=2026-02-30', 400, 'validation_failed'],
    ['GET', '/api/v3/pipeline/history?q=%00', 400, 'validation_failed'],
    ['GET', `/api/v3/pipeline/history?q=${'x'.repeat(201)}`, 400, 'validation_failed'],
    ['GET', '/api/v3/%zz', 400, 'validation_failed'],
  ])('answers %s %.70s with %i %s', async (method, path, status, code) => {
    const answered = await get(path, method);
    expectRefused(answered, status, code);
    expect(answered.text.length).toBeLessThan(1000);
  });

  it.each([
    'history?q=%25',
    'history?q=%5C',
    'history?q=%ff',
    'history?from=0001-01-01&to=9999-12-31',
    'history?user_id=ana',
  ])('answers %s with a list', async (path) => {
    const answered = await get(`/api/v3/pipeline/${path}`);
    expect([answered.status, answered.body.success]).toEqual([200, true]);
  });

  it.each([
    ['with its length', true],
    ['in chunks', false],
  ])('refuses 30 MB %s, from a stranger too', async (_case, sized) => {
    const part = Buffer.alloc(MEBIBYTE, 'x');
    const base = inside ? platform.inside : platform.outside;
    for (const [headers, expected] of [
      [{ authorization: `Bearer ${token}` }, [413, 'payload_too_large']],
      [{}, [401, 'token_missing']],
    ] as const) {
      const sent = request(base + ANALYZE, {
        method: 'POST',
        headers: { ...headers, ...(sized && { 'content-length': String(30 * MEBIBYTE) }) },
        body: Readable.from(Array.from({ length: 30 }, () => part)),
      });
      const { statusCode, body } = await sent;
      const parsed = errorResponse.parse(await body.json());
      expect([statusCode, parsed.error_code]).toEqual(expected);
    }
  });

  it('refuses what is no HTTP in the same shape', async () => {
    const { port } = new URL(inside ? platform.inside : platform.outside);
    const tell = (bytes: string) =>
      new Promise<string>((resolve, reject) => {
        let answered = '';
        const socket = connect(Number(port), '127.0.0.1', () => socket.write(bytes));
        socket.on('data', (data) => {
          answered += data.toString();
        });
        socket.on('close', () => resolve(answered)).on('error', reject);
        socket.setTimeout(10_000, () => socket.destroy(new Error('no answer')));
      });
    const cases = [
      ['HELLO\r\n\r\n', 400],
      ['GET / HTTP/9.9\r\n\r\n', 400],
      [`GET / HTTP/1.1\r\nhost: localhost\r\nx: ${'y'.repeat(40_000)}\r\n\r\n`, 431],
      ['POST / HTTP/1.1\r\nhost: localhost\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n', 400],
      ['POST / HTTP/1.1\r\nhost: localhost\r\ncontent-length: -5\r\n\r\n', 400],
    ] as const;
    for (const [bytes, status] of cases) {
      const [head = '', body = ''] = (await tell(bytes)).split('\r\n\r\n');
      expect(head.split(' ')[1], bytes.slice(0, 60)).toBe(String(status));
      errorResponse.parse(JSON.parse(body));
    }
  });

  it('still answers afterwards', async () => {
    const answered = await analyze({ media_type: 'text', text: TEXT });
    expect([answered.status, answered.body.data.status]).toEqual([200, 'completed']);
  });
});

let made: KeyPairKeyObjectResult | undefined;
/** Keys that the platform does not know; made once, for it takes a second. */
function foreignKeys(): KeyPairKeyObjectResult {
  made ??= generateKeyPairSync('rsa', { modulusLength: 2048 });
  return made;
}

describe.each(DOORS)('tokens %s', (_name, inside) => {
  const use = (given: string | undefined, headers: Record<string, string> = {}) =>
    platform.ask('/api/v3/pipeline/history', { token: given, headers, inside });
  const claims = () => {
    const now = Math.floor(Date.now() / 1000);
    const iss = `${platform.environment.LIMPEDE_PUBLIC_URL}/realms/clients`;
    return {
      iss,
      aud: 'limpede',
      sub: 'ana',
      iat: now,
      nbf: now,
      exp: now + 600,
      realm_access: { roles: ['user'] },
    };
  };
  const publicKey = async () => {
    const response = await fetch(`${platform.environment.LIMPEDE_PUBLIC_URL}/realms/clients/jwks`);
    const { keys } = (await response.json()) as { keys: Record<string, string>[] };
    return keys[0] ?? {};
  };
  const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');
  const signed = async (changes: object, header: object = {}) => {
    const [own] = (await loadKeys(String(platform.environment.LIMPEDE_HOME), 'clients')).keys;
    if (own === undefined) throw new Error('the provider has no key');
    const payload = { ...claims(), ...changes };
    return new SignJWT(payload)
      .setProtectedHeader({ alg: 'RS256', kid: String(own.kid), ...header })
      .sign(own);
  };

  it('are taken when they are what they should be', async () => {
    expect((await use(await signed({}))).status).toBe(200);
  });

  it.each<[string, object, string]>([
    ['that have expired', { exp: 1_700_000_000 }, 'token_expired'],
    ['that are not valid yet', { nbf: Math.floor(Date.now() / 1000) + 3600 }, 'token_invalid'],
    ['of another issuer', { iss: 'https://elsewhere.example/realms/clients' }, 'token_invalid'],
    ['for another audience', { aud: 'somebody-else' }, 'token_invalid'],
    ['without a subject', { sub: undefined }, 'token_invalid'],
    ['without an end', { exp: undefined }, 'token_invalid'],
  ])('%s are refused', async (_case, changes, code) => {
    expectRefused(await use(await signed(changes)), 401, code);
  });

  it('that the keys of one realm signed for the other are refused', async () => {
    const iss = `${platform.environment.LIMPEDE_PUBLIC_URL}/realms/admins`;
    const raised = await signed({ iss, realm_access: { roles: ['admin'] } });
    expectRefused(await use(raised), 401, 'token_invalid');
  });

  it('in the address are not looked at', async () => {
    const good = await signed({});
    const answered = await platform.ask(`/api/v3/pipeline/history?access_token=${good}`, { inside });
    expectRefused(answered, 401, 'token_missing');
  });

  it('without a signature are refused', async () => {
    for (const alg of ['none', 'None', 'nOnE'])
      expectRefused(await use(`${encode({ alg, typ: 'JWT' })}.${encode(claims())}.`), 401, 'token_invalid');
  });

  it('signed with the public key as a secret are refused', async () => {
    const jwk = await publicKey();
    const key = createPublicKey({ key: jwk as never, format: 'jwk' });
    const pem = key.export({ type: 'spki', format: 'pem' });
    const der = key.export({ type: 'spki', format: 'der' });
    for (const secret of [pem, String(pem).trim(), der, JSON.stringify(jwk), String(jwk.n)]) {
      const content = `${encode({ alg: 'HS256', kid: jwk.kid })}.${encode(claims())}`;
      const signature = createHmac('sha256', secret).update(content).digest('base64url');
      expectRefused(await use(`${content}.${signature}`), 401, 'token_invalid');
    }
  });

  it('that bring their own key are refused', async () => {
    const { privateKey, publicKey: own } = foreignKeys();
    const jwk = { ...own.export({ format: 'jwk' }), kid: 'mine' };
    for (const header of [
      { jwk },
      { jku: 'http://127.0.0.1:1/keys' },
      { kid: String((await publicKey()).kid) },
    ]) {
      const forged = await new SignJWT(claims())
        .setProtectedHeader({ alg: 'RS256', kid: 'mine', ...(header as object) })
        .sign(privateKey);
      expectRefused(await use(forged), 401, 'token_invalid');
    }
  });

  it('altered in one letter are refused', async () => {
    const [header, payload, signature = ''] = (await signed({})).split('.');
    const raised = encode({ ...claims(), sub: 'admin', realm_access: { roles: ['admin'] } });
    expectRefused(await use(`${header}.${raised}.${signature}`), 401, 'token_invalid');
    const other = signature.startsWith('A') ? 'B' : 'A';
    expectRefused(await use(`${header}.${payload}.${other}${signature.slice(1)}`), 401, 'token_invalid');
    expectRefused(await use(`${header}.${payload}.`), 401, 'token_invalid');
  });

  it.each(['garbage', 'a.b.c', '..', 'x'.repeat(6000), 'eyJhbGciOiJSUzI1NiJ9.bnVsbA.x'])(
    'that are none (%#) are refused',
    async (given) => {
      expectRefused(await use(given), 401, 'token_invalid');
    },
  );

  it.each<[string, Record<string, string>, string]>([
    ['nothing', {}, 'token_missing'],
    ['another scheme', { authorization: 'Basic YTpi' }, 'token_missing'],
    ['a bearer of nothing', { authorization: 'Bearer ' }, 'token_missing'],
    ['an extension key of nobody', { 'x-api-key': 'lmp_ext_nobody' }, 'api_key_invalid'],
  ])('are asked for when there is %s', async (_case, headers, code) => {
    expectRefused(await use(undefined, headers), 401, code);
  });
});
