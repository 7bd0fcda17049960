import { describe, expect, it } from 'vitest';
import { gatewayRoot } from '../../../../../src/services/analysis/dependencies/text-model/serving.ts';

describe('the address of the gateway', () => {
  it.each([
    ['http://llm:1', 'http://llm:1'],
    ['http://llm:1/v1', 'http://llm:1'],
    ['http://llm:1/v1/', 'http://llm:1'],
    ['http://llm:1/proxy/v1', 'http://llm:1/proxy'],
    ['http://llm:1/v11', 'http://llm:1/v11'],
    [undefined, undefined],
  ])('%s', (given, root) => {
    expect(gatewayRoot(given)).toBe(root);
  });
});
