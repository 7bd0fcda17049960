import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Detail } from '../../../../src/foundation/errors.ts';
import { details } from '../../../../src/foundation/validation.ts';
import { chatRequest, textRequest } from '../../../../src/services/llm/contract.ts';
import { namedFields, requestProblems } from '../../../../src/services/llm/wire/completion-request.ts';
import { runs } from '../../../campaign.ts';

const user = { role: 'user', content: 'hi' };
const chat = (more: object = {}) => ({ model: 'm', messages: [user], ...more });

type Row = [type: string, loc: string, input: unknown];

function rows(problems: readonly Detail[]): Row[] {
  return problems.map(({ type, path, input }): Row => [type, path.join('.'), input]);
}

describe('a chat request is accepted with', () => {
  it.each<[string, object]>([
    ['the smallest request', chat()],
    ['bounds', chat({ temperature: 0, top_p: 1, frequency_penalty: -2, presence_penalty: 2, max_tokens: 1 })],
    ['other bounds', chat({ temperature: 2, top_p: 0, max_tokens: 1_000_000 })],
    [
      'null where it means absent',
      chat({ temperature: null, max_tokens: null, stop: null, backend: null, stream: null }),
    ],
    ['a stop list', chat({ stop: ['a', 'b'] })],
    ['unknown fields', chat({ min_p: 0.1, tools: [{}], n: 2 })],
    [
      'every role',
      chat({
        messages: ['system', 'assistant', 'function', 'tool', 'developer'].map((role) => ({
          role,
          content: 'x',
        })),
      }),
    ],
    ['a silent assistant', chat({ messages: [{ role: 'assistant', content: null }] })],
    ['an assistant that calls', chat({ messages: [{ role: 'assistant', tool_calls: [{}] }] })],
    ['an empty assistant', chat({ messages: [{ role: 'assistant', content: '', tool_calls: [] }] })],
    ['an empty tool answer', chat({ messages: [{ role: 'tool', content: '', tool_call_id: '1' }] })],
    [
      'parts',
      chat({ messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'data:' } }] }] }),
    ],
    ['1000 messages', chat({ messages: Array.from({ length: 1000 }, () => user) })],
    ['a named message', chat({ messages: [{ ...user, name: 'Ana' }] })],
  ])('%s', (_name, body) => {
    expect(requestProblems('chat', body)).toEqual([]);
  });

  it('its named fields', () => {
    const body = chat({
      backend: 'gpu',
      stream: true,
      stream_options: { include_usage: true },
      temperature: 1,
    });
    expect(namedFields(body)).toEqual({
      model: 'm',
      backend: 'gpu',
      stream: true,
      wantsUsage: true,
      hasTemperature: true,
      hasTemplateArguments: false,
      hasDeveloperMessage: false,
    });
  });
});

