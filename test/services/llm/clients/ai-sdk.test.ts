import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { APICallError, generateObject, generateText, jsonSchema, streamText, type ToolSet } from 'ai';
import { afterEach, describe, expect, it } from 'vitest';
import { until } from '../../../patience.ts';
import { type RunningGateway, startGateway } from '../running-gateway.ts';
import { json, plainAnswer } from '../upstream.ts';
import * as replies from './replies.ts';

let gateway: RunningGateway;
afterEach(() => gateway.close());

async function start(settings: Record<string, string> = {}) {
  gateway = await startGateway({ LLM_RETRIES: '0', ...settings });
  return createOpenAICompatible({
    name: 'limpede',
    baseURL: `${gateway.url}/v1`,
    apiKey: replies.KEY,
    includeUsage: true,
    supportsStructuredOutputs: true,
  });
}

const question = { prompt: 'Salut', maxRetries: 0 };
const tools: ToolSet = {
  weather: {
    description: 'The weather of a city',
    inputSchema: jsonSchema({
      type: 'object',
      properties: { city: { type: 'string' } },
      required: ['city'],
      additionalProperties: false,
    }),
  },
};
const usage = { inputTokens: 5, outputTokens: 2, totalTokens: 7 };

async function failureOf(work: PromiseLike<unknown>): Promise<APICallError> {
  try {
    await work;
  } catch (error) {
    if (APICallError.isInstance(error)) return error;
    throw error;
  }
  throw new Error('nothing failed');
}

/** The text of a stream, its finish, and the errors that came in it. */
async function readAll(stream: ReturnType<typeof streamText>) {
  let text = '';
  let finish: string | undefined;
  const errors: unknown[] = [];
  try {
    for await (const part of stream.fullStream) {
      if (part.type === 'text-delta') text += part.text;
      else if (part.type === 'error') errors.push(part.error);
      else if (part.type === 'finish') finish = part.finishReason;
    }
  } catch (error) {
    errors.push(error);
  }
  return { text, finish, errors };
}

describe('the Vercel AI SDK', () => {
  it('chats', async () => {
    const provider = await start();
    const answer = await generateText({ model: provider('m'), ...question });
    expect([answer.text, answer.finishReason]).toEqual(['Salut', 'stop']);
    expect(answer.usage).toMatchObject(usage);
  });

  it('streams, with usage', async () => {
    const provider = await start();
    gateway.gpu.script = replies.streamsWords;
    const stream = streamText({ model: provider('m'), ...question });
    expect(await readAll(stream)).toEqual({ text: 'Bună ziua', finish: 'stop', errors: [] });
    expect(await stream.usage).toMatchObject(usage);
  });

  it('calls tools', async () => {
    const provider = await start();
    gateway.gpu.script = replies.callsTool;
    const { toolCalls } = await generateText({ model: provider('m'), ...question, tools });
    expect(toolCalls).toMatchObject([{ toolName: 'weather', input: replies.weatherCall.arguments }]);
    expect(gateway.gpu.arrivals[0]?.body).toMatchObject({
      tools: [{ type: 'function', function: { name: 'weather' } }],
    });
  });

  it('gathers tool calls of a stream', async () => {
    const provider = await start();
    gateway.gpu.script = replies.streamsToolCall;
    const stream = streamText({ model: provider('m'), ...question, tools });
    await stream.consumeStream();
    expect(await stream.toolCalls).toMatchObject([
      { toolCallId: 'call_1', toolName: 'weather', input: replies.weatherCall.arguments },
    ]);
    expect(await stream.finishReason).toBe('tool-calls');
  });

  it('asks for JSON by a schema', async () => {
    const provider = await start();
    gateway.gpu.script = replies.says(JSON.stringify(replies.verdict));
    const schema = jsonSchema<typeof replies.verdict>({
      type: 'object',
      properties: { label: { type: 'string' }, score: { type: 'number' } },
      required: ['label', 'score'],
      additionalProperties: false,
    });
    const { object } = await generateObject({ model: provider('m'), ...question, schema });
    expect(object).toEqual(replies.verdict);
    expect(gateway.gpu.arrivals[0]?.body.response_format).toMatchObject({
      type: 'json_schema',
      json_schema: { schema: replies.verdictSchema },
    });
  });

  it('sends content arrays', async () => {
    const provider = await start();
    const content = [
      { type: 'text' as const, text: 'Ce este?' },
      { type: 'image' as const, image: replies.PICTURE },
    ];
    await generateText({ model: provider('m'), maxRetries: 0, messages: [{ role: 'user', content }] });
    expect(gateway.gpu.arrivals[0]?.body.messages).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Ce este?' },
          { type: 'image_url', image_url: { url: replies.PICTURE } },
        ],
      },
    ]);
  });

  it('completes text', async () => {
    const provider = await start();
    const choices = [{ index: 0, text: 'zi', finish_reason: 'stop' }];
    gateway.gpu.script = ({ response }) =>
      json(response, 200, { ...plainAnswer, object: 'text_completion', choices });
    const { text } = await generateText({ model: provider.completionModel('m'), ...question });
    expect(text).toBe('zi');
  });
});

