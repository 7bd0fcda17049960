import { describe, expect, it } from 'vitest';
import { runCheck, runChecks } from '../../src/foundation/health.ts';

describe('health checks', () => {
  it('tell what works, what does not and why', async () => {
    const checks = await runChecks(
      {
        good: { probe: async () => {} },
        bad: { probe: () => Promise.reject(new Error('refused')) },
        odd: { probe: () => Promise.reject('only a word') },
        silent: {},
        nothing: null,
        version: '1.0',
        probe: 'not a function',
      },
      1000,
    );
    expect(checks).toEqual({
      good: { status: 'healthy', latency_ms: expect.any(Number), error: null },
      bad: { status: 'unhealthy', latency_ms: expect.any(Number), error: 'refused' },
      odd: { status: 'unhealthy', latency_ms: expect.any(Number), error: 'only a word' },
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
