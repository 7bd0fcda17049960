import { describe, expect, it } from 'vitest';
import { listedModel } from '../../../../src/services/llm/backends/chat-api.ts';
import { retryAfterMs } from '../../../../src/services/llm/backends/http-call.ts';

describe('listedModel', () => {
  it.each<[string, unknown, object | undefined]>([
    [
      'vLLM',
      { id: 'a', created: 5.5, owned_by: 'vllm', max_model_len: 32768 },
      { created: 5, owned_by: 'vllm', context_length: 32768, loaded: true },
    ],
    [
      'OpenRouter',
      {
        id: 'a',
        context_length: 1000,
        architecture: { input_modalities: ['text', 'image'] },
        supported_parameters: ['tools', 'reasoning'],
      },
      { context_length: 1000, capabilities: ['chat', 'vision', 'tools', 'reasoning'] },
    ],
    ['llama.cpp', { id: 'a', meta: { n_ctx_train: 2048 } }, { context_length: 2048 }],
    ['the router of llama.cpp', { id: 'a', status: { value: 'unloaded' } }, { loaded: false }],
    ['Groq', { id: 'a', context_window: 8192 }, { context_length: 8192 }],
    [
      'OpenAI, which tells no length',
      { id: 'a', max_model_len: 'many' },
      { context_length: null, capabilities: ['chat'] },
    ],
    ['an entry without an id', { object: 'model' }, undefined],
    ['no entry', null, undefined],
  ])('reads %s', (_name, entry, expected) => {
    if (expected === undefined) expect(listedModel(entry)).toBeUndefined();
    else expect(listedModel(entry)).toMatchObject(expected);
  });
});

describe('retryAfterMs', () => {
  it.each<[string | undefined, string | undefined, number | undefined]>([
    ['2', undefined, 2000],
    ['0.5', undefined, 500],
    ['2', '30', 30],
    ['-4', undefined, 0],
    ['soon', undefined, undefined],
    [undefined, undefined, undefined],
    [new Date(0).toUTCString(), undefined, 0],
  ])('%s, %s', (value, exact, expected) => {
    expect(retryAfterMs(value, exact)).toBe(expected);
  });
});
