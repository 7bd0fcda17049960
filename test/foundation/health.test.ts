import { describe, expect, it } from 'vitest';
import {
  type HealthCheck,
  type HealthStatus,
  overallHealth,
  parseStatus,
  probeableNeeds,
  runCheck,
  runChecks,
} from '../../src/foundation/health.ts';

const works = { probe: async () => {} };

describe('the health of a service', () => {
  const [healthy, unhealthy, unknown] = (['healthy', 'unhealthy', 'unknown'] as const).map(
    (status): HealthCheck => ({ status, latency_ms: null, error: null }),
  ) as [HealthCheck, HealthCheck, HealthCheck];

  it.each<[HealthStatus, Record<string, HealthCheck>, string[]]>([
    ['healthy', { a: healthy, b: healthy }, ['a']],
    ['healthy', { a: healthy, b: unknown }, ['a']],
    ['degraded', { a: healthy, b: unhealthy }, ['a']],
    ['unhealthy', { a: unhealthy, b: healthy }, ['a']],
    ['unhealthy', { a: unknown, b: healthy }, ['a']],
    ['unhealthy', { b: healthy }, ['a']],
    ['healthy', { a: healthy, b: healthy }, []],
    ['healthy', { a: healthy, b: unknown }, []],
    ['degraded', { a: healthy, b: unhealthy }, []],
    ['unhealthy', { a: unhealthy, b: unhealthy }, []],
    ['unhealthy', { a: unknown }, []],
  ])('is %s with %j, of which %j are critical', (status, checks, critical) => {
    expect(overallHealth(checks, critical)).toBe(status);
  });

  it('is read from the words of services of other forms', () => {
    expect(['ok', 'unavailable', 'degraded', 'fine'].map(parseStatus)).toEqual([
      'healthy',
      'unhealthy',
      'degraded',
      undefined,
    ]);
  });

  it('is not made up for by parts that stand aside', () => {
    const health = (checks: Record<string, HealthCheck>) => overallHealth(checks, [], ['aside']);
    expect(health({ a: healthy, aside: unhealthy })).toBe('degraded');
    expect(health({ a: unhealthy, aside: healthy })).toBe('unhealthy');
  });

  it('is made of the needs that carry a probe, unless the service names its parts', () => {
    const needs = {
      database: works,
      silent: {},
      nothing: null,
      version: '1.0',
      odd: { probe: 'no function' },
    };
    expect(probeableNeeds(needs)).toEqual({ parts: { database: works }, critical: ['database'] });
  });
});

describe('health checks', () => {
  it('tell what works, what does not and why', async () => {
    const checks = await runChecks(
      {
        good: { probe: async () => {} },
        bad: { probe: () => Promise.reject(new Error('refused')) },
        odd: { probe: () => Promise.reject('only a word') },
        off: undefined,
      },
      1000,
    );
    expect(checks).toEqual({
      good: { status: 'healthy', latency_ms: expect.any(Number), error: null },
      bad: { status: 'unhealthy', latency_ms: expect.any(Number), error: 'refused' },
      odd: { status: 'unhealthy', latency_ms: expect.any(Number), error: 'only a word' },
      off: { status: 'unknown', latency_ms: null, error: 'switched off' },
    });
  });

  it('end at their limit even when the part does not listen', async () => {
    let aborted = false;
    const deaf = {
      probe: (signal: AbortSignal) =>
        new Promise<void>(() => {
          signal.addEventListener('abort', () => {
            aborted = true;
          });
        }),
    };
    expect(await runCheck(deaf, 20)).toMatchObject({ status: 'unhealthy', error: 'no answer within 20 ms' });
    expect(aborted).toBe(true);
  });

  it('survive a part that throws before it waits', async () => {
    const rash = {
      probe: () => {
        throw new Error('at once');
      },
    };
    const unheard: unknown[] = [];
    const hear = (reason: unknown) => unheard.push(reason);
    process.on('unhandledRejection', hear);
    expect(await runCheck(rash, 20)).toMatchObject({ status: 'unhealthy', error: 'at once' });
    await new Promise((resolve) => setTimeout(resolve, 60));
    process.off('unhandledRejection', hear);
    expect(unheard).toEqual([]);
  });
});
