import { AIMessageChunk, HumanMessage, SystemMessage } from '@langchain/core/messages';
import { ChatOpenAI, OpenAI } from '@langchain/openai';
import { afterEach, describe, expect, it } from 'vitest';
import { until } from '../../../patience.ts';
import { type RunningGateway, startGateway } from '../running-gateway.ts';
import { json, plainAnswer } from '../upstream.ts';
import * as replies from './replies.ts';

let gateway: RunningGateway;
afterEach(() => gateway.close());

async function start(
  settings: Record<string, string> = {},
  fields: { temperature?: number; maxRetries?: number } = {},
): Promise<ChatOpenAI> {
  gateway = await startGateway({ LLM_RETRIES: '0', ...settings });
  return new ChatOpenAI({
    model: 'm',
    apiKey: replies.KEY,
    maxRetries: 0,
    configuration: { baseURL: `${gateway.url}/v1` },
    ...fields,
  });
}

const weather = {
  type: 'function' as const,
  function: {
    name: 'weather',
    description: 'The weather of a city',
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  },
};
const usage = { input_tokens: 5, output_tokens: 2, total_tokens: 7 };

interface Told {
  readonly status?: number;
  readonly message: string;
}

async function failureOf(work: PromiseLike<unknown>): Promise<Told> {
  try {
    await work;
  } catch (error) {
    return error as Told;
  }
  throw new Error('nothing failed');
}

/** The chunks of a stream put together, and the error that ended it, if any. */
async function readAll(model: Pick<ChatOpenAI, 'stream'>, signal?: AbortSignal) {
  let whole: AIMessageChunk | undefined;
  let error: unknown;
  try {
    for await (const chunk of await model.stream('Salut', signal === undefined ? {} : { signal }))
      whole = whole === undefined ? chunk : whole.concat(chunk);
  } catch (caught) {
    error = caught;
  }
  return { whole: whole ?? new AIMessageChunk(''), error };
}

describe("LangChain's client", () => {
  it('chats', async () => {
    const model = await start();
    const answer = await model.invoke([new SystemMessage('Scurt.'), new HumanMessage('Salut')]);
    expect(answer.content).toBe('Salut');
    expect(answer.usage_metadata).toMatchObject(usage);
    expect(gateway.gpu.arrivals[0]?.body.messages).toEqual([
      { role: 'system', content: 'Scurt.' },
      { role: 'user', content: 'Salut' },
    ]);
  });

  it('streams, with usage', async () => {
    const model = await start();
    gateway.gpu.script = replies.streamsWords;
    const { whole, error } = await readAll(model);
    expect([whole.text, error]).toEqual(['Bună ziua', undefined]);
    expect(whole.usage_metadata).toMatchObject(usage);
    expect(whole.response_metadata.finish_reason).toBe('stop');
  });

  it('calls tools', async () => {
    const model = await start();
    gateway.gpu.script = replies.callsTool;
    const answer = await model.bindTools([weather]).invoke('Salut');
    expect(answer.tool_calls).toMatchObject([{ name: 'weather', args: replies.weatherCall.arguments }]);
    expect(gateway.gpu.arrivals[0]?.body.tools).toEqual([weather]);
  });

  it('gathers tool calls of a stream', async () => {
    const model = await start();
    gateway.gpu.script = replies.streamsToolCall;
    const { whole } = await readAll(model.bindTools([weather]) as Pick<ChatOpenAI, 'stream'>);
    expect(whole.tool_calls).toMatchObject([
      { id: 'call_1', name: 'weather', args: replies.weatherCall.arguments },
    ]);
  });

  it('asks for JSON by a schema', async () => {
    const model = await start();
    gateway.gpu.script = replies.says(JSON.stringify(replies.verdict));
    const structured = model.withStructuredOutput(
      { title: 'verdict', ...replies.verdictSchema },
      { method: 'jsonSchema' },
    );
    expect(await structured.invoke('Salut')).toEqual(replies.verdict);
    expect(gateway.gpu.arrivals[0]?.body.response_format).toMatchObject({ type: 'json_schema' });
  });

  it('sends content arrays', async () => {
    const model = await start();
    const content = [
      { type: 'text', text: 'Ce este?' },
      { type: 'image_url', image_url: { url: replies.PICTURE } },
    ];
    await model.invoke([new HumanMessage({ content })]);
    expect(gateway.gpu.arrivals[0]?.body.messages).toEqual([{ role: 'user', content }]);
  });

  it('completes text', async () => {
    await start();
    const choices = [{ index: 0, text: 'zi', finish_reason: 'stop' }];
    gateway.gpu.script = ({ response }) =>
      json(response, 200, { ...plainAnswer, object: 'text_completion', choices });
    const model = new OpenAI({
      model: 'm',
      apiKey: replies.KEY,
      maxRetries: 0,
      configuration: { baseURL: `${gateway.url}/v1` },
    });
    expect(await model.invoke('Bună')).toBe('zi');
  });
});

