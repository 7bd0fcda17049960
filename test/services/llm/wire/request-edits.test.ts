import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { BackendName } from '../../../../src/services/llm/contract.ts';
import { namedFields } from '../../../../src/services/llm/wire/completion-request.ts';
import { changesFor, editRequest, nameBackend } from '../../../../src/services/llm/wire/request-edits.ts';

const rules = { model: undefined as string | undefined, disableThinking: true, askUsage: true };

function edit(text: string, backend: BackendName, more: Partial<typeof rules> = {}): string {
  const body = Buffer.from(text);
  const parsed = JSON.parse(text) as Record<string, unknown>;
  const fields = namedFields(parsed);
  const changes = changesFor(backend, 'chat', fields, { ...rules, model: fields.model, ...more });
  return editRequest(body, parsed, fields, changes).toString();
}

const messages = '"messages":[{"role":"user","content":"ș 😀 \\u0219"}]';
const thinking = '"chat_template_kwargs":{"enable_thinking":false}';
const usage = '"stream_options":{"include_usage":true}';

describe('editRequest', () => {
  it.each<[string, BackendName, string, string]>([
    [
      'adds the default temperature',
      'cloud',
      `{"model":"m",${messages}}`,
      `{"temperature":0.7,"model":"m",${messages}}`,
    ],
    [
      'leaves a complete body alone',
      'cloud',
      ` { "temperature" : 0 , "model":"m",${messages}, "seed":12345678901234567890 }`,
      ` { "temperature" : 0 , "model":"m",${messages}, "seed":12345678901234567890 }`,
    ],
    [
      'turns reasoning off for the gpu',
      'gpu',
      `{"temperature":1,"model":"m",${messages}}`,
      `{${thinking},"temperature":1,"model":"m",${messages}}`,
    ],
    [
      "keeps the caller's template arguments",
      'gpu',
      `{"temperature":1,"chat_template_kwargs":{"enable_thinking":true},"model":"m",${messages}}`,
      `{"temperature":1,"chat_template_kwargs":{"enable_thinking":true},"model":"m",${messages}}`,
    ],
    [
      'keeps empty template arguments',
      'gpu',
      `{"temperature":1,"chat_template_kwargs":{},"model":"m",${messages}}`,
      `{"temperature":1,"chat_template_kwargs":{},"model":"m",${messages}}`,
    ],
    [
      'takes out its own field',
      'cloud',
      `{"backend":"cloud","temperature":1,"model":"m",${messages}}`,
      `{"temperature":1,"model":"m",${messages}}`,
    ],
    [
      'takes it out at the end',
      'cloud',
      `{"temperature":1,"model":"m",${messages} , "backend" : "cloud" }`,
      `{"temperature":1,"model":"m",${messages} }`,
    ],
    [
      'rewrites a null temperature where it stands',
      'cloud',
      `{"temperature": null,"model":"m",${messages}}`,
      `{"temperature": 0.7,"model":"m",${messages}}`,
    ],
    [
      'asks for usage',
      'cloud',
      `{"temperature":1,"stream":true,"model":"m",${messages}}`,
      `{${usage},"temperature":1,"stream":true,"model":"m",${messages}}`,
    ],
    [
      'asks for usage inside stream_options',
      'cloud',
      `{"temperature":1,"stream":true,"stream_options":{"x":1},"model":"m",${messages}}`,
      `{"temperature":1,"stream":true,"stream_options":{"include_usage":true,"x":1},"model":"m",${messages}}`,
    ],
    [
      'turns a refusal of usage round',
      'cloud',
      `{"temperature":1,"stream":true,"stream_options":{"include_usage":false},"model":"m",${messages}}`,
      `{"temperature":1,"stream":true,"stream_options":{"include_usage":true},"model":"m",${messages}}`,
    ],
    [
      'keeps a wish for usage',
      'cloud',
      `{"temperature":1,"stream":true,${usage},"model":"m",${messages}}`,
      `{"temperature":1,"stream":true,${usage},"model":"m",${messages}}`,
    ],
    [
      'makes developer system for local backends',
      'cpu',
      '{"temperature":1,"model":"m","messages":[{"content":"developer","role":"developer"},{"role":"user","content":"x"}]}',
      '{"temperature":1,"model":"m","messages":[{"content":"developer","role":"system"},{"role":"user","content":"x"}]}',
    ],
    [
      'passes developer to the cloud',
      'cloud',
      '{"temperature":1,"model":"m","messages":[{"role":"developer","content":"x"}]}',
      '{"temperature":1,"model":"m","messages":[{"role":"developer","content":"x"}]}',
    ],
  ])('%s', (_name, backend, text, expected) => {
    expect(edit(text, backend)).toBe(expected);
  });

  it('names another model for a fallback', () => {
    const text = `{"temperature":1,"model":"m",${messages}}`;
    expect(edit(text, 'cloud', { model: 'other "x"' })).toBe(text.replace('"m"', '"other \\"x\\""'));
  });

  it('changes nothing else in any body', () => {
    const extra = fc.dictionary(
      fc
        .string()
        .filter(
          (key) =>
            ![
              'messages',
              'model',
              'temperature',
              'backend',
              'stream',
              'stream_options',
              'chat_template_kwargs',
              'top_p',
              'stop',
              'max_tokens',
              'frequency_penalty',
              'presence_penalty',
              '__proto__',
            ].includes(key),
        ),
      fc.jsonValue({ maxDepth: 3 }),
    );
    const own = fc.record(
      {
        backend: fc.constant('gpu'),
        temperature: fc.constantFrom(0, 1, null),
        stream: fc.boolean(),
        stream_options: fc.constantFrom(null, {}, { a: 1 }),
        chat_template_kwargs: fc.constantFrom(null, { a: 1 }),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(extra, own, fc.nat(2), fc.boolean(), (more, named, indent, ownFirst) => {
        const base = { model: 'm', messages: [{ role: 'user', content: 'x' }] };
        const body = ownFirst ? { ...named, ...more, ...base } : { ...base, ...more, ...named };
        const { backend: _, ...sent } = body as Record<string, unknown>;
        const expected: Record<string, unknown> = {
          ...sent,
          temperature: named.temperature ?? 0.7,
          chat_template_kwargs: named.chat_template_kwargs ?? { enable_thinking: false },
        };
        if (named.stream === true) expected.stream_options = { ...named.stream_options, include_usage: true };
        expect(JSON.parse(edit(JSON.stringify(body, null, indent), 'gpu'))).toEqual(
          JSON.parse(JSON.stringify(expected)),
        );
      }),
    );
  });
});

describe('nameBackend', () => {
  it.each<[string, string, string]>([
    [
      'puts the name at the end',
      '{"id":"x","big":12345678901234567890}',
      '{"id":"x","big":12345678901234567890,"backend":"gpu"}',
    ],
    ['keeps white space', '{ "id" : 1 }\n', '{ "id" : 1 ,"backend":"gpu"}\n'],
    ['fills an empty object', '{}', '{"backend":"gpu"}'],
    ['replaces a name that is there', '{"backend":"x","id":1}', '{"id":1,"backend":"gpu"}'],
    ['replaces the only member', '{"backend":"x"}', '{"backend":"gpu"}'],
    ['is not deceived by nested names', '{"a":{"backend":"x"}}', '{"a":{"backend":"x"},"backend":"gpu"}'],
  ])('%s', (_name, answer, expected) => {
    expect(nameBackend(Buffer.from(answer), 'gpu').toString()).toBe(expected);
  });
});
