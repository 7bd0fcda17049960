import { describe, expect, it } from 'vitest';
import { usageIn } from '../../../../src/services/llm/wire/token-usage.ts';

describe('usageIn', () => {
  it.each<[string, unknown, object | undefined]>([
    [
      'a usage at the end',
      { id: 1, usage: { prompt_tokens: 3, completion_tokens: 4 } },
      { promptTokens: 3, completionTokens: 4 },
    ],
    [
      'a usage before other fields',
      { usage: { prompt_tokens: 3, completion_tokens: 4, cost: 0.1 }, x: { a: 1 } },
      { cost: 0.1 },
    ],
    [
      'a usage without completion tokens',
      { usage: { prompt_tokens: 3 } },
      { promptTokens: 3, completionTokens: null },
    ],
    ['no usage in a text', { content: '"usage":{"prompt_tokens":9}' }, undefined],
    ['a null usage', { usage: null }, undefined],
    ['an empty usage', { usage: {} }, undefined],
    ['a negative usage', { usage: { prompt_tokens: -1 } }, undefined],
    [
      'a usage that is followed by another of that name',
      { usage: { prompt_tokens: 3 }, x: { usage: 'high' } },
      { promptTokens: 3 },
    ],
  ])('reads %s', (_name, answer, expected) => {
    const compact = usageIn(Buffer.from(JSON.stringify(answer)));
    const spaced = usageIn(Buffer.from(JSON.stringify(answer, null, 2)));
    expect(spaced).toEqual(compact);
    if (expected === undefined) expect(compact).toBeUndefined();
    else expect(compact).toMatchObject(expected);
  });
});
