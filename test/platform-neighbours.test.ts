import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runHere } from './running-platform.ts';

// Each row of section D of the services' specification that has paths and fields, asked over HTTP at the port of the service in a whole platform.
// Shapes are written out here: the services' own contracts cannot fail themselves.

let platform: Awaited<ReturnType<typeof runHere>>;
let staff: string;
let reader: string;
beforeAll(async () => {
  platform = await runHere();
  staff = await platform.token({ realm: 'admins', role: 'admin' });
  reader = await platform.token();
});
afterAll(() => platform.stop());

interface Call {
  readonly method?: string;
  readonly body?: unknown;
  readonly token?: string;
}

async function call(service: string, path: string, { method, body, token }: Call = {}) {
  const port = platform.environment[`${service.toUpperCase()}_PORT`];
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    headers: {
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    body: text === '' ? undefined : JSON.parse(text),
  };
}

const STATUS = expect.stringMatching(/^(?:healthy|degraded|unhealthy)$/);
const text = expect.any(String);
const number = expect.any(Number);

describe('health, readiness and what a service tells of itself', () => {
  const all = ['catalogue', 'embeddings', 'reranking', 'brain', 'dashboard', 'domain_check', 'identity'];

  it.each(all)('of %s', async (service) => {
    expect(await call(service, '/health')).toMatchObject({ status: 200, body: { status: STATUS } });
    expect(await call(service, '/ready')).toMatchObject({ status: 200, body: { ready: true } });
    const info = await call(service, '/v1/info');
    expect(info.body).toMatchObject({ resource: { name: text, version: text }, models: expect.any(Array) });
    expect(info.body.functions.length).toBeGreaterThan(0);
  });

  it.each(all)('of %s: a path or a method that is not there is an error in words', async (service) => {
    for (const one of [
      await call(service, '/v1/nothing'),
      await call(service, '/v1/info', { method: 'DELETE' }),
    ]) {
      expect([404, 405]).toContain(one.status);
      expect(one.body).toEqual(expect.any(Object));
    }
  });
});

describe('the catalogue', () => {
  it('tells the state of every service', async () => {
    const { status, body } = await call('catalogue', '/v1/status');
    expect([status, body.success]).toEqual([200, true]);
    const names = body.data.services.map(({ name }: { name: string }) => name);
    expect(names).toEqual(expect.arrayContaining(['gateway', 'analysis', 'web', 'brain', 'embeddings']));
    for (const one of body.data.services) {
      expect(one).toMatchObject({ name: text, models: expect.any(Array), functions: expect.any(Array) });
      expect(one).toMatchObject({ depends_on: expect.any(Array) });
      expect(['healthy', 'degraded', 'unhealthy', 'unreachable', 'off']).toContain(one.status);
      for (const key of ['latency_ms', 'version', 'last_change']) expect(one).toHaveProperty(key);
    }
  });
});

describe.each(['embeddings', 'reranking'])('%s', (service) => {
  it('lists its models and backends', async () => {
    const models = await call(service, '/v1/models');
    expect(models).toMatchObject({ status: 200, body: { object: 'list' } });
    expect(models.body.data[0]).toMatchObject({ id: text, backend: text });
    const backends = await call(service, '/v1/backends');
    expect(backends.status).toBe(200);
    expect(backends.body.backends).toContain(models.body.data[0].backend);
  });
});

