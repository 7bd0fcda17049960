import { readFileSync } from 'node:fs';
import { createServer as createHttpServer, type Server as HttpServer } from 'node:http';
import type { AddressInfo, Server } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { packageFile } from '../../../src/foundation/files.ts';
import { createLog } from '../../../src/foundation/log.ts';
import { createMetrics } from '../../../src/foundation/metrics.ts';
import type { Platform } from '../../../src/foundation/platform.ts';
import { buildService } from '../../../src/foundation/service.ts';
import { parseSettings } from '../../../src/foundation/settings.ts';
import type { DomainRecord } from '../../../src/services/domain-check/contract.ts';
import { trustScore } from '../../../src/services/domain-check/judgement/trust.ts';
import type { PublishedLists } from '../../../src/services/domain-check/lists/published-lists.ts';
import { sources } from '../../../src/services/domain-check/lists/sources.ts';
import { openWellKnownNames } from '../../../src/services/domain-check/name/well-known.ts';
import { domainCheckService } from '../../../src/services/domain-check/service.ts';
import { domainCheckSettings } from '../../../src/services/domain-check/settings.ts';
import { TestNameServer } from './live/dns-server.ts';

const fixture = (name: string) =>
  readFileSync(packageFile('test', 'services', 'domain-check', 'live', 'fixtures', name), 'utf8');

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  await Promise.all(closing.splice(0).map((close) => close()));
});

const platform = (): Platform => ({
  home: '/nonexistent',
  version: '0.0.0',
  publicUrl: 'http://127.0.0.1',
  log: createLog({ level: 'silent', name: 'test' }),
  metrics: createMetrics(),
  database: () => Promise.reject(new Error('this service keeps nothing')),
});

async function start(environment: Record<string, string>, closeLater = closing) {
  const built = await buildService(
    domainCheckService,
    parseSettings(domainCheckSettings, environment),
    platform(),
  );
  closeLater.push(() => built.close());
  const post = (payload: unknown) =>
    built.app.inject({
      method: 'POST',
      url: '/api/v1/check/check',
      headers: { 'content-type': 'application/json' },
      payload: typeof payload === 'string' ? payload : JSON.stringify(payload),
    });
  return {
    app: built.app,
    post,
    check: async (payload: unknown): Promise<DomainRecord> => {
      const response = await post(payload);
      expect(response.statusCode).toBe(200);
      return response.json();
    },
  };
}

async function port(server: Server | HttpServer): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(() => new Promise((resolve) => server.close(resolve)));
  return (server.address() as AddressInfo).port;
}

const codes = (items: readonly { code: string }[]) => items.map((item) => item.code);
const states = (record: DomainRecord) =>
  Object.fromEntries(record.checks.map(({ name, state, reason }) => [name, reason ?? state]));

