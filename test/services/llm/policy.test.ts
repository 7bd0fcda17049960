import { describe, expect, it } from 'vitest';
import { parseSettings } from '../../../src/foundation/settings.ts';
import { lookUp, makePolicy, PolicyFile } from '../../../src/services/llm/policy.ts';
import { settings } from '../../../src/services/llm/settings.ts';

describe('makePolicy', () => {
  it('takes the limits of the specification when nothing else is said', () => {
    const policy = makePolicy(parseSettings(settings, {}), PolicyFile.parse({}));
    expect(policy.rate).toEqual({ perSecond: 10, burst: 20 });
    expect(policy.admission).toEqual({ running: 10, waiting: 0, waitMs: 2000 });
  });

  it('lets the file replace limits of the environment', () => {
    const given = parseSettings(settings, { LLM_RATE_LIMIT_RPS: '5', LLM_MAX_CONCURRENT_COMPLETIONS: '3' });
    const policy = makePolicy(given, PolicyFile.parse({ limits: { rate_limit_rps: 7, queue_size: 4 } }));
    expect(policy.rate).toEqual({ perSecond: 7, burst: 20 });
    expect(policy.admission).toMatchObject({ running: 3, waiting: 4 });
  });
});

describe('PolicyFile', () => {
  it.each<[string, unknown]>([
    ['an unknown field', { fallback: {} }],
    ['an unknown backend', { fallbacks: { m: [{ backend: 'tpu' }] } }],
    ['a negative price', { prices: { m: { input: -1, output: 0 } } }],
    ['a limit of nothing', { limits: { rate_limit_rps: 0 } }],
  ])('refuses %s', (_name, file) => {
    expect(PolicyFile.safeParse(file).success).toBe(false);
  });
});

describe('lookUp', () => {
  const table = { 'gpu:m': 1, m: 2, gpu: 3, '*': 4 };
  it.each([
    ['gpu', 'm', 1],
    ['cloud', 'm', 2],
    ['gpu', 'n', 3],
    ['cloud', 'n', 4],
  ] as const)('finds for %s and %s the most particular entry', (backend, model, expected) => {
    expect(lookUp(table, backend, model)).toBe(expected);
  });
});