describe('embeddings', () => {
  const model = async () =>
    (await call('embeddings', '/v1/models')).body.data[0] as { id: string; dimensions: number };

  it('makes vectors of length 1, cut and scaled where dimensions are asked for', async () => {
    const { id, dimensions } = await model();
    const whole = await call('embeddings', '/v1/embeddings', {
      body: { model: id, input: ['A bridge.', 'Un pod.'] },
    });
    expect(whole).toMatchObject({ status: 200, body: { object: 'list', model: text } });
    expect(whole.body.data.map(({ index }: { index: number }) => index)).toEqual([0, 1]);
    expect(whole.body.data[0].embedding).toHaveLength(dimensions);
    expect(whole.body.usage).toMatchObject({ prompt_tokens: number, total_tokens: number });
    for (const wanted of [1, 8, dimensions]) {
      const cut = await call('embeddings', '/v1/embeddings', {
        body: { model: id, input: ['A bridge.'], dimensions: wanted },
      });
      const vector: number[] = cut.body.data[0].embedding;
      expect(vector).toHaveLength(wanted);
      expect(Math.hypot(...vector)).toBeCloseTo(1, 3);
    }
  });

  it('gives base64 as little-endian 32-bit floats', async () => {
    const { id } = await model();
    const body = { model: id, input: ['A bridge.'] };
    const plain = await call('embeddings', '/v1/embeddings', { body });
    const packed = await call('embeddings', '/v1/embeddings', {
      body: { ...body, encoding_format: 'base64' },
    });
    const bytes = Buffer.from(packed.body.data[0].embedding, 'base64');
    expect(bytes.readFloatLE(0)).toBeCloseTo(plain.body.data[0].embedding[0], 5);
    expect(bytes).toHaveLength(4 * plain.body.data[0].embedding.length);
  });

  it.each<[string, Record<string, unknown>]>([
    ['no input', { input: undefined }],
    ['an empty list', { input: [] }],
    ['an empty text', { input: [' '] }],
    ['no model', { model: undefined }],
    ['no dimensions', { dimensions: 0 }],
    ['more dimensions than the model has', { dimensions: 100_000 }],
    ['an unknown format', { encoding_format: 'hex' }],
  ])('refuses %s with what is wrong', async (_name, wrong) => {
    const { id } = await model();
    const answer = await call('embeddings', '/v1/embeddings', {
      body: { model: id, input: ['A bridge.'], ...wrong },
    });
    expect(answer.status).toBe(422);
    expect(answer.body.detail[0]).toMatchObject({ type: text, loc: expect.any(Array), msg: text });
  });
});

describe.each(['/v1/rerank', '/v2/rerank'])('reranking at %s', (path) => {
  const documents = ['Handball news from the cup.', 'The Charles IV bridge was closed in May 2024.'];
  const ask = (more: Record<string, unknown> = {}) =>
    call('reranking', path, { body: { query: 'When was the bridge closed?', documents, ...more } });

  it('puts documents in order', async () => {
    const models = await call('reranking', '/v1/models');
    const { status, body } = await ask({ model: models.body.data[0].id });
    expect(status).toBe(200);
    expect(body.results.map(({ index }: { index: number }) => index)).toEqual([1, 0]);
    for (const { relevance_score: score } of body.results) {
      expect(score).toBeGreaterThanOrEqual(0);
      expect(score).toBeLessThanOrEqual(1);
    }
    expect((await ask({ top_n: 1 })).body.results).toHaveLength(1);
  });

  it.each<[string, Record<string, unknown>]>([
    ['no query', { query: undefined }],
    ['an empty query', { query: ' ' }],
    ['no documents', { documents: [] }],
    ['too many documents', { documents: Array.from({ length: 1001 }, () => 'a') }],
    ['no results', { top_n: 0 }],
  ])('refuses %s with what is wrong', async (_name, wrong) => {
    const answer = await ask(wrong);
    expect(answer.status).toBe(422);
    expect(answer.body.detail[0]).toMatchObject({ type: text, loc: expect.any(Array), msg: text });
  });
});

describe('the verification cache', () => {
  it('says whether it knew a claim, what is due, and forgets', async () => {
    const claim = 'Vaccines cause autism.';
    const first = await call('brain', '/v1/gather', { body: { claim, timeout_seconds: 30 } });
    expect(first).toMatchObject({ status: 200, body: { brain_meta: { cache_status: 'miss' } } });
    const again = await call('brain', '/v1/gather', { body: { claim, timeout_seconds: 30 } });
    expect(again.body.brain_meta).toMatchObject({ cache_status: 'hit', similarity: 1, fact_id: text });
    const due = await call('brain', '/v1/fact_status/due_for_recheck');
    // What was checked just now is not due.
    expect(due).toMatchObject({ status: 200, body: { facts: [], total: 0 } });
    const body = { claim, reason: 'a test' };
    expect(await call('brain', '/v1/cache/invalidate', { body })).toMatchObject({ status: 200 });
    expect((await call('brain', '/v1/cache/invalidate', { body: { reason: 'of nothing' } })).status).toBe(
      422,
    );
  });
});

