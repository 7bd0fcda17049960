import { describe, expect, it } from 'vitest';
import { parseSettings } from '../../../src/foundation/settings.ts';
import { makePolicy, policyFile } from '../../../src/services/llm/policy.ts';
import { llmSettings } from '../../../src/services/llm/settings.ts';

describe('makePolicy', () => {
  it('takes the limits of the specification when nothing else is said', () => {
    const policy = makePolicy(parseSettings(llmSettings, {}), policyFile.parse({}));
    expect(policy.rate).toEqual({ perSecond: 10, burst: 20 });
    expect(policy.concurrency).toEqual({ running: 10, waiting: 0, waitMs: 2000 });
  });

  it('lets the file replace limits of the environment', () => {
    const settings = parseSettings(llmSettings, {
      LLM_RATE_LIMIT_RPS: '5',
      LLM_MAX_CONCURRENT_COMPLETIONS: '3',
    });
    const policy = makePolicy(settings, policyFile.parse({ limits: { rate_limit_rps: 7, queue_size: 4 } }));
    expect(policy.rate).toEqual({ perSecond: 7, burst: 20 });
    expect(policy.concurrency).toMatchObject({ running: 3, waiting: 4 });
  });
});

describe('policyFile', () => {
  it.each<[string, unknown]>([
    ['an unknown field', { fallback: {} }],
    ['an unknown backend', { fallbacks: { m: [{ backend: 'tpu' }] } }],
    ['a negative price', { prices: { m: { input: -1, output: 0 } } }],
    ['a limit of nothing', { limits: { rate_limit_rps: 0 } }],
  ])('refuses %s', (_name, file) => {
    expect(policyFile.safeParse(file).success).toBe(false);
  });
});
