import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import OpenAI, { APIError } from 'openai';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { packageFile } from '../../../../../src/foundation/files.ts';
import { buildService } from '../../../../../src/foundation/service.ts';
import { parseSettings } from '../../../../../src/foundation/settings.ts';
import { isInstalled } from '../../../../../src/services/llm/backends/embedded/binding.ts';
import { llmService } from '../../../../../src/services/llm/service.ts';
import { until } from '../../../../patience.ts';
import { isRequired } from '../../../../required.ts';
import { writeTinyModel } from './tiny-model.ts';

const installed = isInstalled(packageFile('optional', 'llama'));

/** The real engine. Without it the suite is skipped with the reason in its name, unless LIMPEDE_TEST_REQUIRE names `llama`. */
function describeLlama(name: string, suite: () => void): void {
  if (installed || isRequired('llama')) describe(name, suite);
  else describe.skip(`${name} (skipped: not installed: run \`limpede setup llama\`)`, suite);
}

const metrics = new Registry();
const home = mkdtempSync(join(tmpdir(), 'limpede-llama-'));
let close: () => Promise<void>;
let url: string;
let client: OpenAI;

async function start(): Promise<void> {
  const say = (name: string, model: Parameters<typeof writeTinyModel>[1]) =>
    writeTinyModel(join(home, 'models', `${name}.gguf`), model);
  say('counts', { words: ['one', 'two', 'three', 'four'] });
  say('plain', { words: ['one', 'two'], template: false });
  say('sings', { words: ['la', 'li'], endless: true });
  say('calls', { words: ['||call:'], spaced: false, contextLength: 2048 });
  say('small', { words: ['la', 'li'], endless: true, contextLength: 512 });
  const given = parseSettings(llmService.settings, {
    LLM_RATE_LIMIT_RPS: '100000',
    LLM_RATE_LIMIT_BURST: '100000',
    LLM_USAGE: 'false',
    LLM_RETRIES: '0',
    LLM_EMBEDDED_THREADS: '1',
    // Room for all: each that is ousted would start a process anew, and engine-pool.test.ts is about that.
    LLM_EMBEDDED_MODELS: '5',
    LLM_MODELS_REFRESH_MS: '100',
  });
  const built = await buildService(llmService, given, {
    home,
    version: '1.2.3',
    publicUrl: 'http://127.0.0.1',
    log: pino({ level: 'silent' }),
    metrics,
    database: () => Promise.reject(new Error('there is no database')),
  });
  await built.app.listen({ port: 0, host: '127.0.0.1' });
  close = () => built.close();
  url = `http://127.0.0.1:${(built.app.server.address() as AddressInfo).port}`;
  client = new OpenAI({ apiKey: 'none', baseURL: `${url}/v1`, maxRetries: 0 });
}

const messages = [{ role: 'user' as const, content: 'Salut' }];
const greedy = { messages, temperature: 0 };

