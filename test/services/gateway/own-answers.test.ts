import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PUBLIC_URL, startGateway, tokenOf } from './behind.ts';
import { codeOf, startEchoGateway } from './echo-gateway.ts';

let running: Awaited<ReturnType<typeof startEchoGateway>>;
beforeAll(async () => {
  running = await startEchoGateway();
});
afterAll(() => running.close());

describe('what the gateway says itself', () => {
  it('lists what is here', async () => {
    const index = await (await fetch(running.gateway.url)).json();
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
    const health = await fetch(`${running.gateway.url}/health`);
    expect(health.status).toBe(200);
    expect(await health.json()).toMatchObject({
      status: 'healthy',
      service: 'gateway',
      checks: { analysis: { status: 'healthy' }, identity: { status: 'healthy' } },
    });
  });

  it('answers browsers of the named origins only', async () => {
    const preflight = (origin: string) =>
      fetch(`${running.gateway.url}/agent-v3/x`, {
        method: 'OPTIONS',
        headers: { origin, 'access-control-request-method': 'POST' },
      });
    const known = await preflight('chrome-extension://abc');
    expect(known.status).toBe(204);
    expect(known.headers.get('access-control-allow-origin')).toBe('chrome-extension://abc');
    expect((await preflight('https://evil.example')).headers.has('access-control-allow-origin')).toBe(false);
    const answer = await running.call('/agent-v3/x', { headers: { origin: 'https://app.example' } });
    expect(answer.headers.get('access-control-allow-origin')).toBe('https://app.example');
    expect(answer.headers.get('access-control-expose-headers')).toContain('X-Correlation-Id');
  });

  it('sends readers of the documentation to its folder', async () => {
    const response = await fetch(`${running.gateway.url}/agent-v3/docs`, { redirect: 'manual' });
    expect([response.status, response.headers.get('location')]).toEqual([308, 'docs/']);
  });

  it('counts what it relays', async () => {
    await running.call('/agent-v3/x');
    await fetch(`${running.gateway.url}/agent-v3/x`);
    await expect
      .poll(async () => (await fetch(`${running.gateway.url}/metrics`)).text())
      .toMatch(/service="gateway",operation="analysis",status="200"} [1-9]/);
    const text = await (await fetch(`${running.gateway.url}/metrics`)).text();
    expect(text).toMatch(/service="gateway",operation="analysis",status="401"} [1-9]/);
  });

  it('leads to the identity provider without a token', async () => {
    const response = await fetch(`${running.gateway.url}/realms/clients/auth?x=1`);
    expect(await response.json()).toEqual({ method: 'GET', url: '/realms/clients/auth?x=1' });
  });
});

describe('a service behind that gives no answer', () => {
  const environment = () => ({ IDENTITY_URL: running.identity.url, GATEWAY_UPSTREAM_TIMEOUT_MS: '150' });

  it.each([
    ['is switched off', { ANALYSIS_URL: 'none' }, '/agent-v3/x'],
    ['is not there', { ANALYSIS_URL: 'http://127.0.0.1:1' }, '/agent-v3/x'],
    ['hangs up', {}, '/agent-v3/reset'],
    ['is too slow', {}, '/agent-v3/never'],
  ])('because it %s: 503 with Retry-After', async (_name, changes, path) => {
    const other = await startGateway(running.home, {
      ...environment(),
      ANALYSIS_URL: running.analysis.url,
      ...changes,
    });
    const response = await fetch(`${other.url}${path}`, { headers: running.authorization() });
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await codeOf(response)).toEqual([503, 'service_unavailable']);
    await other.close();
  });

  it('makes the gateway unhealthy when it is analysis, and worse when it is identity', async () => {
    const statusOf = async (changes: Record<string, string>) => {
      const environment = {
        IDENTITY_URL: running.identity.url,
        ANALYSIS_URL: running.analysis.url,
        ...changes,
      };
      const other = await startGateway(running.home, environment);
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
    const other = await startGateway(running.home, {
      ANALYSIS_URL: running.analysis.url,
      IDENTITY_URL: 'http://127.0.0.1:1',
    });
    const response = await fetch(`${other.url}/agent-v3/x`, { headers: running.authorization() });
    expect(await codeOf(response)).toEqual([503, 'service_unavailable']);
    await other.close();
  });
});

describe('rates at the gateway', () => {
  it('are counted by caller, and by address for strangers and refused tokens', async () => {
    const other = await startGateway(running.home, {
      IDENTITY_URL: running.identity.url,
      ANALYSIS_URL: running.analysis.url,
      GATEWAY_RATE_LIMIT_RPS: '0.01',
      GATEWAY_RATE_LIMIT_BURST: '2',
      GATEWAY_LOGIN_RATE_LIMIT_RPS: '0.01',
      GATEWAY_LOGIN_RATE_LIMIT_BURST: '1',
    });
    const ask = (path: string, options?: RequestInit) => fetch(`${other.url}${path}`, options);
    const bearer = (text: string) => ({ headers: { authorization: `Bearer ${text}` } });
    const first = await ask('/agent-v3/x', bearer(running.token));
    expect(first.headers.get('ratelimit-remaining')).toBe('1');
    await ask('/agent-v3/x', bearer(running.token));
    const third = await ask('/agent-v3/x', bearer(running.token));
    expect(Number(third.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await codeOf(third)).toEqual([429, 'rate_limited']);
    const somebody = await tokenOf(running.home, { subject: 'ion' });
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
    const other = await startGateway(running.home, {
      IDENTITY_URL: running.identity.url,
      ANALYSIS_URL: running.analysis.url,
    });
    const events = await fetch(`${other.url}/agent-v3/events`, { headers: running.authorization() });
    const closing = once(other.app.server, 'close');
    await Promise.all([other.close(), expect(events.text()).rejects.toThrow()]);
    await closing;
  });
});