describe('a chat request is refused with', () => {
  it.each<[string, unknown, Row[]]>([
    ['nothing', undefined, [['missing', 'body', undefined]]],
    ['a list', [1], [['model_attributes_type', 'body', [1]]]],
    [
      'an empty object',
      {},
      [
        ['missing', 'body.messages', {}],
        ['missing', 'body.model', {}],
      ],
    ],
    ['messages that are no list', chat({ messages: 'x' }), [['list_type', 'body.messages', 'x']]],
    ['no messages', chat({ messages: [] }), [['too_short', 'body.messages', []]]],
    [
      'too many messages',
      chat({ messages: Array.from({ length: 1001 }, () => user) }),
      [['too_long', 'body.messages', Array.from({ length: 1001 }, () => user)]],
    ],
    [
      'a message that is a text',
      chat({ messages: ['x'] }),
      [['model_attributes_type', 'body.messages.0', 'x']],
    ],
    [
      'a missing role',
      chat({ messages: [{ content: 'x' }] }),
      [['missing', 'body.messages.0.role', { content: 'x' }]],
    ],
    [
      'an unknown role',
      chat({ messages: [{ role: 'boss', content: 'x' }] }),
      [['literal_error', 'body.messages.0.role', 'boss']],
    ],
    [
      'an empty user',
      chat({ messages: [{ role: 'user', content: '' }] }),
      [['string_too_short', 'body.messages.0.content', '']],
    ],
    [
      'a silent user',
      chat({ messages: [{ role: 'user', content: null }] }),
      [['string_type', 'body.messages.0.content', null]],
    ],
    [
      'a missing content',
      chat({ messages: [{ role: 'user' }] }),
      [['missing', 'body.messages.0.content', { role: 'user' }]],
    ],
    [
      'an assistant without anything',
      chat({ messages: [{ role: 'assistant' }] }),
      [['missing', 'body.messages.0.content', { role: 'assistant' }]],
    ],
    [
      'a number as content',
      chat({ messages: [{ role: 'user', content: 3 }] }),
      [['string_type', 'body.messages.0.content', 3]],
    ],
    [
      'no parts',
      chat({ messages: [{ role: 'user', content: [] }] }),
      [['too_short', 'body.messages.0.content', []]],
    ],
    [
      'a part without a type',
      chat({ messages: [{ role: 'user', content: [{}] }] }),
      [['missing', 'body.messages.0.content.0.type', {}]],
    ],
    [
      'a part that is a text',
      chat({ messages: [{ role: 'user', content: ['x'] }] }),
      [['model_attributes_type', 'body.messages.0.content.0', 'x']],
    ],
    [
      'a name that is a number',
      chat({ messages: [{ ...user, name: 3 }] }),
      [['string_type', 'body.messages.0.name', 3]],
    ],
    ['a null model', chat({ model: null }), [['string_type', 'body.model', null]]],
    ['an empty model', chat({ model: '' }), [['string_too_short', 'body.model', '']]],
    ['heat', chat({ temperature: 2.1 }), [['less_than_equal', 'body.temperature', 2.1]]],
    ['cold', chat({ temperature: -0.1 }), [['greater_than_equal', 'body.temperature', -0.1]]],
    ['a word for a number', chat({ temperature: 'hot' }), [['float_parsing', 'body.temperature', 'hot']]],
    ['a number in quotes', chat({ temperature: '1' }), [['float_type', 'body.temperature', '1']]],
    ['true for a number', chat({ top_p: true }), [['float_type', 'body.top_p', true]]],
    ['no tokens', chat({ max_tokens: 0 }), [['greater_than_equal', 'body.max_tokens', 0]]],
    ['too many tokens', chat({ max_tokens: 1_000_001 }), [['less_than_equal', 'body.max_tokens', 1_000_001]]],
    ['half a token', chat({ max_tokens: 1.5 }), [['int_from_float', 'body.max_tokens', 1.5]]],
    ['a word for tokens', chat({ max_tokens: 'many' }), [['float_parsing', 'body.max_tokens', 'many']]],
    ['a list for tokens', chat({ max_tokens: [] }), [['float_type', 'body.max_tokens', []]]],
    [
      'penalties',
      chat({ frequency_penalty: 3, presence_penalty: -3 }),
      [
        ['less_than_equal', 'body.frequency_penalty', 3],
        ['greater_than_equal', 'body.presence_penalty', -3],
      ],
    ],
    ['an unknown backend', chat({ backend: 'tpu' }), [['literal_error', 'body.backend', 'tpu']]],
    ['a word for stream', chat({ stream: 'yes' }), [['bool_type', 'body.stream', 'yes']]],
    ['a number as stop', chat({ stop: 3 }), [['list_type', 'body.stop', 3]]],
    ['a number in stop', chat({ stop: ['a', 3] }), [['string_type', 'body.stop.1', 3]]],
    [
      'template arguments that are a list',
      chat({ chat_template_kwargs: [] }),
      [['dict_type', 'body.chat_template_kwargs', []]],
    ],
  ])('%s', (_name, body, expected) => {
    expect(rows(requestProblems('chat', body))).toEqual(expected);
  });
});

describe('a text completion request', () => {
  it.each<[string, object]>([
    ['a prompt', { prompt: 'x' }],
    ['prompts', { prompt: ['a', 'b'], model: null }],
    ['tokens', { prompt: [1, 2], model: 'm', max_tokens: 5 }],
  ])('accepts %s', (_name, body) => {
    expect(requestProblems('complete', body)).toEqual([]);
  });

  it.each<[string, unknown, Row[]]>([
    ['a missing prompt', {}, [['missing', 'body.prompt', {}]]],
    ['a number', { prompt: 3 }, [['string_type', 'body.prompt', 3]]],
    ['an unknown backend', { prompt: 'x', backend: 'x' }, [['literal_error', 'body.backend', 'x']]],
  ])('refuses %s', (_name, body, expected) => {
    expect(rows(requestProblems('complete', body))).toEqual(expected);
  });
});