describe("errors in LangChain's client", () => {
  it('401 arrives with its message', async () => {
    const model = await start({ LLM_API_TOKENS: 'another' });
    const error = await failureOf(model.invoke('Salut'));
    expect(error).toMatchObject({ status: 401 });
    expect(error.message).toContain('The bearer token is not valid.');
  });

  it('422 names the field', async () => {
    const model = await start({}, { temperature: 9 });
    const error = await failureOf(model.invoke('Salut'));
    expect(error).toMatchObject({ status: 422 });
    expect(error.message).toContain('temperature: Input should be less than or equal to 2');
  });

  it.each([
    [400, 'the context is too long'],
    [429, 'slow down'],
    [500, 'out of memory'],
  ])('%d arrives with its message', async (status, message) => {
    const model = await start();
    gateway.gpu.script = replies.refuses(status, message);
    const error = await failureOf(model.invoke('Salut'));
    expect(error).toMatchObject({ status });
    expect(error.message).toContain(message);
  });

  it('501 arrives with its message', async () => {
    await start();
    gateway.gpu.script = ({ response }) => json(response, 404, { detail: 'Not Found' });
    const model = new OpenAI({
      model: 'm',
      apiKey: replies.KEY,
      maxRetries: 0,
      configuration: { baseURL: `${gateway.url}/v1` },
    });
    const error = await failureOf(model.invoke('Bună'));
    expect(error).toMatchObject({ status: 501 });
    expect(error.message).toContain('offers no text completions');
  });

  it('429 and 503 are tried again', async () => {
    const model = await start({ LLM_RATE_LIMIT_RPS: '2', LLM_RATE_LIMIT_BURST: '1' }, { maxRetries: 3 });
    await model.invoke('Salut');
    expect((await model.invoke('Salut')).content).toBe('Salut');
    expect(await gateway.metric('limpede_llm_rejected_total', { reason: 'rate' })).toBeGreaterThan(0);
  });

  it('503 when all places are taken', async () => {
    const model = await start({ LLM_MAX_CONCURRENT_COMPLETIONS: '1' });
    let release = () => {};
    gateway.gpu.script = ({ response }) => {
      release = () => json(response, 200, plainAnswer);
    };
    const first = model.invoke('Salut');
    await until(() => gateway.gpu.arrivals.length === 1);
    expect(await failureOf(model.invoke('Salut'))).toMatchObject({ status: 503 });
    release();
    await first;
  });
});

describe("broken streams in LangChain's client", () => {
  it.each([
    ['breaks off', replies.streamsAndBreaks, 'gpu backend'],
    ['ends without a finish', replies.streamsWithoutFinish, 'gpu backend'],
    ['carries an error event', replies.streamsError, 'out of memory'],
  ])('one that %s is an error, not a short answer', async (_name, script, message) => {
    const model = await start();
    gateway.gpu.script = script;
    const { whole, error } = await readAll(model);
    expect(whole.text).toBe('Bună');
    expect((error as Error).message).toContain(message);
  });
});

describe("leaving with LangChain's client", () => {
  it('stops the model server in the middle of a stream', async () => {
    const model = await start();
    gateway.gpu.script = replies.streamsForEver;
    let since = 0;
    for await (const chunk of await model.stream('Salut')) {
      if (chunk.text !== 'x') continue;
      since = performance.now();
      break;
    }
    expect(await replies.noticedAfter(gateway.gpu.arrivals[0]?.left, since)).toBeLessThan(replies.NOTICED_MS);
    await until(async () => (await gateway.metric('limpede_llm_in_flight')) === 0);
  });

  it.each([['a stream before its first event'], ['a plain request']])(
    'stops the model server for %s',
    async (name) => {
      const model = await start();
      gateway.gpu.script = replies.staysSilent;
      const leaving = new AbortController();
      const { signal } = leaving;
      const work =
        name === 'a plain request' ? failureOf(model.invoke('Salut', { signal })) : readAll(model, signal);
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
