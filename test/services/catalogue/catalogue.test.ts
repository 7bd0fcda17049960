import { Registry } from 'prom-client';
import { afterEach, describe, expect, it } from 'vitest';
import { buildService } from '../../../src/foundation/service.ts';
import { parseSettings } from '../../../src/foundation/settings.ts';
import { existingServices } from '../../../src/main.ts';
import { createObserver } from '../../../src/services/catalogue/observer.ts';
import { catalogueService } from '../../../src/services/catalogue/service.ts';
import { catalogueSettings, SERVICE_NAMES } from '../../../src/services/catalogue/settings.ts';
import { domainCheckService } from '../../../src/services/domain-check/service.ts';
import { silent } from '../../foundation/database/engines.ts';
import { listen } from '../gateway/behind.ts';

const opened: { close(): Promise<unknown> }[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map(({ close }) => close()));
});
const platform = () => ({
  home: '/nonexistent',
  version: '9.9.9',
  publicUrl: 'http://127.0.0.1:8080',
  log: silent,
  metrics: new Registry(),
  database: () => Promise.reject(new Error('not needed')),
});

const INFO = {
  resource: { name: 'llm', title: 'x', version: '1.2.3', description: 'x' },
  models: [{ id: 'm' }],
  functions: [{ name: 'chat', method: 'POST', path: '/v1/chat/completions', description: 'Chat' }],
  depends_on: ['llm_cloud', 'web', 'llm'],
};

/** A service that answers as the test wants, and counts who asks. */
async function scripted() {
  const script = { status: 200, health: { status: 'healthy' } as unknown, info: INFO as unknown, asked: 0 };
  let gate: Promise<void> = Promise.resolve();
  const server = await listen((request, response) => {
    const isHealth = request.url === '/health';
    if (isHealth) script.asked += 1;
    void gate.then(() => {
      response.writeHead(isHealth ? script.status : 200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(isHealth ? script.health : script.info));
    });
  });
  opened.push(server);
  const hold = () => {
    let release = (): void => undefined;
    gate = new Promise((resolve) => {
      release = resolve;
    });
    return release;
  };
  return { url: server.url, script, hold, close: server.close };
}

function observe(addresses: [(typeof SERVICE_NAMES)[number], string][]) {
  let clock = 0;
  const observer = createObserver(new Map(addresses), () => clock);
  opened.push(observer);
  return {
    ...observer,
    later: (ms: number) => {
      clock += ms;
    },
  };
}

describe('the catalogue', () => {
  it('tells what each service says of itself, and names those that do not answer', async () => {
    const { url } = await scripted();
    const { state } = observe([
      ['llm', url],
      ['web', 'http://127.0.0.1:9'],
      ['video', 'none'],
    ]);
    const { services, unreachable } = await state();
    expect(unreachable).toEqual(['web']);
    expect(services).toMatchObject([
      {
        name: 'llm',
        status: 'healthy',
        version: '1.2.3',
        models: INFO.models,
        functions: INFO.functions,
        depends_on: ['web'],
        last_change: null,
        error: null,
      },
      { name: 'web', status: 'unreachable', latency_ms: null, version: null, models: [], functions: [] },
      { name: 'video', status: 'off', error: null },
    ]);
    expect(services[0]?.latency_ms).toBeGreaterThan(0);
    expect(services[1]?.error).toMatch(/web/);
  });

  it('looks once for all who ask at once, and not again for two seconds', async () => {
    const { url, script, hold } = await scripted();
    const observer = observe([['llm', url]]);
    const release = hold();
    const asking = Array.from({ length: 50 }, () => observer.state());
    release();
    await Promise.all(asking);
    observer.later(1_999);
    await observer.state();
    expect(script.asked).toBe(1);
    observer.later(2);
    await observer.state();
    expect(script.asked).toBe(2);
  });

  it('takes the word of the video service for health', async () => {
    const { url, script } = await scripted();
    Object.assign(script, { health: { status: 'ok' } });
    expect((await observe([['video', url]]).state()).services[0]).toMatchObject({ status: 'healthy' });
  });

  it.each([
    ['degraded', 200, { status: 'degraded' }, 'degraded'],
    ['unhealthy', 503, { status: 'unhealthy' }, 'unhealthy'],
    ['broken', 500, { status: 'healthy' }, 'unreachable'],
    ['lying', 200, { status: 'splendid' }, 'unreachable'],
    ['talking of something else', 200, 'yes', 'unreachable'],
  ])(
    'sees one that is %s, and when that changed; what it told before stays',
    async (_name, status, health, seen) => {
      const { url, script } = await scripted();
      const observer = observe([['llm', url]]);
      const before = await observer.state();
      Object.assign(script, { status, health, info: { wrong: true } });
      observer.later(3_000);
      const [service] = (await observer.state()).services;
      expect(service).toMatchObject({ status: seen, version: '1.2.3', functions: INFO.functions });
      expect(Date.parse(service?.last_change ?? '')).toBeGreaterThanOrEqual(Date.parse(before.checked_at));
      const changed = service?.last_change;
      observer.later(3_000);
      expect((await observer.state()).services[0]?.last_change).toBe(changed);
    },
  );

  it('is not healthy when nothing is named, or nothing answers', async () => {
    await expect(observe([['video', 'none']]).probe()).rejects.toThrow('no service is named');
    const lonely = observe([['web', 'http://127.0.0.1:9']]);
    await lonely.probe();
    await lonely.state();
    await expect(lonely.probe()).rejects.toThrow('no service answers');
  });

  it('answers as a service, about real ones', async () => {
    const settings = parseSettings(domainCheckService.settings, { DOMAIN_LIVE: 'false' });
    const domain = await buildService(domainCheckService, settings, platform());
    opened.push(domain);
    const url = await domain.app.listen({ host: '127.0.0.1', port: 0 });
    const own = parseSettings(catalogueSettings, { DOMAIN_CHECK_URL: url });
    const built = await buildService(catalogueService, own, platform());
    opened.push(built);
    const { data } = (await built.app.inject('/v1/status')).json();
    expect(data.services).toMatchObject([{ name: 'domain_check', status: 'healthy', version: '9.9.9' }]);
    const names = data.services[0].functions.map(({ name }: { name: string }) => name);
    expect(names).toEqual(Object.keys(domainCheckService.contract.operations));
    expect((await built.app.inject('/health')).statusCode).toBe(200);
  });

  it('knows every service of the platform', async () => {
    const names = (await existingServices()).map(({ name }) => name);
    expect(names.filter((name) => !SERVICE_NAMES.some((known) => known === name))).toEqual([]);
  });
});
