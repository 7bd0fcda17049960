import OpenAI, {
  APIConnectionError,
  APIError,
  APIUserAbortError,
  AuthenticationError,
  BadRequestError,
  InternalServerError,
  RateLimitError,
  UnprocessableEntityError,
} from 'openai';
import type { ChatCompletionMessageParam } from 'openai/resources/chat/completions';
import { afterEach, describe, expect, it } from 'vitest';
import { until } from '../../../patience.ts';
import { type RunningGateway, startGateway } from '../running-gateway.ts';
import { json, plainAnswer } from '../upstream.ts';
import * as replies from './replies.ts';

let gateway: RunningGateway;
afterEach(() => gateway.close());

async function start(
  settings: Record<string, string> = {},
  options: { maxRetries?: number; apiKey?: string } = {},
): Promise<OpenAI> {
  gateway = await startGateway({ LLM_RETRIES: '0', ...settings });
  return new OpenAI({ apiKey: replies.KEY, baseURL: `${gateway.url}/v1`, maxRetries: 0, ...options });
}

const messages: ChatCompletionMessageParam[] = [{ role: 'user', content: 'Salut' }];
const question = { model: 'm', messages };
const tools: OpenAI.Chat.ChatCompletionTool[] = [
  {
    type: 'function',
    function: {
      name: 'weather',
      parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
    },
  },
];

async function failureOf(work: PromiseLike<unknown>): Promise<APIError> {
  try {
    await work;
  } catch (error) {
    if (error instanceof APIError) return error;
    throw error;
  }
  throw new Error('nothing failed');
}

/** The text of a stream, and the error that ended it, if any. */
async function readAll(client: OpenAI): Promise<{ text: string; error: unknown }> {
  let text = '';
  try {
    const stream = await client.chat.completions.create({ ...question, stream: true });
    for await (const { choices } of stream) text += choices[0]?.delta.content ?? '';
    return { text, error: undefined };
  } catch (error) {
    return { text, error };
  }
}

describe('the openai SDK', () => {
  it('chats', async () => {
    const client = await start();
    const { data, request_id } = await client.chat.completions.create(question).withResponse();
    expect(data.choices[0]?.message.content).toBe('Salut');
    expect(data.usage).toEqual(plainAnswer.usage);
    expect((data as unknown as { backend: string }).backend).toBe('gpu');
    expect(request_id).toBe(gateway.gpu.arrivals[0]?.headers['x-request-id']);
  });

  it('streams, with usage in the shape of its last chunk', async () => {
    const client = await start();
    gateway.gpu.script = replies.streamsWords;
    const stream = await client.chat.completions.create({
      ...question,
      stream: true,
      stream_options: { include_usage: true },
    });
    const chunks: OpenAI.Chat.ChatCompletionChunk[] = [];
    for await (const chunk of stream) chunks.push(chunk);
    const text = chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join('');
    expect(text).toBe('Bună ziua');
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: plainAnswer.usage });
  });

  it('sees no usage chunk that it did not ask for', async () => {
    const client = await start();
    gateway.gpu.script = replies.streamsWords;
    const stream = await client.chat.completions.create({ ...question, stream: true });
    for await (const chunk of stream) expect(chunk.choices).toHaveLength(1);
    expect(gateway.gpu.arrivals[0]?.body.stream_options).toEqual({ include_usage: true });
  });

  it('gathers a stream with its helper', async () => {
    const client = await start();
    gateway.gpu.script = replies.streamsWords;
    const runner = client.chat.completions.stream({ ...question, stream_options: { include_usage: true } });
    expect(await runner.finalContent()).toBe('Bună ziua');
    expect(await runner.totalUsage()).toMatchObject(plainAnswer.usage);
  });

  it('calls tools', async () => {
    const client = await start();
    gateway.gpu.script = replies.callsTool;
    const { choices } = await client.chat.completions.create({ ...question, tools, tool_choice: 'required' });
    const call = choices[0]?.message.tool_calls?.[0];
    expect(choices[0]?.finish_reason).toBe('tool_calls');
    expect(call).toMatchObject({ id: 'call_1', type: 'function', function: { name: 'weather' } });
    expect(gateway.gpu.arrivals[0]?.body).toMatchObject({ tools, tool_choice: 'required' });
  });

  it('gathers tool calls of a stream', async () => {
    const client = await start();
    gateway.gpu.script = replies.streamsToolCall;
    const runner = client.chat.completions.stream({ ...question, tools });
    const { choices } = await runner.finalChatCompletion();
    const call = choices[0]?.message.tool_calls?.[0];
    expect(call?.type === 'function' && JSON.parse(call.function.arguments)).toEqual(
      replies.weatherCall.arguments,
    );
  });

  it('runs tools and sends their results back', async () => {
    const client = await start();
    gateway.gpu.script = replies.usesTool;
    const runner = client.chat.completions.runTools({
      ...question,
      tools: [
        {
          type: 'function',
          function: {
            name: 'weather',
            description: 'The weather of a city',
            parameters: { type: 'object', properties: { city: { type: 'string' } } },
            parse: JSON.parse,
            function: ({ city }: { city: string }) => `sun in ${city}`,
          },
        },
      ],
    });
    expect(await runner.finalContent()).toBe('Result: sun in Iași');
    const sent = gateway.gpu.arrivals[1]?.body.messages as Record<string, unknown>[];
    expect(sent.at(-1)).toMatchObject({ role: 'tool', tool_call_id: 'call_1' });
  });

  it('asks for JSON by a schema', async () => {
    const client = await start();
    gateway.gpu.script = replies.says(JSON.stringify(replies.verdict));
    const response_format = {
      type: 'json_schema' as const,
      json_schema: { name: 'verdict', strict: true, schema: replies.verdictSchema },
    };
    const { choices } = await client.chat.completions.parse({ ...question, response_format });
    expect(choices[0]?.message.parsed).toEqual(replies.verdict);
    expect(gateway.gpu.arrivals[0]?.body.response_format).toEqual(response_format);
  });

  it('sends content arrays', async () => {
    const client = await start();
    const content = [
      { type: 'text' as const, text: 'Ce este?' },
      { type: 'image_url' as const, image_url: { url: replies.PICTURE } },
    ];
    await client.chat.completions.create({ model: 'm', messages: [{ role: 'user', content }] });
    expect(gateway.gpu.arrivals[0]?.body.messages).toEqual([{ role: 'user', content }]);
  });

  it('lists models', async () => {
    const client = await start();
    const ids: string[] = [];
    for await (const model of client.models.list()) ids.push(model.id);
    expect(ids).toEqual(['m']);
  });

  it('completes text', async () => {
    const client = await start();
    const choices = [{ index: 0, text: 'zi', finish_reason: 'stop' }];
    gateway.gpu.script = ({ response }) =>
      json(response, 200, { ...plainAnswer, object: 'text_completion', choices });
    const answer = await client.completions.create({ model: 'm', prompt: 'Bună' });
    expect(answer.choices[0]?.text).toBe('zi');
  });
});

