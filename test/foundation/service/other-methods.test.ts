import { fastify } from 'fastify';
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineContract, type Operations } from '../../../src/foundation/contract.ts';
import { defineFailures } from '../../../src/foundation/errors.ts';
import { refuseOtherMethods } from '../../../src/foundation/service/other-methods.ts';

const table = {
  validation_failed: [400, 'The request is not valid.'],
  invalid_json: [400, 'The body is not JSON.'],
  payload_too_large: [413, 'The body is too large.'],
  not_found: [404, 'Nothing is here.'],
  internal_error: [500, 'Something went wrong.'],
  shutting_down: [503, 'The service is stopping.'],
} as const;
const operation = (method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string) =>
  ({ method, path, summary: 'Any', access: 'bearer', answer: z.object({}) }) as const;
const operations: Operations = {
  read: operation('GET', '/v1/one'),
  write: operation('PUT', '/v1/one'),
  send: operation('POST', '/v1/items/{id}'),
  file: operation('GET', '/v1/files/{bucket}/{key*}'),
};

let app = fastify();
afterEach(async () => {
  await app.close();
  app = fastify();
});

/** An app that answers the operations of the contract, and other methods as the function under test has it. */
function appOf(errors: Parameters<typeof defineContract>[0]['errors']) {
  const contract = defineContract({
    name: 's',
    title: 'S',
    version: '1',
    description: 'S',
    errors,
    operations,
  });
  app.get('/v1/one', async () => 'one');
  app.put('/v1/one', async () => 'one');
  app.post('/v1/items/:id', async () => 'item');
  app.get('/v1/files/:bucket/*', async () => 'file');
  app.setErrorHandler((error, _request, reply) => {
    const { status, headers, code } = error as unknown as { status: number; headers: object; code: string };
    return reply
      .code(status)
      .headers({ ...headers })
      .send({ code });
  });
  refuseOtherMethods(app, contract);
  return app;
}

describe('a method that a path does not know', () => {
  it.each([
    ['DELETE', '/v1/one', 'GET, HEAD, PUT'],
    ['PATCH', '/v1/one', 'GET, HEAD, PUT'],
    ['POST', '/v1/one', 'GET, HEAD, PUT'],
    ['GET', '/v1/items/7', 'POST'],
    ['HEAD', '/v1/items/7', 'POST'],
    ['PUT', '/v1/files/b/a/c.png', 'GET, HEAD'],
  ] as const)('%s %s is refused with those that it knows', async (method, url, allow) => {
    const reply = await appOf(defineFailures({ ...table, method_not_allowed: [405, 'Not so.'] })).inject({
      method,
      url,
      headers: { 'content-type': 'application/json' },
      ...(method !== 'GET' && method !== 'HEAD' && { payload: '{' }),
    });
    expect([reply.statusCode, reply.headers.allow]).toEqual([405, allow]);
    if (method !== 'HEAD') expect(reply.json()).toEqual({ code: 'method_not_allowed' });
  });

  it('leaves the others as they are', async () => {
    const built = appOf(defineFailures({ ...table, method_not_allowed: [405, 'Not so.'] }));
    expect((await built.inject('/v1/one')).body).toBe('one');
    expect((await built.inject({ method: 'POST', url: '/v1/items/7' })).body).toBe('item');
    expect((await built.inject({ method: 'PATCH', url: '/v1/none' })).statusCode).toBe(404);
  });

  it('is not found where the service has no word for it', async () => {
    expect((await appOf(defineFailures(table)).inject({ method: 'PATCH', url: '/v1/one' })).statusCode).toBe(
      404,
    );
  });
});