describe('errors in the Vercel AI SDK', () => {
  it.each<[number, string, Record<string, string>, () => void]>([
    [401, 'The bearer token is not valid.', { LLM_API_TOKENS: 'another' }, () => {}],
    [
      400,
      'the context is too long',
      {},
      () => {
        gateway.gpu.script = replies.refuses(400, 'the context is too long');
      },
    ],
    [
      429,
      'slow down',
      {},
      () => {
        gateway.gpu.script = replies.refuses(429, 'slow down');
      },
    ],
    [
      500,
      'The gpu backend answered 500: out of memory',
      {},
      () => {
        gateway.gpu.script = replies.refuses(500, 'out of memory');
      },
    ],
  ])('%d arrives with its message', async (status, message, settings, prepare) => {
    const provider = await start(settings);
    prepare();
    const error = await failureOf(generateText({ model: provider('m'), ...question }));
    expect([error.statusCode, error.message]).toEqual([status, message]);
  });

  it('422 names the field, and is not tried again', async () => {
    const provider = await start();
    const work = generateText({ model: provider('m'), prompt: 'Salut', maxRetries: 2, temperature: 9 });
    const error = await failureOf(work);
    expect([error.statusCode, error.message]).toEqual([
      422,
      'temperature: Input should be less than or equal to 2',
    ]);
    expect(error.isRetryable).toBe(false);
  });

  it('501 arrives with its message', async () => {
    const provider = await start();
    gateway.gpu.script = ({ response }) => json(response, 404, { detail: 'Not Found' });
    const error = await failureOf(generateText({ model: provider.completionModel('m'), ...question }));
    expect([error.statusCode, error.message]).toEqual([501, 'The gpu backend offers no text completions.']);
  });

  it('503 when all places are taken', async () => {
    const provider = await start({ LLM_MAX_CONCURRENT_COMPLETIONS: '1' });
    let release = () => {};
    gateway.gpu.script = ({ response }) => {
      release = () => json(response, 200, plainAnswer);
    };
    const first = generateText({ model: provider('m'), ...question });
    await until(() => gateway.gpu.arrivals.length === 1);
    const error = await failureOf(generateText({ model: provider('m'), ...question }));
    expect([error.statusCode, error.isRetryable]).toEqual([503, true]);
    release();
    await first;
  });

  it('429 is obeyed: the second try comes when the bucket has refilled', async () => {
    const provider = await start({ LLM_RATE_LIMIT_RPS: '2', LLM_RATE_LIMIT_BURST: '1' });
    const ask = () => generateText({ model: provider('m'), prompt: 'Salut', maxRetries: 1 });
    await ask();
    await ask();
    expect(gateway.gpu.arrivals).toHaveLength(2);
    expect(await gateway.metric('limpede_llm_rejected_total', { reason: 'rate' })).toBe(1);
  });
});

describe('broken streams in the Vercel AI SDK', () => {
  it.each([
    ['breaks off', replies.streamsAndBreaks, 'gpu backend'],
    ['ends without a finish', replies.streamsWithoutFinish, 'gpu backend'],
    ['carries an error event', replies.streamsError, 'out of memory'],
  ])('one that %s is an error, not a short answer', async (_name, script, message) => {
    const provider = await start();
    gateway.gpu.script = script;
    const told: unknown[] = [];
    const stream = streamText({
      model: provider('m'),
      ...question,
      onError: ({ error }) => void told.push(error),
    });
    const { text, finish, errors } = await readAll(stream);
    expect([text, finish]).toEqual(['Bună', 'error']);
    expect(JSON.stringify(errors)).toContain(message);
    expect(told).toHaveLength(1);
  });
});

describe('leaving with the Vercel AI SDK', () => {
  it('stops the model server in the middle of a stream', async () => {
    const provider = await start();
    gateway.gpu.script = replies.streamsForEver;
    const leaving = new AbortController();
    const stream = streamText({ model: provider('m'), ...question, abortSignal: leaving.signal });
    let since = 0;
    for await (const part of stream.fullStream) {
      if (part.type !== 'text-delta' || since > 0) continue;
      since = performance.now();
      leaving.abort();
    }
    expect(await replies.noticedAfter(gateway.gpu.arrivals[0]?.left, since)).toBeLessThan(replies.NOTICED_MS);
    await until(async () => (await gateway.metric('limpede_llm_in_flight')) === 0);
  });

  it.each([['a stream before its first event'], ['a plain request']])(
    'stops the model server for %s',
    async (name) => {
      const provider = await start();
      gateway.gpu.script = replies.staysSilent;
      const leaving = new AbortController();
      const options = { model: provider('m'), ...question, abortSignal: leaving.signal };
      const work =
        name === 'a plain request'
          ? generateText(options).then(
              () => undefined,
              () => undefined,
            )
          : readAll(streamText(options));
      await until(() => gateway.gpu.arrivals.length === 1);
      const since = performance.now();
      leaving.abort();
      await work;
      expect(await replies.noticedAfter(gateway.gpu.arrivals[0]?.left, since)).toBeLessThan(
        replies.NOTICED_MS,
      );
      await until(async () => (await gateway.metric('limpede_llm_in_flight')) === 0);
    },
  );
});
