import { describe, expect, expectTypeOf, it } from 'vitest';
import { z } from 'zod';
import { type Client, createClient } from '../../../src/foundation/client.ts';
import { type Contract, defineContract } from '../../../src/foundation/contract.ts';
import { defineFailures, errorResponse } from '../../../src/foundation/errors.ts';
import type { HealthParts, Probeable } from '../../../src/foundation/health.ts';
import { buildService, defineService } from '../../../src/foundation/service.ts';
import { type HealthForm, listForm } from '../../../src/foundation/standard-operations.ts';
import { samplePlatform } from './sample.ts';

const errors = defineFailures({
  validation_failed: [400, 'The request is not valid.'],
  invalid_json: [400, 'The body is not JSON.'],
  payload_too_large: [413, 'The body is too large.'],
  not_found: [404, 'Nothing is here.'],
  internal_error: [500, 'Something went wrong.'],
  shutting_down: [503, 'The service is stopping.'],
});

const base = {
  name: 'sample',
  title: 'Sample',
  version: '1.0.0',
  description: 'A service for the tests.',
  errors,
  operations: {
    echo: { method: 'GET', path: '/v1/echo', summary: 'Echo', access: 'public', answer: z.object({}) },
  },
} as const;

/** 200 and a word, or 503 and another, as some services of the field have it. */
const wordBody = z.object({ status: z.enum(['ok', 'unavailable']) });
const wordForm: HealthForm<typeof wordBody> = {
  body: wordBody,
  unhealthyStatus: 503,
  describe: ({ status }) => ({ status: status === 'unhealthy' ? 'unavailable' : 'ok' }),
};

/** A part whose state a test changes. */
function switchable() {
  let reason: string | undefined;
  let asked = 0;
  const waiting: (() => void)[] = [];
  let slow = false;
  const part: Probeable = {
    probe: async () => {
      asked++;
      if (slow) await new Promise<void>((resolve) => waiting.push(resolve));
      if (reason !== undefined) throw new Error(reason);
    },
  };
  return {
    part,
    breakWith: (message: string | undefined) => {
      reason = message;
    },
    beSlow: () => {
      slow = true;
    },
    release: () => {
      slow = false;
      for (const resolve of waiting.splice(0)) resolve();
    },
    get asked() {
      return asked;
    },
  };
}

async function start(contract: Contract, needs: object, health?: () => HealthParts) {
  const service = defineService({
    contract,
    settings: z.object({}),
    needs: async () => needs,
    errorBody: (failure, call) => errorResponse(failure, call.correlationId),
    routes: () => ({ echo: () => ({}) }),
    ...(health !== undefined && { health }),
  });
  const built = await buildService(service, {}, samplePlatform());
  const get = async (path: string) => {
    const answer = await built.app.inject(path);
    return [answer.statusCode, answer.json()];
  };
  return { get, close: built.close };
}

