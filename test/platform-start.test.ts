import { describe, expect, it } from 'vitest';
import { platformSettings, portOf, publicUrlOf } from '../src/foundation/platform.ts';
import { parseSettings, SettingsError } from '../src/foundation/settings.ts';
import { serviceNames, startPlatform } from '../src/main.ts';
import { runHere } from './running-platform.ts';

const publicUrl = (environment: Record<string, string>) =>
  publicUrlOf(parseSettings(platformSettings, environment), environment);

describe('where things are', () => {
  it.each([
    [{}, 'http://127.0.0.1:8080'],
    [{ LIMPEDE_PORT: '9000' }, 'http://127.0.0.1:9000'],
    [{ LIMPEDE_PORT: '9000', GATEWAY_PORT: '9100' }, 'http://127.0.0.1:9100'],
    [{ GATEWAY_PORT: '9100', LIMPEDE_PUBLIC_URL: 'https://limpede.example/' }, 'https://limpede.example'],
  ])('%j is %s', (environment, expected) => {
    expect(publicUrl(environment)).toBe(expected);
  });

  it.each(['0', '-1', '70000', 'abc', '80.5'])('%s is no port', (port) => {
    expect(() => portOf('domain_check', 8093, { DOMAIN_CHECK_PORT: port })).toThrow(
      /DOMAIN_CHECK_PORT: must be a port/,
    );
  });

  it('an empty port counts as unset', () => {
    expect(portOf('web', 8084, { WEB_PORT: ' ' })).toBe(8084);
  });
});

describe('a start', () => {
  it.each<[string, Record<string, string>, RegExp]>([
    [
      'a service that does not exist',
      { LIMPEDE_SERVICES: 'web,magic' },
      /no service magic; there are gateway, analysis/,
    ],
    ['a port that is none', { ANALYSIS_PORT: 'x' }, /ANALYSIS_PORT/],
    [
      'wrong settings of several services',
      { ANALYSIS_CONCURRENCY: 'many', WEB_RATE_LIMIT_RPS: '-1' },
      /ANALYSIS_CONCURRENCY[\s\S]*WEB_RATE_LIMIT_RPS/,
    ],
    [
      'external providers without an audience',
      { AUTH_CLIENTS_ISSUER: 'https://sso.example/a', AUTH_ADMINS_ISSUER: 'https://sso.example/b' },
      /AUTH_CLIENTS_AUDIENCE: must name[\s\S]*AUTH_ADMINS_AUDIENCE: must name/,
    ],
    ['a database that is none', { DATABASE_URL: 'mysql://x' }, /DATABASE_URL: must be a postgres/],
    [
      'a dependency that is no address',
      { WEB_URL: 'web:8084' },
      /WEB_URL: must be an http or https address, or none/,
    ],
  ])('with %s is refused in words', async (_case, environment, message) => {
    const started = startPlatform({ LIMPEDE_HOME: '/nowhere/at/all', ...environment });
    await expect(started).rejects.toThrow(SettingsError);
    await expect(started).rejects.toThrow(message);
  });

  it('of some services starts these alone, without a database when none is needed', async () => {
    const platform = await runHere({ LIMPEDE_SERVICES: 'embeddings,domain_check' });
    try {
      expect(platform.running.services.map(({ name }) => name)).toEqual(['embeddings', 'domain_check']);
      expect(platform.running.database).toBeNull();
      await expect(platform.ask('/api/v3/health')).rejects.toThrow();
    } finally {
      await platform.stop();
    }
  });
});

describe('every service', () => {
  it('serves its document, its page and its metrics', async () => {
    const platform = await runHere();
    try {
      expect(platform.running.services.map(({ name }) => name)).toEqual(serviceNames());
      for (const { name, url } of platform.running.services) {
        const document = await fetch(`${url}/openapi.json`);
        const { openapi } = (await document.json()) as { openapi: string };
        expect([document.status, openapi], name).toEqual([200, '3.1.0']);
        expect((await fetch(`${url}/docs/`)).status, name).toBe(200);
        expect(await (await fetch(`${url}/metrics`)).text(), name).toContain('limpede_http_requests_total');
      }
    } finally {
      await platform.stop();
    }
  });
});
