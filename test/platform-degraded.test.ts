import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  type AnalysisSession,
  analysisSession,
} from '../src/services/analysis/resources/analysis-session.ts';
import { startCampaign } from './campaign.ts';
import { until } from './patience.ts';
import { freePorts, runHere } from './running-platform.ts';

const TEXT =
  'They are HIDING the truth from you! Doctors admit that this one trick destroys the virus overnight. Share this before it is deleted!';
const ARTICLE = `<html lang="en"><head><title>Council approves budget</title></head><body><article><h1>Council approves budget</h1>${'<p>The city council approved a budget of 12 million euros for buses on Tuesday, according to minutes published by the clerk.</p>'.repeat(8)}</article></body></html>`;

type Listener = (request: IncomingMessage, response: ServerResponse) => void;

/** A server that answers as the test says at the moment. */
async function actor(first: Listener) {
  let play = first;
  const paths: string[] = [];
  const server: Server = createServer((request, response) => {
    paths.push(request.url ?? '');
    request.resume();
    play(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    host,
    url: `http://${host}`,
    /** Paths that were asked for, in their order. */
    paths,
    plays: (next: Listener) => {
      play = next;
    },
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

const json =
  (body: unknown, status = 200): Listener =>
  (_request, response) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
const html: Listener = (_request, response) =>
  response.writeHead(200, { 'content-type': 'text/html' }).end('<html><h1>Welcome to the router</h1></html>');
const cut: Listener = (request) => request.socket.destroy();
const half: Listener = (_request, response) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': '500' });
  response.write('{"pages": [');
  setTimeout(() => response.destroy(), 30);
};
const silence: Listener = () => undefined;

type Platform = Awaited<ReturnType<typeof runHere>>;

async function analyzeOn(platform: Platform, body: object): Promise<AnalysisSession> {
  const token = await platform.token({ user: 'ana' });
  const answered = await platform.ask('/api/v3/pipeline/analyze', { token, body });
  expect(answered.status, answered.text).toBe(200);
  const session = analysisSession.parse(answered.body.data);
  expect(session.status).toBe('completed');
  return session;
}

describe('peers that are switched off', () => {
  let platform: Platform;
  beforeAll(async () => {
    platform = await runHere({
      LIMPEDE_SERVICES: 'gateway,analysis,identity',
      WEB_URL: 'none',
      DOMAIN_CHECK_URL: 'none',
      LLM_URL: 'none',
    });
  });
  afterAll(() => platform?.stop());

  it('cost a text nothing', async () => {
    const session = await analyzeOn(platform, { media_type: 'text', text: TEXT });
    expect(session.components_run).toEqual(['techniques', 'ai_tampered', 'claims']);
    expect(session.degraded.filter(({ effect }) => effect !== 'own_engine')).toEqual([]);
    expect(session.risk_score).not.toBeNull();
  });

  it('leave nothing of a page, and say why', async () => {
    const session = await analyzeOn(platform, { media_type: 'url', url: 'https://example.org/story' });
    expect(session.components_run).toEqual([]);
    const reasons = Object.fromEntries(session.skipped.map(({ component, reason }) => [component, reason]));
    expect(reasons.techniques).toBe('The web service is switched off.');
    expect(reasons.domain).toBe('The domain check is switched off.');
    expect(session.verdict?.risk_category).toMatch(/inconclusive/i);
    expect(session.confidence).toBeLessThanOrEqual(0.3);
  });

  it('are unknown to deep health, which stays 200', async () => {
    const deep = await platform.ask('/api/v3/health/all', { token: await platform.token() });
    expect([deep.status, deep.body.status]).toEqual([200, 'degraded']);
    expect(deep.body.checks.domain_check.status).toBe('unknown');
  });
});

describe('peers that fail', () => {
  let platform: Platform;
  let web: Awaited<ReturnType<typeof actor>>;
  let domain: Awaited<ReturnType<typeof actor>>;
  let model: Awaited<ReturnType<typeof actor>>;
  beforeAll(async () => {
    [web, domain, model] = await Promise.all([actor(html), actor(html), actor(html)]);
    platform = await runHere({
      LIMPEDE_SERVICES: 'gateway,analysis,identity',
      WEB_URL: web.url,
      DOMAIN_CHECK_URL: domain.url,
      LLM_URL: model.url,
    });
  });
  afterAll(async () => {
    await platform?.stop();
    for (const peer of [web, domain, model]) peer?.close();
  });
  beforeEach(() => {
    for (const peer of [web, domain, model]) peer.plays(html);
  });

  const page = { media_type: 'url', url: 'https://example.org/story' };

  interface Way {
    readonly name: string;
    readonly listener: Listener;
    readonly reasons: readonly string[];
  }
  const ways: readonly Way[] = [
    { name: 'answer with a page', listener: html, reasons: ['invalid_answer'] },
    { name: 'answer with another JSON', listener: json({ ok: true }), reasons: ['invalid_answer'] },
    { name: 'answer with a list', listener: json([1, 2]), reasons: ['invalid_answer'] },
    {
      name: 'answer with an error of their own',
      listener: json({ detail: 'no' }, 500),
      reasons: ['unavailable', 'invalid_answer'],
    },
    { name: 'cut the line', listener: cut, reasons: ['unavailable'] },
    { name: 'stop in the middle', listener: half, reasons: ['unavailable', 'invalid_answer'] },
  ];
  const silent: Way = { name: 'never answer', listener: silence, reasons: ['timeout'] };

  it.each(ways)('are named when they $name', async ({ listener, reasons }) => {
    for (const peer of [web, domain, model]) peer.plays(listener);
    const session = await analyzeOn(platform, page);
    expect(session.components_run).toEqual([]);
    const lost = Object.fromEntries(session.degraded.map(({ dependency, reason }) => [dependency, reason]));
    for (const name of ['web', 'domain_check'])
      expect([...reasons, 'unavailable'], name).toContain(lost[name]);
    expect(session.confidence).toBeLessThanOrEqual(0.3);
  });

  const table = startCampaign('table of failing dependencies');
  // Silence waits for the whole time limit: only in a long run.
  const all = table.long ? [...ways, silent] : ways;
  const pairs = all.flatMap((one) => all.map((other) => ({ one, other })));
  const chosen = table.pick(pairs, 4);

  it.each(chosen)(
    'are told apart when the web service $one.name, the domain check $other.name',
    async (pair) => {
      web.plays(pair.one.listener);
      domain.plays(pair.other.listener);
      const session = await analyzeOn(platform, page);
      expect(session.components_run).toEqual([]);
      const lost = Object.fromEntries(session.degraded.map(({ dependency, reason }) => [dependency, reason]));
      expect([...pair.one.reasons, 'unavailable']).toContain(lost.web);
      expect([...pair.other.reasons, 'unavailable']).toContain(lost.domain_check);
      if (pair === chosen.at(-1))
        table.summary(`${chosen.length} of ${pairs.length} pairs, each named as it was`);
    },
  );

  it('leave the analysis of a text whole when it is the model that fails', async () => {
    for (const listener of [html, json({ choices: 'none' }), cut]) {
      model.plays(listener);
      const session = await analyzeOn(platform, { media_type: 'text', text: TEXT });
      expect(session.components_run).toEqual(['techniques', 'ai_tampered', 'claims']);
      expect(session.verdict?.explanation_ro).toBeTruthy();
      expect(session.degraded.filter(({ effect }) => effect === 'component_lost')).toEqual([]);
    }
  });
});

describe('a page whose source cannot be checked', () => {
  let platform: Platform;
  let site: Awaited<ReturnType<typeof actor>>;
  let domain: Awaited<ReturnType<typeof actor>>;
  beforeAll(async () => {
    [site, domain] = await Promise.all([
      actor((_request, response) => response.writeHead(200, { 'content-type': 'text/html' }).end(ARTICLE)),
      actor(silence),
    ]);
    platform = await runHere({
      LIMPEDE_SERVICES: 'gateway,analysis,identity,web',
      WEB_ALLOWED_PRIVATE_HOSTS: site.host,
      DOMAIN_CHECK_URL: domain.url,
      LLM_URL: 'none',
    });
  });
  afterAll(async () => {
    await platform?.stop();
    for (const peer of [site, domain]) peer?.close();
  });

  it('is judged by the rest, with less confidence, when the check is slow or away', async () => {
    const url = `${site.url}/story`;
    const slow = analyzeOn(platform, { media_type: 'url', url });
    await until(() => domain.paths.some((path) => path.endsWith('/check')));
    domain.plays(cut);
    const away = await analyzeOn(platform, { media_type: 'url', url });
    const alone = await analyzeOn(platform, { media_type: 'url', url, skip_components: ['domain'] });
    for (const [session, reason] of [
      [await slow, 'timeout'],
      [away, 'unavailable'],
    ] as const) {
      expect(session.components_run).toEqual(['techniques', 'ai_tampered', 'claims']);
      expect(session.degraded).toContainEqual(
        expect.objectContaining({ dependency: 'domain_check', reason, effect: 'component_lost' }),
      );
      expect(session.domain).toBeNull();
      expect(session.verdict?.score_source).toBeNull();
      expect(session.confidence ?? 1).toBeLessThan(alone.confidence ?? 0);
    }
  });
});

describe('an identity service that is away', () => {
  it('is an outage, not a refusal', async () => {
    const [port] = await freePorts(1);
    const platform = await runHere({
      LIMPEDE_SERVICES: 'gateway,analysis',
      IDENTITY_URL: `http://127.0.0.1:${port}`,
      WEB_URL: 'none',
      DOMAIN_CHECK_URL: 'none',
      LLM_URL: 'none',
    });
    try {
      for (const inside of [false, true]) {
        const answered = await platform.ask('/api/v3/pipeline/history', {
          token: await platform.token(),
          inside,
        });
        expect([answered.status, answered.body.error_code]).toEqual([503, 'service_unavailable']);
        expect(Number(answered.headers.get('retry-after'))).toBeGreaterThan(0);
      }
      expect((await platform.ask('/api/v3/health')).status).toBe(200);
    } finally {
      await platform.stop();
    }
  });
});