describe('without network checks', () => {
  const atTheEnd: typeof closing = [];
  let service: Awaited<ReturnType<typeof start>>;
  beforeAll(async () => {
    service = await start({ DOMAIN_LIVE: 'false' }, atTheEnd);
  });
  afterAll(async () => {
    await Promise.all(atTheEnd.map((close) => close()));
  });

  test.each([
    ['https://www.digi24.ro/stiri/actualitate', 'digi24.ro', 'trusted', 'minimal', 80, 100],
    ['stopfals.md', 'stopfals.md', 'trusted', 'minimal', 80, 100],
    ['https://infowars.com/x', 'infowars.com', 'untrustworthy', 'critical', 0, 15],
    ['rtnews.ro', 'rtnews.ro', 'untrustworthy', 'critical', 0, 15],
    ['zidulmeu.ro', 'zidulmeu.ro', 'unknown', 'unknown', 45, 60],
    ['example.com', 'example.com', 'unknown', 'unknown', 45, 73],
    ['someone.blogspot.com', 'someone.blogspot.com', 'unknown', 'unknown', 45, 60],
    ['https://www.youtube.com/watch?v=1', 'youtube.com', 'unknown', 'unknown', 50, 50],
    // A rated site of the part that nothing was learnt from is rated all the same.
    ['wkyt.com', 'wkyt.com', 'trusted', 'minimal', 80, 100],
    ['theonion.com', 'theonion.com', 'satire', 'low', 40, 60],
    ['http://аррӏе.com/', 'xn--80ak6aa92e.com', 'suspicious', 'high', 0, 40],
  ])('%s', async (url, domain, verdict, risk_level, low, high) => {
    const record = await service.check({ url });
    expect(record).toMatchObject({
      domain,
      verdict,
      risk_level,
      no_registrable_name: null,
      live_checked_at: null,
    });
    expect(record.trust_score).toBeGreaterThanOrEqual(low);
    expect(record.trust_score).toBeLessThanOrEqual(high);
    expect(record).toMatchObject({ age_days: null, has_ssl: null, ssl_valid: null, checks_answered: 1 });
    expect(states(record)).toEqual({
      lists: 'answered',
      name: 'answered',
      registration: 'switched_off',
      dns: 'switched_off',
      certificate: 'switched_off',
    });
    const points = record.contributions.reduce((total, part) => total + part.points, 0);
    expect(trustScore(points)).toBeCloseTo(record.trust_score ?? Number.NaN, 1);
  });

  test('a listed site carries the lists with date and reference, and the raters by name', async () => {
    const record = await service.check({ domain: 'rtnews.ro' });
    expect(record.is_blacklisted).toBe(true);
    expect(record.blacklists).toEqual([
      {
        list: expect.stringContaining('Romania'),
        code: 'romania',
        category: 'official-block',
        listed_name: 'rtnews.ro',
        date: '2022-02-28',
        date_kind: 'edition',
        reference: expect.stringMatching(/^https:/),
        counted: true,
      },
    ]);
    expect(record.red_flags).toEqual([
      { code: 'official_block', text_en: expect.any(String), text_ro: expect.any(String) },
    ]);
    const rated = await service.check({ domain: 'digi24.ro' });
    expect(rated.is_blacklisted).toBe(false);
    expect(rated.ratings.map((rating) => [rating.rater, rating.rating])).toContainEqual([
      'Media Bias/Fact Check',
      'high',
    ]);
  });

  test.each([
    ['localhost', 'localhost', 'single_label'],
    ['http://127.0.0.1:8080/x', '127.0.0.1', 'ip_address'],
    ['http://[::1]/', '::1', 'ip_address'],
    ['intranet', 'intranet', 'single_label'],
    ['site.test', 'site.test', 'special_use_name'],
    ['co.uk', 'co.uk', 'public_suffix'],
  ])('%s has a result without a score', async (url, domain, reason) => {
    expect(await service.check({ url })).toMatchObject({
      domain,
      no_registrable_name: reason,
      is_blacklisted: null,
      trust_score: null,
      trust_interval: null,
      verdict: 'unknown',
      risk_level: 'unknown',
      age_days: null,
      has_ssl: null,
      ssl_valid: null,
      red_flags: [],
      warnings: [],
      checks_answered: 0,
      engine: { model: 'limpede-domain-1', version: expect.any(String) },
    });
  });

  test.each([
    [{}, ['body', 'url']],
    [{ url: null, domain: null }, ['body', 'url']],
    [{ url: 'not an address' }, ['body', 'url']],
    [{ domain: 'ftp://example.com' }, ['body', 'domain']],
    [{ domain: '' }, ['body', 'domain']],
    [{ url: 7 }, ['body', 'url']],
    [{ url: 'example.com', live: 'no' }, ['body', 'live']],
    [{ url: 'x'.repeat(9000) }, ['body', 'url']],
    [[], ['body']],
  ])('%j is refused', async (payload, location) => {
    const response = await service.post(payload);
    expect(response.statusCode).toBe(422);
    expect(response.json().detail[0]).toMatchObject({
      loc: location,
      msg: expect.any(String),
      type: expect.any(String),
    });
  });

  test.each(['{', '', 'null', '"\\ud800"', '\u0000'])('the body %j is refused', async (payload) => {
    const response = await service.post(payload);
    expect(response.statusCode).toBe(422);
  });

  test('health says when live checks are on and the name servers are silent', async () => {
    const nameServer = new TestNameServer({ '': { NS: ['a.root.invalid'] } });
    const address = await nameServer.listen();
    const { app } = await start({ DOMAIN_RESOLVERS: address });
    expect((await app.inject('/health')).json()).toMatchObject({
      status: 'healthy',
      checks: { offline_evidence: { status: 'healthy' }, name_servers: { status: 'healthy' } },
    });
    await nameServer.close();
    const health = await app.inject('/health');
    expect([health.statusCode, health.json()]).toMatchObject([
      200,
      {
        status: 'degraded',
        checks: {
          name_servers: { status: 'unhealthy', error: expect.stringMatching(/do not answer|no answer/) },
        },
      },
    ]);
    expect((await app.inject('/ready')).json()).toEqual({ ready: true });
  });

  test('health says when nothing is left to judge by', async () => {
    const all = sources.map(({ code }) => code).join(',');
    const { app } = await start({
      DOMAIN_LIVE: 'false',
      DOMAIN_NAME_MODEL: 'false',
      DOMAIN_DISABLED_SOURCES: all,
    });
    const health = await app.inject('/health');
    expect([health.statusCode, health.json()]).toMatchObject([
      503,
      { status: 'unhealthy', checks: { offline_evidence: { error: expect.stringContaining('no list') } } },
    ]);
    expect((await app.inject('/ready')).statusCode).toBe(503);
  });

  test('health says when a list cannot be read', async () => {
    const lists: PublishedLists = {
      sources,
      lookUp: () => {
        throw new Error('the file of a list is missing');
      },
    };
    const offline = { lists, wellKnown: openWellKnownNames(), nameModel: undefined };
    const environment = parseSettings(domainCheckSettings, { DOMAIN_LIVE: 'false' });
    const built = await buildService(domainCheckService, environment, platform(), { offline });
    closing.push(() => built.close());
    expect((await built.app.inject('/health')).json()).toMatchObject({
      status: 'unhealthy',
      checks: { offline_evidence: { error: 'the file of a list is missing' } },
    });
  });

  test('health, readiness and sources', async () => {
    expect((await service.app.inject('/health')).json()).toMatchObject({
      status: 'healthy',
      service: 'domain_check',
      checks: { offline_evidence: { status: 'healthy' }, name_servers: { status: 'unknown' } },
    });
    expect((await service.app.inject('/ready')).json()).toEqual({ ready: true });
    const listed = (await service.app.inject('/v1/sources')).json();
    expect(listed.sources).toContainEqual(
      expect.objectContaining({ code: 'url-shorteners', licence: 'CC-BY-SA-4.0', enabled: true }),
    );
  });
});

