import { describe, expect, it } from 'vitest';
import { RequestRefusal, readRequest } from '../../../../../src/services/llm/backends/embedded/request.ts';

const bytes = (body: unknown) => Buffer.from(JSON.stringify(body));
const messages = [{ role: 'user', content: 'hi' }];
const chat = (more: Record<string, unknown> = {}) =>
  readRequest('chat', bytes({ model: 'm', messages, temperature: 0.7, ...more }));

const weather = {
  type: 'function',
  function: { name: 'weather', parameters: { type: 'object', properties: { city: { type: 'string' } } } },
};
const called = { id: 'c1', type: 'function', function: { name: 'weather', arguments: '{"city":"Iași"}' } };

const plain = {
  kind: 'chat',
  maxTokens: null,
  temperature: 0.7,
  topP: null,
  topK: null,
  minP: null,
  seed: null,
  frequencyPenalty: 0,
  presencePenalty: 0,
  stop: [],
  turns: [{ role: 'user', text: 'hi', calls: [] }],
  thinking: null,
  form: null,
  tools: [],
  manyCalls: true,
};

describe('a request to the embedded engine', () => {
  it('is read', () => {
    expect(chat()).toEqual({ model: 'm', jobs: [plain], usage: false });
  });

  it.each<[Record<string, unknown>, Record<string, unknown>]>([
    [{ max_tokens: 5 }, { maxTokens: 5 }],
    [{ max_completion_tokens: 5 }, { maxTokens: 5 }],
    [
      { top_p: 0.5, top_k: 4, min_p: 0.1, seed: 9 },
      { topP: 0.5, topK: 4, minP: 0.1, seed: 9 },
    ],
    [
      { frequency_penalty: -1, presence_penalty: 2 },
      { frequencyPenalty: -1, presencePenalty: 2 },
    ],
    [{ stop: 'a' }, { stop: ['a'] }],
    [{ stop: ['a', '', 'b'] }, { stop: ['a', 'b'] }],
    [{ stop: null, seed: null, n: null, tools: [] }, {}],
    [{ response_format: { type: 'text' } }, {}],
    [{ response_format: { type: 'json_object' } }, { form: 'json' }],
    [
      { response_format: { type: 'json_schema', json_schema: { name: 'x', schema: { type: 'object' } } } },
      { form: { schema: { type: 'object' } } },
    ],
    [{ chat_template_kwargs: { enable_thinking: false } }, { thinking: false }],
    [{ tools: [weather], tool_choice: 'none' }, {}],
    [
      {
        messages: [
          { role: 'developer', content: 'a' },
          { role: 'user', content: [{ type: 'text', text: 'b' }] },
          { role: 'assistant', content: null },
        ],
      },
      {
        turns: [
          { role: 'system', text: 'a', calls: [] },
          { role: 'user', text: 'b', calls: [] },
          { role: 'assistant', text: '', calls: [] },
        ],
      },
    ],
    [
      { tools: [weather], parallel_tool_calls: false },
      {
        tools: [{ name: 'weather', description: null, parameters: weather.function.parameters }],
        manyCalls: false,
      },
    ],
    [
      {
        messages: [
          ...messages,
          { role: 'assistant', content: null, tool_calls: [called] },
          { role: 'tool', tool_call_id: 'c1', content: 'sun' },
        ],
      },
      {
        turns: [
          { role: 'user', text: 'hi', calls: [] },
          {
            role: 'assistant',
            text: '',
            calls: [{ name: 'weather', parameters: { city: 'Iași' }, result: 'sun' }],
          },
        ],
      },
    ],
    [{ unknown_field: true }, {}],
  ])('%j', (given, expected) => {
    expect(chat(given).jobs).toEqual([{ ...plain, ...expected }]);
  });

  it('asks for usage only where the caller did', () => {
    expect(chat({ stream_options: { include_usage: true } }).usage).toBe(true);
  });

  it('has a job for each prompt', () => {
    const read = (prompt: unknown) => readRequest('complete', bytes({ model: 'm', prompt })).jobs;
    expect(read('a')).toMatchObject([{ kind: 'text', prompt: 'a' }]);
    expect(read(['a', 'b'])).toMatchObject([{ prompt: 'a' }, { prompt: 'b' }]);
    expect(() => read([1, 2])).toThrow(RequestRefusal);
    expect(() => read([])).toThrow(RequestRefusal);
  });

  it.each<[Record<string, unknown>, string]>([
    [{ n: 2 }, 'one choice'],
    [{ logprobs: true }, 'log probabilities'],
    [{ tools: [weather], tool_choice: 'required' }, 'none or auto'],
    [{ tools: [weather], response_format: { type: 'json_object' } }, 'either tools or a response_format'],
    [{ messages: [{ role: 'critic', content: 'x' }] }, 'no messages of the role critic'],
    [
      { messages: [{ role: 'assistant', tool_calls: [called] }] },
      'The result of the tool call c1 is missing',
    ],
    [
      {
        messages: [
          { role: 'assistant', tool_calls: [{ id: 'c1', function: { name: 'a', arguments: '{' } }] },
          { role: 'tool', tool_call_id: 'c1', content: 'x' },
        ],
      },
      'c1 are no JSON',
    ],
    [
      { messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'data:' } }] }] },
      'parts of the type image_url',
    ],
    [{ response_format: { type: 'grammar' } }, 'response_format'],
  ])('%j is refused', (given, message) => {
    expect(() => chat(given)).toThrow(message);
    expect(() => chat(given)).toThrow(RequestRefusal);
  });
});