/** Values that are right, nearly right and wrong for the fields of a request. */
const anyValue = fc.oneof(
  fc.constantFrom(
    null,
    true,
    false,
    0,
    1,
    2,
    1.5,
    -3,
    1e20,
    Number.POSITIVE_INFINITY,
    '',
    'x',
    '1',
    'gpu',
    [],
    {},
  ),
  fc.jsonValue({ maxDepth: 2 }),
);
const sampling = {
  stream: anyValue,
  temperature: anyValue,
  max_tokens: anyValue,
  top_p: anyValue,
  frequency_penalty: anyValue,
  presence_penalty: anyValue,
  backend: anyValue,
  stop: fc.oneof(anyValue, fc.array(anyValue, { maxLength: 3 })),
};
const content = fc.oneof(
  anyValue,
  fc.array(fc.oneof(anyValue, fc.record({ type: anyValue }, { requiredKeys: [] })), { maxLength: 3 }),
);
const message = fc.record(
  {
    role: fc.oneof(fc.constantFrom('user', 'assistant', 'system', 'tool'), anyValue),
    content,
    name: anyValue,
    tool_calls: anyValue,
    function_call: anyValue,
  },
  { requiredKeys: [] },
);
const messages = fc.oneof(fc.array(fc.oneof(message, anyValue), { maxLength: 4 }), anyValue);
const chatBody = fc.oneof(
  fc.record({ messages, model: anyValue, chat_template_kwargs: anyValue, ...sampling }, { requiredKeys: [] }),
  anyValue,
);
const textBody = fc.oneof(
  fc.record({ prompt: anyValue, model: anyValue, ...sampling }, { requiredKeys: [] }),
  anyValue,
);

describe('checking a request', () => {
  const byPlace = (problems: readonly Detail[]) =>
    problems.map((problem) => JSON.stringify(problem)).toSorted();

  it.each([
    ['chat', chatBody, chatRequest],
    ['complete', textBody, textRequest],
  ] as const)('finds for %s what the schema of the contract finds', (operation, bodies, schema) => {
    fc.assert(
      fc.property(bodies, (body) => {
        const result = schema.safeParse(body);
        const expected = result.success ? [] : details(result.error.issues, body, 'body');
        expect(byPlace(requestProblems(operation, body))).toEqual(byPlace(expected));
      }),
      { numRuns: runs(1000) },
    );
  });

  it('finds the same in a request whose messages are checked one by one', () => {
    const part = (index: number) => (index === 700 ? { type: 3 } : { type: 'text', text: 'x' });
    const parts = Array.from({ length: 900 }, (_, index) => part(index));
    const body = chat({
      messages: [user, { role: 'user', content: parts }, { role: 'boss', content: parts }, { role: 'user' }],
      model: '',
      stop: ['a', 3],
    });
    const result = chatRequest.safeParse(body);
    const expected = result.success ? [] : details(result.error.issues, body, 'body');
    expect(expected).toHaveLength(6);
    expect(byPlace(requestProblems('chat', body))).toEqual(byPlace(expected));
  });

  it('stops at a hundred problems', () => {
    const wrong = Array.from({ length: 5000 }, () => 3);
    const parts = Array.from({ length: 900 }, () => ({ role: 'user', content: wrong.slice(0, 900) }));
    for (const body of [chat({ messages: wrong.slice(0, 1000) }), chat({ messages: parts })])
      expect(requestProblems('chat', body)).toHaveLength(100);
  });

  it.each<[string, object, string]>([
    ['messages', chat({ messages: Array.from({ length: 2_000_000 }, () => 3) }), 'body.messages'],
    [
      'parts',
      chat({ messages: [{ role: 'user', content: Array.from({ length: 2_000_000 }, () => 3) }] }),
      'body.messages.0.content',
    ],
    ['stop sequences', chat({ stop: Array.from({ length: 2_000_000 }, () => 'x') }), 'body.stop'],
  ])('reads no more than one too many of %s', (_name, body, place) => {
    const [problem] = requestProblems('chat', body).filter(({ path }) => path.join('.') === place);
    expect(problem).toMatchObject({ type: 'too_long', message: 'List should have at most 1000 items' });
    expect(problem?.input).toHaveLength(1001);
  });
});
