import { describe, expect, it } from 'vitest';
import { mostSpecific } from '../../../../src/services/llm/backends/model-table.ts';

describe('mostSpecific', () => {
  const table = { 'gpu:m': 1, m: 2, gpu: 3, '*': 4 };
  it.each([
    ['gpu', 'm', 1],
    ['cloud', 'm', 2],
    ['gpu', 'n', 3],
    ['cloud', 'n', 4],
  ] as const)('finds for %s and %s the most specific entry', (backend, model, expected) => {
    expect(mostSpecific(table, backend, model)).toBe(expected);
  });
});
