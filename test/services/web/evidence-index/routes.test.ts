import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Registry } from 'prom-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type BuiltService, buildService } from '../../../../src/foundation/service.ts';
import { parseSettings, readSettings } from '../../../../src/foundation/settings.ts';
import { operatorTokenFile } from '../../../../src/services/web/authenticate.ts';
import { web } from '../../../../src/services/web/contract.ts';
import type { Extractor } from '../../../../src/services/web/extract/extractor.ts';
import { webService } from '../../../../src/services/web/service.ts';
import { webSettings } from '../../../../src/services/web/settings.ts';
import { forEachEngine, silent } from '../../../foundation/database/engines.ts';
import { until } from '../../../patience.ts';

const ANA = 'ana-0123456789abcdef';
const ION = 'ion-0123456789abcdef';
const article = `<!doctype html><html lang="ro"><head><title>Podul</title></head><body><article><h1>Podul</h1>${'<p>Podul a fost închis pentru reparații, iar șoferii ocolesc prin orașul vechi, spune primăria.</p>'.repeat(8)}</article></body></html>`;

forEachEngine((engine) => {
  const home = mkdtempSync(join(tmpdir(), 'limpede-web-'));
  let built: BuiltService<object>;
  let site: Server;
  let address: string;

  beforeAll(async () => {
    site = createServer((request, response) =>
      request.url === '/podul'
        ? response.writeHead(200, { 'content-type': 'text/html' }).end(article)
        : response.writeHead(404).end(),
    );
    await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
    address = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
    const settings = parseSettings(webSettings, {
      WEB_CHROMIUM: 'none',
      WEB_OPERATOR_TOKENS: `ana:${ANA},ion:${ION}`,
      WEB_STARTER_SET: 'false',
      EMBEDDINGS_URL: 'none',
      WEB_ALLOWED_PRIVATE_HOSTS: new URL(address).host,
    });
    const platform = {
      home,
      version: '9.9.9',
      publicUrl: 'http://127.0.0.1:8080',
      log: silent,
      metrics: new Registry(),
      database: async () => engine.database(),
    };
    built = await buildService(webService, settings, platform);
    await built.begin();
    await until(async () => (await call('GET', '/v1/evidence', ANA)).status === 200);
  });
  afterAll(async () => {
    await built.close();
    await new Promise((resolve) => site.close(resolve));
    rmSync(home, { recursive: true });
  });

  async function call(method: 'GET' | 'POST', url: string, token?: string, payload?: unknown) {
    const headers = {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(payload !== undefined && { 'content-type': 'application/json' }),
    };
    const body = payload === undefined ? {} : { payload: JSON.stringify(payload) };
    const reply = await built.app.inject({ method, url, headers, ...body });
    return { status: reply.statusCode, body: reply.json() };
  }
  const text = {
    kind: 'document',
    key: 'a',
    url: null,
    title: 'A',
    publisher: null,
    language: null,
    published_at: null,
    text: 'Some words.',
  };

  it.each([
    ['POST', '/v1/evidence/entries', { origin: 'x', entries: [text] }],
    ['GET', '/v1/evidence', undefined],
    ['POST', '/v1/evidence/remove', { origin: 'x' }],
  ] as const)('%s %s is for operators alone', async (method, url, payload) => {
    for (const token of [undefined, 'somebody-0123456789'])
      expect(await call(method, url, token, payload)).toMatchObject({
        status: 403,
        body: { detail: { error: 'forbidden_role', provider: null } },
      });
  });

  it('imports documents and pages, and tells which pages gave nothing', async () => {
    const entries = [
      text,
      { kind: 'page', key: 'podul', url: `${address}/podul` },
      { kind: 'page', key: 'gone', url: `${address}/gone` },
      { kind: 'page', key: 'private', url: 'http://127.0.0.2:1/secret' },
    ];
    const stored = await call('POST', '/v1/evidence/entries', ANA, { origin: 'mixed', entries });
    expect(stored).toMatchObject({ status: 200, body: { added: 2, changed: 0, unchanged: 0 } });
    const answer = web.operations.importEvidence.answer.parse(stored.body);
    expect(answer.failed.map(({ key }) => key)).toEqual(['gone', 'private']);
    const { body } = await call('GET', '/v1/evidence', ION);
    expect(body).toMatchObject({
      origins: [{ operator: 'ana', origin: 'mixed', documents: 2, claims: 0 }],
      statistics: { documents: 2, claims: 0 },
    });
  });

  it('lets operators remove their own, and the one at the machine everything', async () => {
    expect((await call('POST', '/v1/evidence/remove', ION, { origin: 'mixed' })).body).toEqual({
      removed_documents: 0,
      removed_claims: 0,
    });
    const file = operatorTokenFile(home);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const local = readFileSync(file, 'utf8');
    expect((await call('POST', '/v1/evidence/remove', local, { origin: 'mixed' })).body).toEqual({
      removed_documents: 2,
      removed_claims: 0,
    });
  });

  it.each<[string, unknown]>([
    ['no entries', { origin: 'x', entries: [] }],
    ['too many entries', { origin: 'x', entries: Array.from({ length: 101 }, () => text) }],
    ['an address that is none', { origin: 'x', entries: [{ ...text, url: 'file:///etc/passwd' }] }],
    ['an unknown field', { origin: 'x', entries: [{ ...text, trust: 1 }] }],
    ['no origin', { entries: [text] }],
  ])('refuses %s', async (_name, payload) => {
    expect(await call('POST', '/v1/evidence/entries', ANA, payload)).toMatchObject({
      status: 422,
      body: { detail: { error: 'validation_error' } },
    });
  });

  it('refuses to remove by nothing, or by two things', async () => {
    for (const payload of [{}, { origin: 'x', url: 'https://a.example/' }])
      expect((await call('POST', '/v1/evidence/remove', ANA, payload)).status).toBe(422);
  });
});

describe('WEB_OPERATOR_TOKENS', () => {
  it.each(['ana', 'ana:short', 'local:0123456789abcdef', 'limpede:0123456789abcdef', ':0123456789abcdef'])(
    'refuses %s',
    (value) => {
      expect(readSettings(webSettings, { WEB_OPERATOR_TOKENS: value })).toMatchObject({
        problems: [expect.stringMatching(/^WEB_OPERATOR_TOKENS/)],
      });
    },
  );
});

describe('a database that does not answer', () => {
  it('leaves the service without an index, and it says so', async () => {
    const home = mkdtempSync(join(tmpdir(), 'limpede-web-'));
    const settings = parseSettings(webSettings, { EMBEDDINGS_URL: 'none' });
    const platform = {
      home,
      version: '9.9.9',
      publicUrl: 'http://127.0.0.1:8080',
      log: silent,
      metrics: new Registry(),
      database: () => Promise.reject(new Error('the database is away')),
    };
    const extractor: Extractor = {
      extract: () => Promise.reject(new Error('no page is read')),
      probe: async () => {},
      close: async () => {},
    };
    const built = await buildService(webService, settings, platform, { extractor });
    await built.begin();
    const token = readFileSync(operatorTokenFile(home), 'utf8');
    const reply = await built.app.inject({
      url: '/v1/evidence',
      headers: { authorization: `Bearer ${token}` },
    });
    expect(reply.statusCode).toBe(503);
    expect(reply.headers['retry-after']).toBe('5');
    expect((await built.app.inject({ url: '/ready' })).statusCode).toBe(200);
    await built.close();
    rmSync(home, { recursive: true });
  });
});
