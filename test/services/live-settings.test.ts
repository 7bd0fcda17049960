import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { followSettings } from '../../src/foundation/configuration/live-settings.ts';
import { buildService } from '../../src/foundation/service.ts';
import { parseSettings } from '../../src/foundation/settings.ts';
import { existingServices } from '../../src/main.ts';
import { allLiveSettings, allTunables } from '../../src/services/dashboard/tunables.ts';
import { embeddingsService } from '../../src/services/embeddings/service.ts';
import { createRequestGuard } from '../../src/services/gateway/request-guard.ts';
import { gatewaySettings } from '../../src/services/gateway/settings.ts';
import { gatewayLiveSettings } from '../../src/services/gateway/tunables.ts';
import { identitySettings } from '../../src/services/identity/settings.ts';
import { createSignIn } from '../../src/services/identity/sign-in.ts';
import { identityLiveSettings } from '../../src/services/identity/tunables.ts';
import { webService } from '../../src/services/web/service.ts';
import { changeable } from '../foundation/configuration/changeable.ts';
import { testPlatform } from './identity/running.ts';
import { chat, startGateway } from './llm/running-gateway.ts';
import { json } from './llm/upstream.ts';

const ROMANIAN = /[ăâîșțĂÂÎȘȚ]|\b(?:de|pe|ale|cu|sau|în)\b/;
const home = mkdtempSync(join(tmpdir(), 'limpede-live-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));

let staff: Awaited<ReturnType<typeof changeable>>;
beforeEach(async () => {
  staff = await changeable();
});
afterEach(() => staff.close());
const platform = () => ({
  ...testPlatform(home, 'http://127.0.0.1:8080'),
  configuration: staff.configuration,
});

describe('what staff may change', async () => {
  const services = (await existingServices()).filter(({ name }) => name !== 'dashboard');
  const all = services.flatMap(({ name, service }) => {
    const settings = parseSettings(service.settings, {});
    const live = (service.live ?? []).map((setting) => setting.of(settings));
    return [...(service.tunables ?? []), ...live].map((tunable) => ({ name, tunable }));
  });

  it('stands under one key each, that of its service', () => {
    const keys = all.map(({ tunable }) => tunable.key);
    expect(new Set(keys).size).toBe(keys.length);
    expect(all.filter(({ name, tunable }) => !tunable.key.startsWith(`${name}.`))).toEqual([]);
    expect(keys.every((key) => /^[a-z_]+(\.[a-z_]+)+$/.test(key))).toBe(true);
  });

  it('is described in both languages', () => {
    const wrong = all.filter(
      ({ tunable }) =>
        tunable.description_en.length < 10 ||
        !ROMANIAN.test(tunable.description_ro) ||
        /[şţŞŢ]/.test(tunable.description_ro),
    );
    expect(wrong.map(({ tunable }) => tunable.key)).toEqual([]);
  });

  it('is no secret and no address', () => {
    const names = services.flatMap(({ service }) => (service.live ?? []).map(({ name }) => name));
    expect(names.length).toBeGreaterThan(40);
    expect(
      names.filter((name) => /(KEY|KEY_ID|TOKENS?|SECRET|PASSWORD|URL|HOSTS?|FILE)$/.test(name)),
    ).toEqual([]);
  });

  it('stands in the dashboard', () => {
    const shown = [...allTunables.map(({ key }) => key), ...allLiveSettings.map(({ key }) => key)];
    expect(shown.toSorted()).toEqual(all.map(({ tunable }) => tunable.key).toSorted());
  });

  it('has a default that fits', () => {
    for (const { tunable } of all) expect(tunable.schema.safeParse(tunable.fallback).success).toBe(true);
  });
});

describe('the text-model gateway', () => {
  it('takes over a limit at once, before the file and after the file', async () => {
    const file = join(home, 'policy.json');
    writeFileSync(file, JSON.stringify({ limits: { rate_limit_burst: 3 } }));
    const gateway = await startGateway(
      { LLM_CONFIG_FILE: file, LLM_RATE_LIMIT_RPS: '0.001' },
      { configuration: staff.configuration },
    );
    const limit = async () => (await gateway.post('/v1/chat/completions', chat())).headers['ratelimit-limit'];
    expect(await limit()).toBe('3');
    await staff.set('llm.rate_limit_burst', 7);
    expect(await limit()).toBe('7');
    await staff.set('llm.rate_limit_burst', null);
    expect(await limit()).toBe('3');
    await gateway.close();
  });

  it('asks the next backend by a table of staff, and leaves a completion the rules that it began with', async () => {
    const gateway = await startGateway(
      { LLM_RETRIES: '0' },
      { cloud: true, configuration: staff.configuration },
    );
    let answered: () => void = () => undefined;
    const arrived = new Promise<void>((resolve) => {
      gateway.gpu.script = ({ response }) => {
        answered = () => json(response, 500, { error: { message: 'broken' } });
        resolve();
      };
    });
    const before = gateway.post('/v1/chat/completions', chat());
    await arrived;
    await staff.set('llm.fallbacks', { '*': [{ backend: 'cloud', model: 'c' }] });
    answered();
    expect((await before).status).toBe(500);
    gateway.gpu.script = ({ response }) => json(response, 500, { error: { message: 'broken' } });
    expect((await gateway.post('/v1/chat/completions', chat())).status).toBe(200);
    await gateway.close();
  });
});

describe('the gateway', () => {
  it('takes over its rates and the streams of a caller', async () => {
    const settings = parseSettings(gatewaySettings([]), {});
    const configuration = staff.configuration(gatewayLiveSettings.map((setting) => setting.of(settings)));
    const guard = createRequestGuard(followSettings(settings, gatewayLiveSettings, configuration), () =>
      Promise.reject(new Error('nobody is known here')),
    );
    const limit = async () => (await guard.anybody('192.0.2.1')).headers['RateLimit-Limit'];
    expect(await limit()).toBe('400');
    await staff.set('gateway.rate_limit_burst', 9);
    expect(await limit()).toBe('9');
    await staff.set('gateway.streams_per_caller', 1);
    guard.openStream('ana');
    expect(() => guard.openStream('ana')).toThrow('Too many streams');
  });
});

describe('the web service', () => {
  it('takes over its rate and its places', async () => {
    const built = await buildService(webService, parseSettings(webService.settings, {}), platform());
    const fetch = () =>
      built.app.inject({ method: 'POST', url: '/v1/fetch', payload: { urls: ['http://127.0.0.1/'] } });
    expect((await fetch()).statusCode).toBe(200);
    await staff.set('web.rate_limit_burst', 1);
    await staff.set('web.rate_limit_rps', 0.001);
    await fetch();
    expect((await fetch()).statusCode).toBe(429);
    await built.close();
  });
});

describe('the embeddings service', () => {
  it('takes over the share of a caller', async () => {
    await staff.set('embeddings.caller_share', 1);
    const settings = parseSettings(embeddingsService.settings, { EMBEDDINGS_CACHE_ENTRIES: '0' });
    const built = await buildService(embeddingsService, settings, platform());
    const embed = (input: string) =>
      built.app.inject({
        method: 'POST',
        url: '/v1/embeddings',
        payload: { model: 'limpede-encoder-1', input },
      });
    const refused = async () =>
      (await Promise.all(['one', 'two', 'three'].map(embed))).filter(({ statusCode }) => statusCode === 429);
    expect((await refused()).length).toBeGreaterThan(0);
    await staff.set('embeddings.caller_share', 10);
    expect(await refused()).toEqual([]);
    await built.close();
  });
});

describe('the identity provider', () => {
  it('takes over the attempts to sign in', async () => {
    const environment = { IDENTITY_LOGIN_ATTEMPTS: '1', IDENTITY_LOGIN_PAUSE_SECONDS: '3600' };
    const settings = parseSettings(identitySettings, environment);
    const configuration = staff.configuration(identityLiveSettings.map((setting) => setting.of(settings)));
    const signIn = createSignIn(
      { find: async () => undefined },
      followSettings(settings, identityLiveSettings, configuration),
      { refusal: () => undefined, matches: async () => false },
    );
    const attempt = (from: string) => signIn({ realm: 'clients', name: 'ana', password: 'x', from });
    expect([await attempt('a'), await attempt('a')]).toEqual([{ problem: 'wrong' }, { problem: 'wait' }]);
    await staff.set('identity.login_attempts', 2);
    expect([await attempt('b'), await attempt('b'), await attempt('b')]).toEqual([
      { problem: 'wrong' },
      { problem: 'wrong' },
      { problem: 'wait' },
    ]);
  });
});