async function control(verb: 'load' | 'unload', model: string) {
  const answer = await fetch(`${url}/v1/models/${verb}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model, backend: 'cpu' }),
  });
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
}

async function loaded(): Promise<string[]> {
  const answer = await fetch(`${url}/v1/models`);
  const { data } = (await answer.json()) as { data: { id: string; loaded: boolean }[] };
  return data.filter((model) => model.loaded).map(({ id }) => id);
}

/** Processes of engines that this process started, whichever of its threads did, from the process table of Linux. */
function engines(): string[] {
  const threads = readdirSync('/proc/self/task');
  const children = threads.flatMap((thread) =>
    readFileSync(`/proc/self/task/${thread}/children`, 'utf8').trim().split(' '),
  );
  return children.filter((id) => {
    try {
      return id !== '' && readFileSync(`/proc/${id}/cmdline`, 'utf8').includes('llama-worker');
    } catch {
      return false;
    }
  });
}

/** Tests that look at processes need the process table of Linux. */
function onLinux(name: string, test: () => Promise<void>): void {
  if (process.platform === 'linux') it(name, test);
  else it.skip(`${name} (skipped: looks at the process table of Linux)`, test);
}

async function running(): Promise<number> {
  const gauge = (await metrics.getMetricsAsJSON()).find(({ name }) => name === 'limpede_llm_in_flight');
  return (gauge?.values[0]?.value as number | undefined) ?? Number.NaN;
}

describeLlama('llama.cpp', () => {
  beforeAll(start);
  afterAll(async () => {
    await close?.();
    rmSync(home, { recursive: true, force: true });
  });

  it('is the cpu backend, ready and healthy', async () => {
    expect(await (await fetch(`${url}/v1/backends`)).json()).toEqual({ backends: ['cpu'] });
    expect(await (await fetch(`${url}/health`)).json()).toMatchObject({ status: 'healthy' });
    expect(await (await fetch(`${url}/ready`)).json()).toEqual({ ready: true });
  });

  it('lists the models of the folder', async () => {
    const { data } = (await (await fetch(`${url}/v1/models?backend=cpu`)).json()) as {
      data: Record<string, unknown>[];
    };
    expect(data.map(({ id }) => id)).toEqual(['calls', 'counts', 'plain', 'sings', 'small']);
    expect(data[4]).toMatchObject({ backend: 'cpu', loaded: false, context_length: 512 });
  });

  it('chats by the template of the file', async () => {
    const answer = await client.chat.completions.create({ model: 'counts', ...greedy });
    expect(answer.choices).toEqual([
      { index: 0, message: { role: 'assistant', content: 'one two three four' }, finish_reason: 'stop' },
    ]);
    // A role token, five bytes and the token that asks for the answer; four words and the end.
    expect(answer.usage).toEqual({ prompt_tokens: 7, completion_tokens: 5, total_tokens: 12 });
    expect((answer as unknown as { backend: string }).backend).toBe('cpu');
  });

  it('chats without a template', async () => {
    const { choices } = await client.chat.completions.create({ model: 'plain', ...greedy });
    expect(choices[0]?.message.content?.trim()).toBe('one two');
  });

  it('streams', async () => {
    const stream = await client.chat.completions.create({
      model: 'counts',
      ...greedy,
      stream: true,
      stream_options: { include_usage: true },
    });
    const chunks: OpenAI.Chat.ChatCompletionChunk[] = [];
    for await (const chunk of stream) chunks.push(chunk);
    expect(chunks[0]?.choices[0]?.delta).toEqual({ role: 'assistant', content: '' });
    const text = chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join('');
    expect(text).toBe('one two three four');
    expect(chunks.at(-2)?.choices[0]).toMatchObject({ delta: {}, finish_reason: 'stop' });
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { completion_tokens: 5 } });
  });

  it('remembers a conversation', async () => {
    const { choices, usage } = await client.chat.completions.create({
      model: 'counts',
      temperature: 0,
      messages: [
        { role: 'system', content: 'Scurt.' },
        ...messages,
        { role: 'assistant', content: 'one two' },
        { role: 'user', content: [{ type: 'text', text: 'Mai departe' }] },
      ],
    });
    expect(choices[0]?.message.content).toBe('one two three four');
    expect(usage?.prompt_tokens).toBeGreaterThan(25);
  });

  it('completes text, several prompts too', async () => {
    const { choices, usage } = await client.completions.create({
      model: 'counts',
      prompt: ['a', 'b'],
      temperature: 0,
    });
    expect(choices.map(({ text, finish_reason }) => [text, finish_reason])).toEqual([
      [' one two three four', 'stop'],
      [' one two three four', 'stop'],
    ]);
    expect(usage).toEqual({ prompt_tokens: 4, completion_tokens: 10, total_tokens: 14 });
  });

  it('stops at max_tokens, and at stop words in whatever token they are', async () => {
    const ask = async (more: { max_tokens?: number; stop?: string[] }) => {
      const { choices } = await client.chat.completions.create({ model: 'counts', ...greedy, ...more });
      return [choices[0]?.message.content, choices[0]?.finish_reason];
    };
    expect(await ask({ max_tokens: 2 })).toEqual(['one two', 'length']);
    expect(await ask({ stop: ['three'] })).toEqual(['one two ', 'stop']);
    expect(await ask({ stop: ['nothing', 'o th'] })).toEqual(['one tw', 'stop']);
  });

  it('chooses by seed and temperature', async () => {
    const ask = async (seed: number, temperature: number) => {
      const request = { model: 'sings', messages, max_tokens: 40, seed, temperature };
      return (await client.chat.completions.create(request)).choices[0]?.message.content;
    };
    const certain = await ask(1, 0);
    expect(certain).toBe(Array.from({ length: 20 }, () => 'la li').join(' '));
    expect(await ask(2, 0)).toBe(certain);
    const wild = await ask(1, 2);
    expect(wild).not.toBe(certain);
    expect(await ask(1, 2)).toBe(wild);
    expect(await ask(2, 2)).not.toBe(wild);
  });

  it('narrows the choice by top_p', async () => {
    const request = { model: 'sings', messages, max_tokens: 20, seed: 1, temperature: 2, top_p: 0.01 };
    const { choices } = await client.chat.completions.create(request);
    expect(choices[0]?.message.content).toBe(Array.from({ length: 10 }, () => 'la li').join(' '));
  });

  it('penalises repetition as asked', async () => {
    const request = { model: 'sings', ...greedy, max_tokens: 40 };
    const { choices } = await client.chat.completions.create({
      ...request,
      frequency_penalty: 2,
      presence_penalty: 2,
    });
    expect(choices[0]?.message.content?.startsWith('la li la li')).toBe(true);
    expect(choices[0]?.message.content).not.toBe(Array.from({ length: 20 }, () => 'la li').join(' '));
  });

  it('answers in JSON by a schema', async () => {
    const schema = {
      type: 'object',
      properties: { label: { enum: ['fals', 'real'] }, sure: { type: 'boolean' } },
      required: ['label', 'sure'],
      additionalProperties: false,
    };
    const { choices } = await client.chat.completions.create({
      model: 'counts',
      ...greedy,
      response_format: { type: 'json_schema', json_schema: { name: 'verdict', schema } },
    });
    const answer = JSON.parse(choices[0]?.message.content ?? '') as Record<string, unknown>;
    expect(Object.keys(answer)).toEqual(['label', 'sure']);
    expect(['fals', 'real']).toContain(answer.label);
    expect(typeof answer.sure).toBe('boolean');
  });

  it('calls tools, whose names and parameters keep to what was offered', async () => {
    const tools: OpenAI.Chat.ChatCompletionTool[] = [
      {
        type: 'function',
        function: {
          name: 'weather',
          description: 'The weather of a city',
          parameters: {
            type: 'object',
            properties: { city: { enum: ['Iași', 'Cluj'] } },
            required: ['city'],
            additionalProperties: false,
          },
        },
      },
    ];
    const request = { model: 'calls', ...greedy, tools, max_tokens: 200 };
    const [choice] = (await client.chat.completions.create(request)).choices;
    expect([choice?.finish_reason, choice?.message.content]).toEqual(['tool_calls', null]);
    const call = choice?.message.tool_calls?.[0];
    if (call?.type !== 'function' || choice === undefined) throw new Error('no function was called');
    expect(call.function.name).toBe('weather');
    expect(['Iași', 'Cluj']).toContain(JSON.parse(call.function.arguments).city);

    const streamed = await client.chat.completions.stream(request).finalChatCompletion();
    expect(streamed.choices[0]?.message.tool_calls?.[0]).toMatchObject({ function: call.function });

    const after = await client.chat.completions.create({
      model: 'counts',
      temperature: 0,
      tools,
      messages: [...messages, choice.message, { role: 'tool', tool_call_id: call.id, content: 'sun' }],
    });
    expect(after.choices[0]?.finish_reason).toBe('stop');
    expect(after.choices[0]?.message.content).toContain('one two three four');
  });

  it('refuses a prompt beyond the context, and ends an answer at its end', async () => {
    const ask = (length: number) =>
      client.completions.create({ model: 'small', prompt: 'x'.repeat(length), temperature: 0 });
    const failure: unknown = await ask(600).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(APIError);
    expect(failure).toMatchObject({ status: 400, message: expect.stringContaining('601 tokens') });
    const { choices, usage } = await ask(450);
    expect(choices[0]?.finish_reason).toBe('length');
    expect(usage?.total_tokens).toBeLessThanOrEqual(512);
    expect(choices[0]?.text.startsWith(' la li la li')).toBe(true);
  });

  onLinux('loads and unloads; the memory comes back with the end of the process', async () => {
    for (const model of await loaded()) await control('unload', model);
    expect(engines()).toEqual([]);
    const { status, body } = await control('load', 'counts');
    expect([status, body]).toEqual([
      200,
      { success: true, model: 'counts', backend: 'cpu', message: 'The model counts loaded.' },
    ]);
    expect(await loaded()).toEqual(['counts']);
    expect(engines()).toHaveLength(1);
    expect((await control('unload', 'counts')).body.message).toBe('The model counts unloaded.');
    expect(await loaded()).toEqual([]);
    expect(engines()).toEqual([]);
    expect((await control('load', 'nobody')).status).toBe(400);
  });

  it('stops when the caller leaves, and takes the next one', async () => {
    const stream = await client.chat.completions.create({ model: 'sings', ...greedy, stream: true });
    let seen = 0;
    for await (const _chunk of stream) if (++seen > 5) break;
    await until(async () => (await running()) === 0);
    const { choices } = await client.chat.completions.create({ model: 'sings', ...greedy, max_tokens: 2 });
    expect(choices[0]?.message.content).toBe('la li');
  });

  it('serves many callers in turn', async () => {
    const ask = () => client.chat.completions.create({ model: 'counts', ...greedy });
    const answers = await Promise.all(Array.from({ length: 8 }, ask));
    expect(answers.map(({ choices }) => choices[0]?.message.content)).toEqual(
      Array.from({ length: 8 }, () => 'one two three four'),
    );
  });

  onLinux('outlives an interrupt of the terminal, which the gateway answers for it', async () => {
    await control('load', 'counts');
    const before = engines();
    expect(before).not.toEqual([]);
    for (const engine of before)
      for (const signal of ['SIGINT', 'SIGTERM']) process.kill(Number(engine), signal);
    const { choices } = await client.chat.completions.create({ model: 'counts', ...greedy });
    expect(choices[0]?.message.content).toBe('one two three four');
    expect(engines()).toEqual(before);
  });

  onLinux(
    'is started anew after its process was killed; the stream that ran in it shows an error',
    async () => {
      for (const model of await loaded()) await control('unload', model);
      const stream = await client.chat.completions.create({ model: 'sings', ...greedy, stream: true });
      const read = async () => {
        let seen = 0;
        for await (const _chunk of stream) if (++seen === 3) process.kill(Number(engines()[0]), 'SIGKILL');
      };
      await expect(read()).rejects.toThrow('The engine of the model stopped: its process ended (SIGKILL)');
      const { choices } = await client.chat.completions.create({ model: 'sings', ...greedy, max_tokens: 2 });
      expect(choices[0]?.message.content).toBe('la li');
    },
  );
});
