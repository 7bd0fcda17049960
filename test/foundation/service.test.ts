import { pino } from 'pino';
import { Registry } from 'prom-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineContract } from '../../src/foundation/contract.ts';
import { defineFailures, errorResponse } from '../../src/foundation/errors.ts';
import type { Probeable } from '../../src/foundation/health.ts';
import type { Platform } from '../../src/foundation/platform.ts';
import { answer } from '../../src/foundation/service/reply.ts';
import { type BuiltService, buildService, defineService } from '../../src/foundation/service.ts';

const errors = defineFailures({
  validation_failed: [400, 'The request is not valid.'],
  invalid_json: [400, 'The body is not JSON.'],
  payload_too_large: [413, 'The body is too large.'],
  not_found: [404, 'Nothing is here.'],
  internal_error: [500, 'Something went wrong.'],
  shutting_down: [503, 'The service is stopping.'],
  token_missing: [401, 'A token is needed.'],
  forbidden_role: [403, 'Your role may not do this.'],
  queue_empty: [404, 'The queue is empty.'],
});

const contract = defineContract({
  name: 'sample',
  title: 'Sample',
  version: '1.0.0',
  description: 'A service for the tests.',
  errors,
  operations: {
    echo: {
      method: 'POST',
      path: '/v1/echo/{id}',
      summary: 'Echo',
      access: 'bearer',
      params: z.object({ id: z.string() }),
      query: z.object({ times: z.coerce.number().int().min(1).max(3).default(1) }),
      body: z.looseObject({ text: z.string().min(2), tags: z.array(z.string()).optional() }),
      answer: z.object({ said: z.string() }).meta({ id: 'Echo' }),
      answers: { 202: z.object({ later: z.boolean() }) },
    },
    admin: {
      method: 'PUT',
      path: '/v1/admin',
      summary: 'Admin',
      access: { roles: ['admin'] },
      body: z.object({ on: z.boolean() }),
      answer: z.object({}),
    },
    broken: { method: 'GET', path: '/v1/broken', summary: 'Broken', access: 'public', answer: z.object({}) },
    empty: { method: 'GET', path: '/v1/empty', summary: 'Empty', access: 'public', answer: z.object({}) },
    file: {
      method: 'GET',
      path: '/v1/file/{bucket}/{key*}',
      summary: 'File',
      access: 'public',
      params: z.object({ bucket: z.string(), key: z.string() }),
      answer: z.object({ key: z.string() }),
    },
    bytes: {
      method: 'POST',
      path: '/v1/bytes',
      summary: 'Bytes',
      access: 'public',
      raw: true,
      bodyLimit: 64,
      answer: z.object({}),
    },
    old: {
      method: 'GET',
      path: '/v1/old',
      summary: 'Old',
      access: 'public',
      answer: z.object({}),
      deprecated: { successor: '/v1/empty', since: '2026-01-01', sunset: '2027-01-01' },
    },
  },
});

const service = defineService({
  contract,
  settings: z.object({}),
  needs: async () => ({ closed: [] as string[], disk: { probe: async () => {} } }),
  errorBody: (failure, call) => errorResponse(failure, call.correlationId),
  authenticate: () => async (headers) => {
    if (headers.authorization === undefined) throw errors.token_missing();
    const [realm = '', role = ''] = headers.authorization.split('/');
    return {
      subject: 'ana',
      email: null,
      realm,
      roles: [role],
      planCap: null,
      application: null,
    };
  },
  routes: () => ({
    echo: ({ body, params, query }, call) => {
      if (body.text === 'later') return answer(202, { later: true }, { location: '/v1/x' });
      return { said: `${call.caller?.subject} ${params.id} ${body.text.repeat(query.times)}` };
    },
    admin: () => ({}),
    broken: () => {
      throw new Error('secret detail');
    },
    empty: () => {
      throw errors.queue_empty();
    },
    file: ({ params }) => ({ key: params.key }),
    bytes: async (request, reply) => reply.send({ size: (request.body as Buffer).length }),
    old: () => ({}),
  }),
});

const platform: Platform = {
  home: '/nowhere',
  version: '0.0.0',
  publicUrl: 'http://127.0.0.1',
  log: pino({ level: 'silent' }),
  metrics: new Registry(),
  database: () => Promise.reject(new Error('no database in this test')),
};

let built: BuiltService<{ closed: string[]; disk: Probeable }>;
beforeAll(async () => {
  built = await buildService(service, {}, platform);
});
afterAll(() => built.close());

const post = (url: string, payload: unknown, headers: Record<string, string> = { authorization: 'user' }) =>
  built.app.inject({
    method: 'POST',
    url,
    payload: typeof payload === 'string' ? payload : JSON.stringify(payload),
    headers: { 'content-type': 'application/json', ...headers },
  });