describe('the standard operations', () => {
  it('are made of the needs that carry a probe', async () => {
    const database = switchable();
    const { get, close } = await start(defineContract(base), { database: database.part, version: 1 });
    expect(await get('/health')).toEqual([
      200,
      {
        status: 'healthy',
        service: 'sample',
        version: '0.0.0',
        timestamp: expect.any(String),
        checks: { database: { status: 'healthy', latency_ms: expect.any(Number), error: null } },
      },
    ]);
    expect(await get('/ready')).toEqual([200, { ready: true }]);
    database.breakWith('the disk is full');
    expect(await get('/health')).toMatchObject([
      503,
      { status: 'unhealthy', checks: { database: { status: 'unhealthy', error: 'the disk is full' } } },
    ]);
    expect(await get('/ready')).toEqual([503, { ready: false }]);
    await close();
  });

  it('may have parts of their own, and others for readiness', async () => {
    const [searching, reading] = [switchable(), switchable()];
    const contract = defineContract({ ...base, health: listForm('providers') });
    const health = () => ({
      parts: { first: searching.part, second: reading.part },
      ready: { reading: reading.part },
    });
    const { get, close } = await start(contract, {}, health);
    searching.breakWith('no answer');
    expect(await get('/health')).toEqual([
      200,
      {
        status: 'degraded',
        providers: [
          { name: 'first', healthy: false, message: 'no answer' },
          { name: 'second', healthy: true, message: null },
        ],
      },
    ]);
    expect(await get('/ready')).toEqual([200, { ready: true }]);
    reading.breakWith('no threads');
    expect(await get('/health')).toMatchObject([200, { status: 'unhealthy' }]);
    expect(await get('/ready')).toEqual([503, { ready: false }]);
    await close();
  });

  it('may answer in a word', async () => {
    const part = switchable();
    const { get, close } = await start(defineContract({ ...base, health: wordForm }), { vision: part.part });
    expect(await get('/health')).toEqual([200, { status: 'ok' }]);
    part.breakWith('gone');
    expect(await get('/health')).toEqual([503, { status: 'unavailable' }]);
    await close();
  });

  it('ask each part once at a time, however many want to know', async () => {
    const part = switchable();
    const { get, close } = await start(defineContract(base), { database: part.part });
    part.beSlow();
    const answers = Promise.all(Array.from({ length: 20 }, () => get('/health')));
    await expect.poll(() => part.asked).toBe(1);
    part.release();
    expect((await answers).map(([status]) => status)).toEqual(Array(20).fill(200));
    expect(part.asked).toBe(1);
    await get('/health');
    expect(part.asked).toBe(2);
    await close();
  });

  it('tell the catalogue what there is', async () => {
    const models = z.object({ id: z.string() });
    const service = defineService({
      contract: defineContract({ ...base, models }),
      settings: z.object({}),
      needs: async () => ({ disk: switchable().part, ids: ['a', 'b'] }),
      errorBody: (failure, call) => errorResponse(failure, call.correlationId),
      routes: () => ({ echo: () => ({}) }),
      models: async ({ ids }) => ids.map((id) => ({ id })),
    });
    const built = await buildService(service, {}, samplePlatform());
    expect((await built.app.inject('/v1/info')).json()).toEqual({
      resource: { name: 'sample', title: 'Sample', version: '0.0.0', description: base.description },
      models: [{ id: 'a' }, { id: 'b' }],
      depends_on: [],
      functions: [
        { name: 'echo', method: 'GET', path: '/v1/echo', description: 'Echo' },
        { name: 'info', method: 'GET', path: '/v1/info', description: expect.any(String) },
        { name: 'health', method: 'GET', path: '/health', description: expect.any(String) },
        { name: 'ready', method: 'GET', path: '/ready', description: expect.any(String) },
      ],
    });
    await built.close();
  });

  it('are part of the contract, for clients and the documentation', async () => {
    const contract = defineContract({ ...base, health: listForm('providers') });
    type Sample = Client<typeof contract>;
    type Health = Exclude<Awaited<ReturnType<Sample['health']>>, undefined>;
    expectTypeOf<Health['providers']>().toEqualTypeOf<
      { name: string; healthy: boolean; message: string | null }[]
    >();
    expectTypeOf<Awaited<ReturnType<Sample['ready']>>>().toEqualTypeOf<{ ready: boolean } | undefined>();
    const client = createClient(contract, { name: 'sample', url: 'http://127.0.0.1:1', timeoutMs: 100 });
    expect(client.probe).toBeTypeOf('function');
    await client.close();
  });

  it('cannot be declared again, nor be a constant', async () => {
    const again = { method: 'GET', path: '/health', summary: 'x', access: 'public', answer: z.object({}) };
    const declare = () => defineContract({ ...base, operations: { health: again as never } });
    expect(declare).toThrow('sample declares health, which every contract has already');
    await expect(start(defineContract(base), { version: 1 })).rejects.toThrow(
      'sample has nothing to ask for its health',
    );
  });
});
