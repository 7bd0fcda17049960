import { describe, expect, it } from 'vitest';
import { type Mount, mountedRoutes, urlSetting } from '../../../src/services/gateway/mounts.ts';
import { gatewaySettings } from '../../../src/services/gateway/settings.ts';
import { FILE_BYTES, sample } from '../../foundation/service/sample.ts';

const MIB = 1024 * 1024;
const LIMITS = { bodyBytes: 2 * MIB, uploadBytes: 50 * MIB };
const mount = (changes: Partial<Mount> = {}): Mount => ({
  contract: sample,
  prefix: '/api',
  callers: 'known',
  ...changes,
});

/** The routes of a mount by method and path. */
function routes(of: Mount, limits = LIMITS) {
  const all = mountedRoutes(of, limits);
  const keys = all.flatMap(({ methods, path }) => methods.map((method) => `${method} ${path}`));
  expect(new Set(keys).size).toBe(keys.length);
  return Object.fromEntries(all.map((route) => [`${route.methods[0]} ${route.path}`, route]));
}

describe('the routes that lead to a service', () => {
  it('are one for everything, for callers who are known', () => {
    expect(routes(mount())['GET /api/*']).toEqual({
      methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'],
      path: '/api/*',
      name: 'sample',
      callers: 'known',
      bodyBytes: 2 * MIB,
    });
  });

  it('are open where the contract says so, with the documentation, but not for how the service is', () => {
    const found = routes(mount());
    expect(found['GET /api/v1/file/:name']).toMatchObject({ callers: 'anybody', methods: ['GET', 'HEAD'] });
    for (const path of ['', '/openapi.json', '/docs/*', '/metrics'])
      expect(found[`GET /api${path}`]).toMatchObject({ callers: 'anybody' });
    for (const path of ['/health', '/ready', '/v1/info']) expect(found[`GET /api${path}`]).toBeUndefined();
  });

  it('take as much as the contract allows, and no more than the operator', () => {
    const ample = routes(mount());
    expect(ample['POST /api/v1/upload']?.bodyBytes).toBeGreaterThan(FILE_BYTES);
    expect(ample['POST /api/v1/upload']?.bodyBytes).toBeLessThan(LIMITS.uploadBytes);
    expect(ample['POST /api/v1/digest']?.bodyBytes).toBe(FILE_BYTES);
    expect(ample['POST /api/v1/upload']?.name).toBe('sample.upload');
    const narrow = routes(mount(), { bodyBytes: 1000, uploadBytes: 5000 });
    expect(narrow['POST /api/v1/upload']?.bodyBytes).toBe(5000);
    expect(narrow['GET /api/*']?.bodyBytes).toBe(1000);
    expect(routes(mount({ bodyBytes: 10 }))['GET /api/*']?.bodyBytes).toBe(10);
  });

  it('know a stream of events', () => {
    expect(routes(mount())['GET /api/v1/events/:id']).toMatchObject({ heartbeatMs: 400 });
  });

  it('are all for staff, or all for anybody, where the table says so', () => {
    const staff = mountedRoutes(mount({ callers: 'admins' }), LIMITS);
    expect(staff.map(({ callers }) => callers)).toEqual(staff.map(() => 'admins'));
    expect(staff.map(({ path }) => path)).not.toContain('/api/openapi.json');
    const open = mountedRoutes(mount({ callers: 'anybody' }), LIMITS);
    expect(open.map(({ callers }) => callers)).toEqual(open.map(() => 'anybody'));
  });

  it('need a setting with the address of the service', () => {
    expect(urlSetting(mount())).toBe('SAMPLE_URL');
    expect(Object.keys(gatewaySettings([mount()]).shape)).toContain('SAMPLE_URL');
  });
});