describe('errors in the openai SDK', () => {
  it('401 is an AuthenticationError with the message', async () => {
    const client = await start({ LLM_API_TOKENS: 'another' });
    const error = await failureOf(client.chat.completions.create(question));
    expect(error).toBeInstanceOf(AuthenticationError);
    expect(error.message).toBe('401 The bearer token is not valid.');
  });

  it('422 is an UnprocessableEntityError that names the field, and is not tried again', async () => {
    const client = await start({}, { maxRetries: 2 });
    const error = await failureOf(client.chat.completions.create({ ...question, temperature: 9 }));
    expect(error).toBeInstanceOf(UnprocessableEntityError);
    expect(error).toMatchObject({ status: 422, param: 'temperature', code: 'validation_failed' });
    expect(error.message).toContain('temperature: Input should be less than or equal to 2');
  });

  it('a refusal of the model server keeps its message', async () => {
    const client = await start({}, { maxRetries: 2 });
    gateway.gpu.script = replies.refuses(400, 'the context is too long');
    const error = await failureOf(client.chat.completions.create(question));
    expect(error).toBeInstanceOf(BadRequestError);
    expect(error.message).toBe('400 the context is too long');
    expect(gateway.gpu.arrivals).toHaveLength(1);
  });

  it('429 is obeyed: the second try comes when the bucket has refilled', async () => {
    const client = await start({ LLM_RATE_LIMIT_RPS: '2', LLM_RATE_LIMIT_BURST: '1' }, { maxRetries: 1 });
    await client.chat.completions.create(question);
    await client.chat.completions.create(question);
    expect(gateway.gpu.arrivals).toHaveLength(2);
    expect(await gateway.metric('limpede_llm_rejected_total', { reason: 'rate' })).toBe(1);
  });

  it('429 of the model server is a RateLimitError with the time to wait', async () => {
    const client = await start();
    gateway.gpu.script = replies.refuses(429, 'slow down', { 'retry-after': '7' });
    const error = await failureOf(client.chat.completions.create(question));
    expect(error).toBeInstanceOf(RateLimitError);
    expect([error.message, error.headers?.get('retry-after')]).toEqual(['429 slow down', '7']);
  });

  it('500 is an InternalServerError, and is tried again', async () => {
    const client = await start({}, { maxRetries: 1 });
    gateway.gpu.script = replies.refuses(500, 'out of memory');
    const error = await failureOf(client.chat.completions.create(question));
    expect(error).toBeInstanceOf(InternalServerError);
    expect(error.message).toBe('500 The gpu backend answered 500: out of memory');
    expect(gateway.gpu.arrivals).toHaveLength(2);
  });

  it('501 is not tried again', async () => {
    const client = await start({}, { maxRetries: 2 });
    gateway.gpu.script = ({ response }) => json(response, 404, { detail: 'Not Found' });
    const error = await failureOf(client.completions.create({ model: 'm', prompt: 'a' }));
    expect([error.status, error.message]).toEqual([501, '501 The gpu backend offers no text completions.']);
    expect(gateway.gpu.arrivals).toHaveLength(1);
  });

  it('503 when all places are taken, and the next try finds one', async () => {
    const client = await start({ LLM_MAX_CONCURRENT_COMPLETIONS: '1' }, { maxRetries: 1 });
    let release = () => {};
    gateway.gpu.script = ({ response }) => {
      release = () => json(response, 200, plainAnswer);
    };
    const first = client.chat.completions.create(question);
    await until(() => gateway.gpu.arrivals.length === 1);
    const refused = await failureOf(client.chat.completions.create(question, { maxRetries: 0 }));
    expect([refused.status, refused.headers?.get('retry-after')]).toEqual([503, '1']);
    const second = client.chat.completions.create(question);
    await until(async () => (await gateway.metric('limpede_llm_rejected_total')) === 2);
    gateway.gpu.script = ({ response }) => json(response, 200, plainAnswer);
    release();
    await Promise.all([first, second]);
  });
});