describe('the dashboard', () => {
  const KEY = 'web.host_rate_rps';

  it('shows the use of text models and the values that staff may change', async () => {
    const stats = await call('dashboard', '/api/stats/providers', { token: staff });
    expect(stats).toMatchObject({ status: 200, body: { success: true, data: { items: [], series: [] } } });
    const { status, body } = await call('dashboard', '/api/config/schema', { token: staff });
    expect(status).toBe(200);
    const { properties } = body.data ?? body;
    expect(Object.keys(properties)).toContain(KEY);
    for (const one of Object.values(properties)) {
      expect(one).toMatchObject({ description_en: text, description_ro: text, secret: expect.any(Boolean) });
      for (const key of ['default', 'current', 'requires_restart']) expect(one).toHaveProperty(key);
    }
  });

  it('changes a value for admins alone, refuses bad ones, and tells who did it', async () => {
    const path = `/api/config/${KEY}`;
    const put = (value: unknown, token?: string) =>
      call('dashboard', path, { method: 'PUT', body: { value }, ...(token !== undefined && { token }) });
    const moderator = await platform.token({ realm: 'admins', role: 'moderator' });
    expect((await put(6)).status).toBe(401);
    expect((await put(6, reader)).status).toBeOneOf([401, 403]);
    expect((await put(6, moderator)).status).toBe(403);
    expect((await put('many', staff)).status).toBe(422);
    expect((await put(-1, staff)).status).toBe(422);
    expect(await put(6, staff)).toMatchObject({ status: 200 });
    const unknown = await call('dashboard', '/api/config/no.such', {
      method: 'PUT',
      body: { value: 1 },
      token: staff,
    });
    expect(unknown.status).toBe(404);
    const audit = await call('dashboard', `/audit?key=${KEY}&limit=1`, { token: staff });
    expect(audit.status).toBe(200);
    const rows = audit.body.data.items ?? audit.body.data.rows ?? audit.body.data;
    expect(rows[0]).toMatchObject({ key: KEY, new: 6, actor: text, at: text });
    expect(rows[0]).toHaveProperty('old');
    for (const query of ['limit=0', 'limit=101', 'page=0', 'from=yesterday'])
      expect((await call('dashboard', `/audit?${query}`, { token: staff })).status).toBe(422);
    expect((await call('dashboard', '/audit')).status).toBe(401);
  });
});

describe('the domain check', () => {
  const check = (body: unknown) => call('domain_check', '/api/v1/check/check', { body });

  it('judges a domain', async () => {
    const { status, body } = await check({ url: 'https://www.reuters.com/world' });
    expect(status).toBe(200);
    const record = body.data ?? body;
    expect(record).toMatchObject({ domain: 'reuters.com', verdict: text, risk_level: text });
    for (const key of [
      'trust_score',
      'age_days',
      'is_blacklisted',
      'has_ssl',
      'ssl_valid',
      'red_flags',
      'warnings',
    ])
      expect(record).toHaveProperty(key);
    expect(record.trust_score).toBeGreaterThanOrEqual(0);
    expect(record.trust_score).toBeLessThanOrEqual(100);
    expect((await check({ domain: 'reuters.com' })).status).toBe(200);
  });

  it.each([[{}], [{ url: '' }], [{ url: 'ftp://a.example/' }], [{ domain: 5 }], [{ url: 'a'.repeat(8193) }]])(
    'refuses %j',
    async (body) => {
      expect((await check(body)).status).toBe(422);
    },
  );
});

describe('identity', () => {
  it.each(['clients', 'admins'])('publishes the realm %s, as OpenID Connect wants it', async (realm) => {
    const discovery = await fetch(
      `${platform.environment.LIMPEDE_PUBLIC_URL}/realms/${realm}/.well-known/openid-configuration`,
    );
    expect(discovery.status).toBe(200);
    const body = (await discovery.json()) as Record<string, string>;
    expect(body).toMatchObject({ authorization_endpoint: text, token_endpoint: text, jwks_uri: text });
    expect(body.issuer).toBe(`${platform.environment.LIMPEDE_PUBLIC_URL}/realms/${realm}`);
    const keys = (await (await fetch(body.jwks_uri ?? '')).json()) as { keys: object[] };
    expect(keys.keys.length).toBeGreaterThan(0);
    for (const key of keys.keys) expect(key).not.toHaveProperty('d');
  });
});
