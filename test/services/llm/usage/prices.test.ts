import { describe, expect, it } from 'vitest';
import { costOf } from '../../../../src/services/llm/usage/prices.ts';

const prices = {
  m: { input: 1, output: 2 },
  'cloud:m': { input: 10, output: 20 },
  gpu: { input: 0.5, output: 0.5 },
};
const usage = { promptTokens: 1_000_000, completionTokens: 500_000, cost: null };

describe('costOf', () => {
  it.each([
    ['a model', 'cpu', 'm', usage, 2],
    ['a model at a backend', 'cloud', 'm', usage, 20],
    ['a backend', 'gpu', 'n', usage, 0.75],
    ['what the provider charged', 'cloud', 'n', { ...usage, cost: 0.3 }, 0.3],
    ['nothing that is known', 'cloud', 'n', usage, null],
    ['tokens that nobody told', 'gpu', 'n', { promptTokens: null, completionTokens: null, cost: null }, null],
    ['a name of all objects', 'cloud', 'constructor', usage, null],
  ] as const)('%s', (_name, backend, model, used, expected) => {
    expect(costOf(prices, backend, model, used)).toBe(expected);
  });
});