describe('broken streams in the openai SDK', () => {
  it.each([
    ['breaks off', replies.streamsAndBreaks],
    ['ends without a finish', replies.streamsWithoutFinish],
  ])('one that %s is an error, not a short answer', async (_name, script) => {
    const client = await start();
    gateway.gpu.script = script;
    const { text, error } = await readAll(client);
    expect(text).toBe('Bună');
    expect(error).toBeInstanceOf(APIError);
    expect((error as APIError).message).toContain('gpu backend');
  });

  it('an error event of the model server arrives with its message', async () => {
    const client = await start();
    gateway.gpu.script = replies.streamsError;
    const { text, error } = await readAll(client);
    expect([text, (error as APIError).message]).toEqual(['Bună', 'out of memory']);
  });
});

describe('leaving with the openai SDK', () => {
  it('stops the model server in the middle of a stream', async () => {
    const client = await start();
    gateway.gpu.script = replies.streamsForEver;
    const stream = await client.chat.completions.create({ ...question, stream: true });
    let since = 0;
    for await (const { choices } of stream) {
      if (choices[0]?.delta.content !== 'x') continue;
      since = performance.now();
      break;
    }
    expect(await replies.noticedAfter(gateway.gpu.arrivals[0]?.left, since)).toBeLessThan(replies.NOTICED_MS);
    await until(async () => (await gateway.metric('limpede_llm_in_flight')) === 0);
  });

  it.each([
    ['a stream before its first event', true],
    ['a plain request', false],
  ])('stops the model server for %s', async (_name, stream) => {
    const client = await start();
    gateway.gpu.script = replies.staysSilent;
    const leaving = new AbortController();
    const work = client.chat.completions.create({ ...question, stream }, { signal: leaving.signal });
    const failure = failureOf(work);
    await until(() => gateway.gpu.arrivals.length === 1);
    const since = performance.now();
    leaving.abort();
    expect(await failure).toBeInstanceOf(APIUserAbortError);
    expect(await replies.noticedAfter(gateway.gpu.arrivals[0]?.left, since)).toBeLessThan(replies.NOTICED_MS);
    await until(async () => (await gateway.metric('limpede_llm_in_flight')) === 0);
  });

  it('its own time limit stops the model server too', async () => {
    const client = await start();
    gateway.gpu.script = replies.staysSilent;
    const error = await failureOf(client.chat.completions.create(question, { timeout: 200 }));
    expect(error).toBeInstanceOf(APIConnectionError);
    await gateway.gpu.arrivals[0]?.left;
  });
});