test('a source that is switched off is not heard', async () => {
  const service = await start({ DOMAIN_LIVE: 'false', DOMAIN_DISABLED_SOURCES: 'mbfc, idiap,idiap-graph' });
  const record = await service.check({ domain: 'digi24.ro' });
  expect(record.ratings).toEqual([]);
  expect(record.verdict).toBe('unknown');
  expect(() => parseSettings(domainCheckSettings, { DOMAIN_DISABLED_SOURCES: 'nobody' })).toThrow(
    /DOMAIN_DISABLED_SOURCES/,
  );
});

describe('with servers', () => {
  const registry = (registeredAt: string) =>
    createHttpServer((request, response) => {
      if (request.url !== '/rdap/domain/limpede-check.ro') return response.writeHead(404).end();
      const events = [{ eventAction: 'registration', eventDate: registeredAt }];
      return response.end(
        JSON.stringify({
          objectClassName: 'domain',
          ldhName: 'limpede-check.ro',
          status: ['active'],
          events,
        }),
      );
    });
  const day = 86_400_000;

  async function startWithServers(registeredAt: string, address = '127.0.0.1') {
    const names = new TestNameServer({
      '': { NS: ['a.root-servers.net'] },
      'limpede-check.ro': { A: [address], NS: ['ns1.host.ro'], MX: ['5 mx.host.ro'] },
      '_dmarc.limpede-check.ro': {},
    });
    const resolver = await names.listen();
    closing.push(() => names.close());
    const tls = createTlsServer({ cert: fixture('site.pem'), key: fixture('site.key.pem') });
    const tlsPort = await port(tls.on('tlsClientError', () => undefined));
    const rdapPort = await port(registry(registeredAt));
    const service = await start({
      DOMAIN_RESOLVERS: resolver,
      DOMAIN_RDAP_URL: `http://127.0.0.1:${rdapPort}/rdap/`,
      WEB_ALLOWED_PRIVATE_HOSTS: `127.0.0.1:${tlsPort}`,
    });
    return { service, names, url: `https://limpede-check.ro:${tlsPort}/page` };
  }

  test('asks registry, name server and web server', async () => {
    const { service, names, url } = await startWithServers(new Date(Date.now() - 10 * day).toISOString());
    const record = await service.check({ url });
    expect(record).toMatchObject({
      age_days: 10,
      age_source: 'registry',
      has_ssl: true,
      ssl_valid: false,
      basis: 'observed',
      verdict: 'suspicious',
      checks_answered: 1,
      registration: { found: true, registrar: null },
      dns: { found: true, addresses: ['127.0.0.1'], name_servers: ['ns1.host.ro'], mail: 'receives' },
      certificate: { problem: 'untrusted', issuer: 'Test authority' },
    });
    expect(codes(record.red_flags)).toEqual(['very_young_domain', 'certificate_untrusted']);
    expect(record.trust_score).toBeLessThan(35);
    const queries = names.queries;
    const again = await service.check({ url });
    expect(again.live_checked_at).toBe(record.live_checked_at);
    expect(names.queries).toBe(queries);
  });

  test('a caller may leave the network out', async () => {
    const { service, names, url } = await startWithServers('2015-01-01T00:00:00Z');
    expect(await service.check({ url, live: false })).toMatchObject({
      age_days: null,
      dns: null,
      live_checked_at: null,
    });
    expect(names.queries).toBe(0);
  });

  test('a name that points into a private network is not connected to', async () => {
    const { service } = await startWithServers('2015-01-01T00:00:00Z', '10.1.2.3');
    const record = await service.check({ url: 'https://limpede-check.ro/' });
    expect(states(record)).toMatchObject({
      registration: 'answered',
      dns: 'answered',
      certificate: 'private_address',
    });
    expect(record).toMatchObject({ has_ssl: null, ssl_valid: null });
    expect(codes(record.warnings)).toContain('private_address');
  });

  test('a name that nobody registered', async () => {
    const { service } = await startWithServers('2015-01-01T00:00:00Z');
    const record = await service.check({ domain: 'no-such-name-here.ro' });
    expect(codes(record.red_flags)).toEqual(['domain_not_found']);
    expect(record).toMatchObject({ age_days: null, dns: { found: false } });
    expect(states(record)).toMatchObject({ certificate: 'no_address' });
  });

  test('a machine without network keeps the offline score, with a smaller share of answers', async () => {
    const service = await start({
      DOMAIN_RESOLVERS: '127.0.0.1:9',
      DOMAIN_RDAP_URL: 'http://127.0.0.1:9',
      DOMAIN_DNS_TIMEOUT_MS: '300',
    });
    const record = await service.check({ domain: 'digi24.ro' });
    const offline = await service.check({ domain: 'digi24.ro', live: false });
    expect(record.trust_score).toBe(offline.trust_score);
    expect(record.verdict).toBe('trusted');
    expect(record.checks_answered).toBe(0.4);
    expect(states(record)).toMatchObject({
      registration: 'unreachable',
      dns: 'unreachable',
      certificate: 'no_name_records',
    });
    expect(states(await service.check({ domain: 'hotnews.ro' }))).toMatchObject({
      registration: 'unreachable_lately',
      dns: 'unreachable_lately',
    });
  });
});
