import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Registry } from 'prom-client';
import { describe, expect, it } from 'vitest';
import { type BuiltService, buildService } from '../../../../src/foundation/service.ts';
import { parseSettings } from '../../../../src/foundation/settings.ts';
import { webService } from '../../../../src/services/web/service.ts';
import { webSettings } from '../../../../src/services/web/settings.ts';
import { silent } from '../../../foundation/database/engines.ts';

describe('with everything down', () => {
  const build = (environment: Record<string, string>, home: string) =>
    buildService(
      webService,
      parseSettings(webSettings, {
        WEB_CHROMIUM: 'none',
        EMBEDDINGS_URL: 'http://127.0.0.1:9',
        DOMAIN_CHECK_URL: 'http://127.0.0.1:9',
        ...environment,
      }),
      {
        home,
        version: '9.9.9',
        publicUrl: 'http://127.0.0.1:8080',
        log: silent,
        metrics: new Registry(),
        database: () => Promise.reject(new Error('away')),
      },
    );
  const post = async (built: BuiltService<object>, url: string, payload: unknown) => {
    const reply = await built.app.inject({
      method: 'POST',
      url,
      headers: { 'content-type': 'application/json' },
      payload: JSON.stringify(payload),
    });
    return { status: reply.statusCode, body: reply.json() };
  };

  it('says which providers gave nothing', async () => {
    const home = mkdtempSync(join(tmpdir(), 'limpede-gather-'));
    const built = await build({ WEB_SEARXNG_URL: 'http://127.0.0.1:9' }, home);
    const expected = {
      status: 502,
      body: { detail: { error: 'provider_error', provider: 'index, searxng' } },
    };
    expect(await post(built, '/v1/search', { queries: ['a'] })).toMatchObject(expected);
    expect(await post(built, '/v1/gather', { claim: 'A claim of some length.' })).toMatchObject({
      status: 502,
    });
    expect(await post(built, '/v1/image-search', { queries: ['a'] })).toMatchObject({
      status: 502,
      body: { detail: { provider: 'searxng' } },
    });
    const health = (await built.app.inject({ url: '/health' })).json();
    expect(health).toMatchObject({
      status: 'unhealthy',
      providers: [
        { name: 'index', healthy: false },
        { name: 'searxng', healthy: false },
      ],
    });
    await built.close();
    rmSync(home, { recursive: true });
  });

  it('answers a timeout when every provider was too slow', async () => {
    const hanging = createServer(() => undefined);
    await new Promise<void>((resolve) => hanging.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(hanging.address() as AddressInfo).port}`;
    const home = mkdtempSync(join(tmpdir(), 'limpede-gather-'));
    const built = await build(
      { WEB_SEARXNG_URL: url, WEB_PROVIDERS: 'searxng', WEB_PROVIDER_TIMEOUT_MS: '100' },
      home,
    );
    expect(await post(built, '/v1/search', { queries: ['a'] })).toMatchObject({
      status: 504,
      body: { detail: { error: 'timeout', provider: 'searxng' } },
    });
    await built.close();
    hanging.closeAllConnections();
    await new Promise((resolve) => hanging.close(resolve));
    rmSync(home, { recursive: true });
  });

  it('finds nothing, without an error, when no provider is wanted', async () => {
    const home = mkdtempSync(join(tmpdir(), 'limpede-gather-'));
    const built = await build({ WEB_PROVIDERS: 'none' }, home);
    expect(await post(built, '/v1/gather', { claim: 'A claim of some length.' })).toMatchObject({
      status: 200,
      body: { evidence: [], total_urls_found: 0 },
    });
    await built.close();
    rmSync(home, { recursive: true });
  });
});