describe('a service', () => {
  it('hands checked parts to the handler and answers its result', async () => {
    const reply = await post('/v1/echo/7?times=2', { text: 'da', extra: 1 });
    expect(reply.statusCode).toBe(200);
    expect(reply.json()).toEqual({ said: 'ana 7 dada' });
    expect(reply.headers['x-correlation-id']).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('takes over a correlation id that is a uuid, and no other', async () => {
    const id = '6f1c1f0e-6f1c-4f0e-8f1c-1f0e6f1c1f0e';
    const kept = await post('/v1/echo/7', { text: 'x' }, { authorization: 'u', 'x-correlation-id': id });
    expect(kept.headers['x-correlation-id']).toBe(id);
    expect(kept.json()).toMatchObject({ correlation_id: id });
    const replaced = await post(
      '/v1/echo/7',
      { text: 'da' },
      { authorization: 'u', 'x-correlation-id': 'evil\\nline' },
    );
    expect(replaced.headers['x-correlation-id']).not.toContain('evil');
  });

  it('answers another status with headers', async () => {
    const reply = await post('/v1/echo/7', { text: 'later' });
    expect([reply.statusCode, reply.headers.location, reply.json()]).toEqual([202, '/v1/x', { later: true }]);
  });

  it.each([
    ['no body', '', 'validation_failed', 400],
    ['broken JSON', '{"text":', 'invalid_json', 400],
    ['an array', '[]', 'validation_failed', 400],
    ['null', 'null', 'validation_failed', 400],
    ['a wrong type', '{"text": 5}', 'validation_failed', 400],
    ['deep nesting', `${'['.repeat(5000)}${']'.repeat(5000)}`, 'invalid_json', 400],
    ['bytes that are no UTF-8', Buffer.from([0x7b, 0xff, 0x7d]).toString('latin1'), 'invalid_json', 400],
  ])('tells %s in the error shape', async (_name, payload, code, status) => {
    const reply = await built.app.inject({
      method: 'POST',
      url: '/v1/echo/1',
      payload: Buffer.from(payload, 'latin1'),
      headers: { 'content-type': 'application/json', authorization: 'user' },
    });
    expect(reply.statusCode).toBe(status);
    expect(reply.json()).toMatchObject({ success: false, error_code: code });
  });

  it('asks for the token before it reads the body', async () => {
    const reply = await post('/v1/echo/1', '{', {});
    expect([reply.statusCode, reply.json().error_code]).toEqual([401, 'token_missing']);
  });

  it('checks the body before the role', async () => {
    const put = (payload: string, authorization: string) =>
      built.app.inject({
        method: 'PUT',
        url: '/v1/admin',
        payload,
        headers: { authorization, 'content-type': 'application/json' },
      });
    expect((await put('{}', 'admins/user')).statusCode).toBe(400);
    expect((await put('{"on":true}', 'admins/user')).json().error_code).toBe('forbidden_role');
    expect((await put('{"on":true}', 'admins/admin')).statusCode).toBe(200);
  });

  it('knows roles of the realm of staff only', async () => {
    const reply = await built.app.inject({
      method: 'PUT',
      url: '/v1/admin',
      payload: '{"on":true}',
      headers: { authorization: 'clients/admin', 'content-type': 'application/json' },
    });
    expect([reply.statusCode, reply.json().error_code]).toEqual([403, 'forbidden_role']);
  });

  it('hides what went wrong inside', async () => {
    const reply = await built.app.inject('/v1/broken');
    expect([reply.statusCode, reply.json().error_code]).toEqual([500, 'internal_error']);
    expect(reply.body).not.toContain('secret');
  });

  it('refuses large bodies, unknown paths and methods', async () => {
    const large = await built.app.inject({ method: 'POST', url: '/v1/bytes', payload: Buffer.alloc(65) });
    expect([large.statusCode, large.json().error_code]).toEqual([413, 'payload_too_large']);
    const fits = await built.app.inject({ method: 'POST', url: '/v1/bytes', payload: Buffer.alloc(64) });
    expect(fits.json()).toEqual({ size: 64 });
    for (const url of ['/v1/none', '/v1/bytes', '/%zz']) {
      const reply = await built.app.inject(url);
      expect(reply.statusCode, url).toBeGreaterThanOrEqual(400);
      expect(reply.statusCode, url).toBeLessThan(500);
      expect(reply.json(), url).toMatchObject({ success: false });
    }
  });

  it('spans path segments, announces deprecation, documents itself', async () => {
    expect((await built.app.inject('/v1/file/b/a/c.png')).json()).toEqual({ key: 'a/c.png' });
    const old = await built.app.inject('/v1/old');
    expect(old.headers.deprecation).toMatch(/^@\d+$/);
    expect(old.headers.link).toContain('successor-version');
    const document = (await built.app.inject('/openapi.json')).json();
    expect(document.paths['/v1/echo/{id}'].post.responses['202']).toBeDefined();
    expect(document.components.schemas.Echo).toBeDefined();
    expect((await built.app.inject('/docs/')).statusCode).toBe(200);
    expect((await built.app.inject('/metrics')).body).toContain(
      'limpede_http_requests_total{service="sample",operation="echo"',
    );
  });
});
