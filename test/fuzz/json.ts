import { deepStrictEqual, ok } from 'node:assert/strict';
import fc from 'fast-check';
import { Failure } from '../../src/foundation/errors.ts';
import { jsonCandidates } from '../../src/services/analysis/dependencies/text-model/json-answer.ts';
import {
  type CompletionRequest,
  parseCompletionRequest,
} from '../../src/services/llm/wire/completion-request.ts';
import { changesFor, editRequest, nameBackend } from '../../src/services/llm/wire/request-edits.ts';
import { usageIn } from '../../src/services/llm/wire/token-usage.ts';
import { type FuzzTarget, mutated } from './target.ts';

const REQUESTS = [
  '{"model":"m","messages":[{"role":"user","content":"hi"}],"temperature":0.5}',
  '{"model":"m","backend":"gpu","stream":true,"stream_options":{"x":1},"messages":[{"role":"developer","content":"a\\"b\\\\"}]}',
  ' { "messages" : [ {"content":[{"type":"text","text":"\\u0131"}],"role":"user"} ] , "stop":["a","b"], "backend" : null } ',
  '{"model":"m","messages":[{"role":"assistant","content":null,"tool_calls":[{"id":"1"}]},{"role":"tool","content":"{}"}]}',
];
const ANSWERS = [
  '{"id":"1","choices":[{"message":{"content":"{}"}}],"usage":{"prompt_tokens":7,"completion_tokens":3}}',
  '<think>{"a":1}</think>\n```json\n{"risk": 1}\n```',
  'Here it is: {"a":"}","b":[{}]} and {"c":2}',
];
const WORDS = [
  '{',
  '}',
  '[',
  ']',
  ',',
  ':',
  '"',
  '\\',
  '\\"',
  '"model":"x"',
  '"role":"developer"',
  '"backend":"cpu"',
  '"stream_options":{}',
  '"usage":{"prompt_tokens":1e309}',
  'null',
  '1e5',
  '\\ud800',
  '__proto__',
  '"__proto__":{"a":1},',
  '```',
  '</think>',
  '\t',
];

const parse = (bytes: Buffer): unknown => JSON.parse(bytes.toString('utf8'));

function accepted(bytes: Buffer): CompletionRequest | undefined {
  try {
    return parseCompletionRequest('chat', bytes, 'anybody');
  } catch (error) {
    ok(error instanceof Failure, `not a failure of the table: ${String(error)}`);
    return undefined;
  }
}

/** A request that is passed on says what it said but for the changes: read as JSON, by a reader that knows nothing of us. */
function checkRequest(bytes: Buffer): void {
  const request = accepted(bytes);
  if (request === undefined) return;
  for (const backend of ['cloud', 'gpu', 'cpu'] as const) {
    const rules = { model: 'other', disableThinking: true, askUsage: true };
    const changes = changesFor(backend, 'chat', request.fields, rules);
    const sent = parse(editRequest(request.body, request.parsed, request.fields, changes)) as Record<
      string,
      unknown
    >;
    deepStrictEqual(sent.model, 'other');
    ok(!Object.hasOwn(sent, 'backend'), 'the name of the backend went on');
    const changed = new Set([
      'model',
      'backend',
      'temperature',
      'chat_template_kwargs',
      'stream_options',
      'messages',
    ]);
    for (const [name, value] of Object.entries(request.parsed))
      if (!changed.has(name)) deepStrictEqual(sent[name], value);
    const roles = (sent.messages as { role: unknown }[]).map(({ role }) => role);
    if (backend !== 'cloud') ok(!roles.includes('developer'), 'a local backend was sent a developer message');
  }
}

function checkAnswer(bytes: Buffer): void {
  usageIn(bytes);
  for (const value of jsonCandidates(bytes.toString('utf8'))) JSON.stringify(value);
  let before: unknown;
  try {
    before = parse(bytes);
  } catch {
    before = undefined;
  }
  try {
    const after = parse(nameBackend(bytes, 'gpu'));
    if (typeof before === 'object' && before !== null && !Array.isArray(before))
      deepStrictEqual((after as { backend?: unknown }).backend, 'gpu');
  } catch (error) {
    // Something else than JSON is the backend's failure, which the caller of nameBackend reports.
    ok(
      before === undefined || typeof before !== 'object' || before === null || Array.isArray(before),
      String(error),
    );
  }
}

/** JSON that is scanned as bytes agrees with JSON that is parsed. */
export const json: FuzzTarget = {
  name: 'json',
  open: async () => ({
    property: fc.asyncProperty(
      mutated(REQUESTS, WORDS),
      mutated([...ANSWERS, ...REQUESTS], WORDS),
      async (request, answer) => {
        checkRequest(request);
        checkAnswer(answer);
      },
    ),
    close: async () => undefined,
  }),
};
