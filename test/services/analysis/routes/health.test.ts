import { describe, expect, it } from 'vitest';
import type { Probeable } from '../../../../src/foundation/health.ts';
import { Reply } from '../../../../src/foundation/service/reply.ts';
import type { Call, Handlers } from '../../../../src/foundation/service.ts';
import type { healthOperations } from '../../../../src/services/analysis/contract/health.ts';
import type { DeepHealthResponse } from '../../../../src/services/analysis/resources/health.ts';
import { healthParts, healthRoutes, type Probes } from '../../../../src/services/analysis/routes/health.ts';
import { startManualClock } from '../../../patience.ts';

const works: Probeable = { probe: async () => {} };
const broken = (message: string): Probeable => ({ probe: () => Promise.reject(new Error(message)) });

type Routes = Handlers<typeof healthOperations>;

/** Status and body of an answer, as sent. */
async function ask(name: 'basicHealth' | 'deepHealth', probes: Probes) {
  const routes: Routes = healthRoutes(probes, '1.2.3');
  const input = {
    params: undefined,
    query: undefined,
    headers: undefined,
    body: undefined,
    lastEventId: undefined,
  };
  const answer = await routes[name](input, {} as Call);
  return answer instanceof Reply ? [answer.status, answer.body] : [200, answer];
}

const all = { database: works, broker: works, framework: works };

describe('a lost cache', () => {
  const probes = { ...all, cache: broken('no connection to Redis') };

  it('is told by deep health, and keeps no request away', async () => {
    expect(await ask('deepHealth', probes)).toMatchObject([
      503,
      { status: 'unhealthy', checks: { cache: { status: 'unhealthy', error: 'no connection to Redis' } } },
    ]);
    expect(await ask('basicHealth', probes)).toMatchObject([200, { status: 'healthy' }]);
    expect(healthParts(probes).ready).toEqual(all);
  });
});

describe('readiness', () => {
  it('asks for nothing that an analysis can do without', () => {
    const parts = { ...all, llm: works };
    expect(healthParts(parts)).toEqual({ parts, critical: ['database', 'broker', 'framework'], ready: all });
  });
});

describe('basic health', () => {
  it('is that of what the service cannot do without', async () => {
    expect(await ask('basicHealth', all)).toMatchObject([
      200,
      { status: 'healthy', service: 'analysis', version: '1.2.3' },
    ]);
    expect(await ask('basicHealth', { ...all, llm: broken('gone') })).toMatchObject([
      200,
      { status: 'healthy' },
    ]);
  });

  it.each(['database', 'broker', 'framework'])('falls with the %s', async (name) => {
    const probes = { ...all, [name]: broken('gone') };
    expect(await ask('basicHealth', probes)).toMatchObject([503, { status: 'unhealthy' }]);
    expect(await ask('deepHealth', probes)).toMatchObject([
      503,
      { status: 'unhealthy', checks: { [name]: { status: 'unhealthy', error: 'gone' } } },
    ]);
  });
});

describe('deep health', () => {
  const hangs: Probeable = { probe: () => new Promise(() => undefined) };
  const names = ['database', 'broker', 'cache', 'framework', 'llm', 'domain_check'];

  it('answers within 3 seconds when no dependency does, and does not listen to its signal', async () => {
    const clock = startManualClock();
    try {
      const asked = ask('deepHealth', Object.fromEntries(names.map((name) => [name, hangs])));
      await clock.advance(2_999);
      const [status, body] = await asked;
      expect(status).toBe(503);
      expect(body).toMatchObject({ checks: { database: { status: 'unhealthy', latency_ms: 2000 } } });
      expect((body as DeepHealthResponse).total_check_ms).toBeLessThan(3_000);
    } finally {
      clock.restore();
    }
  });

  it('looks once for all who ask meanwhile, and again for the next', async () => {
    let looks = 0;
    const counted: Probeable = {
      probe: async () => {
        looks += 1;
      },
    };
    const routes: Routes = healthRoutes({ ...all, database: counted }, '1.2.3');
    const input = {
      params: undefined,
      query: undefined,
      headers: undefined,
      body: undefined,
      lastEventId: undefined,
    };
    await Promise.all(Array.from({ length: 100 }, () => routes.deepHealth(input, {} as Call)));
    expect(looks).toBe(1);
    await routes.deepHealth(input, {} as Call);
    expect(looks).toBe(2);
  });
});
