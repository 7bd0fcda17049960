import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { packageFile } from '../../../../../src/foundation/files.ts';
import type { AnswerSink, Backend } from '../../../../../src/services/llm/backends/backend.ts';
import { bindingEntry, enginePackage } from '../../../../../src/services/llm/backends/embedded/binding.ts';
import { createEmbeddedBackend } from '../../../../../src/services/llm/backends/embedded/embedded.ts';
import { until } from '../../../../patience.ts';
import { writeTinyModel } from './tiny-model.ts';

const never = new AbortController().signal;
let home: string;
let backend: Backend;

function touch(path: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, '{}');
}

/** Something that looks like the installed binding. */
function pretendInstalled(): void {
  const engine = enginePackage(process.platform, process.arch) ?? '';
  touch(bindingEntry(join(home, 'binding')));
  touch(join(home, 'binding', 'node_modules', engine, 'package.json'));
}

function model(name: string): void {
  writeTinyModel(join(home, 'models', `${name}.gguf`), { words: ['one'], contextLength: 2048 });
}

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'limpede-embedded-'));
  backend = createEmbeddedBackend({
    models: join(home, 'models'),
    binding: join(home, 'binding'),
    program: packageFile('test', 'services', 'llm', 'backends', 'embedded', 'fake-engine.mjs'),
    context: 512,
    parallel: 2,
    threads: 1,
    maxModels: 1,
    idleMs: 0,
  });
});
afterEach(async () => {
  await backend.close();
  rmSync(home, { recursive: true, force: true });
});

/** A receiver that keeps what it hears. */
class Recorder implements AnswerSink {
  status = 0;
  contentType = '';
  text = '';
  over = false;

  started(head: { status: number; contentType: string }): void {
    this.status = head.status;
    this.contentType = head.contentType;
  }

  received(bytes: Buffer): void {
    this.text += bytes.toString('utf8');
  }

  ended(): void {
    this.over = true;
  }

  failed(reason: Error): void {
    throw reason;
  }

  /** The events of a stream, parsed. */
  get events(): unknown[] {
    return this.text
      .split('\n\n')
      .filter((event) => event !== '')
      .map((event) => event.replace(/^data: /, ''))
      .map((data) => (data === '[DONE]' ? data : JSON.parse(data)));
  }
}

function send(
  content: string,
  { stream = false, model = 'm', ...more }: Record<string, unknown> & { stream?: boolean } = {},
) {
  const heard = new Recorder();
  const body = { model, messages: [{ role: 'user', content }], stream, ...more };
  const exchange = {
    operation: 'chat' as const,
    body: Buffer.from(JSON.stringify(body)),
    stream,
    requestId: 'r',
  };
  return { heard, transfer: backend.send(exchange, heard) };
}

async function ask(content: string, more: Record<string, unknown> = {}): Promise<Recorder> {
  const { heard } = send(content, more);
  await until(() => heard.over);
  return heard;
}

describe('without its parts the embedded backend', () => {
  it('says how to install them, and everything else says it too', async () => {
    model('m');
    expect(backend.unavailable).toContain('run `limpede setup llama`');
    await expect(backend.probe(never)).rejects.toThrow('limpede setup llama');
    await expect(backend.load('m', never)).rejects.toThrow('limpede setup llama');
    await expect(backend.unload('m', never)).rejects.toThrow('limpede setup llama');
  });

  it('says that it has no model', () => {
    pretendInstalled();
    expect(backend.unavailable).toContain('has no model');
    expect(backend.unavailable).toContain('LLM_CPU_URL');
  });

  it('needs no restart once they are there', () => {
    expect(backend.unavailable).toBeDefined();
    pretendInstalled();
    model('m');
    expect(backend.unavailable).toBeUndefined();
  });
});

describe('the embedded backend', () => {
  beforeEach(() => {
    pretendInstalled();
    model('m');
  });

  it('lists the models of its folder, with their contexts and whether they are loaded', async () => {
    model('other');
    model('large-00001-of-00002');
    model('large-00002-of-00002');
    writeFileSync(join(home, 'models', 'half.gguf'), 'GGUF');
    writeFileSync(join(home, 'models', 'notes.txt'), 'no model');
    await backend.load('m', never);
    const models = await backend.list(never);
    expect(models.map(({ id, loaded }) => [id, loaded])).toEqual([
      ['large-00001-of-00002', false],
      ['m', true],
      ['other', false],
    ]);
    expect(models[1]).toMatchObject({
      owned_by: 'limpede',
      context_length: 2048,
      capabilities: ['chat', 'completion'],
    });
    expect(models[1]?.created).toBeGreaterThan(1_700_000_000);
  });

  it('loads and unloads', async () => {
    expect(await backend.load('m', never)).toBe('The model m loaded.');
    expect(await backend.unload('m', never)).toBe('The model m unloaded.');
    expect(await backend.unload('m', never)).toBe('The model m was not loaded.');
    await expect(backend.load('nobody', never)).rejects.toMatchObject({ kind: 'invalid' });
    model('broken');
    await expect(backend.load('broken', never)).rejects.toThrow(
      'The model broken cannot be loaded: not a model',
    );
  });

  it('answers in the shape of the specification', async () => {
    const { status, contentType, text } = await ask('say');
    expect([status, contentType]).toEqual([200, 'application/json']);
    expect(JSON.parse(text)).toEqual({
      id: expect.stringMatching(/^chatcmpl-/),
      created: expect.any(Number),
      model: 'm',
      object: 'chat.completion',
      choices: [{ index: 0, message: { role: 'assistant', content: 'abc' }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 3, completion_tokens: 3, total_tokens: 6 },
    });
  });

  it('keeps reasoning apart from the answer', async () => {
    expect(JSON.parse((await ask('think')).text).choices[0].message).toEqual({
      role: 'assistant',
      content: 'yes',
      reasoning_content: 'hm',
    });
    const { events } = await ask('think', { stream: true });
    const deltas = events.map((event) => (event as { choices?: { delta: unknown }[] }).choices?.[0]?.delta);
    expect(deltas.slice(1, 3)).toEqual([{ reasoning_content: 'hm' }, { content: 'yes' }]);
  });

  it('streams in the shape of the specification', async () => {
    const heard = await ask('say', { stream: true, stream_options: { include_usage: true } });
    expect([heard.status, heard.contentType]).toEqual([200, 'text/event-stream']);
    const chunk = (delta: unknown, finish: string | null = null) =>
      expect.objectContaining({
        object: 'chat.completion.chunk',
        model: 'm',
        choices: [{ index: 0, delta, finish_reason: finish }],
      });
    expect(heard.events).toEqual([
      chunk({ role: 'assistant', content: '' }),
      chunk({ content: 'a' }),
      chunk({ content: 'b' }),
      chunk({ content: 'c' }),
      chunk({}, 'stop'),
      expect.objectContaining({
        choices: [],
        usage: { prompt_tokens: 3, completion_tokens: 3, total_tokens: 6 },
      }),
      '[DONE]',
    ]);
    expect(new Set(heard.events.slice(0, -1).map((event) => (event as { id: string }).id)).size).toBe(1);
  });

  it('passes calls of tools on', async () => {
    const call = { type: 'function', function: { name: 'weather', arguments: '{"city":"Iași"}' } };
    const [choice] = JSON.parse((await ask('call')).text).choices;
    expect(choice).toEqual({
      index: 0,
      message: {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: expect.stringMatching(/^call_/), ...call }],
      },
      finish_reason: 'tool_calls',
    });
    const { events } = await ask('call', { stream: true });
    expect(events.slice(1, 3)).toMatchObject([
      { choices: [{ delta: { tool_calls: [{ index: 0, ...call }] }, finish_reason: null }] },
      { choices: [{ delta: {}, finish_reason: 'tool_calls' }] },
    ]);
  });

  it('answers several prompts at once', async () => {
    const heard = new Recorder();
    const body = Buffer.from(JSON.stringify({ model: 'm', prompt: ['say', 'think', 'say'] }));
    backend.send({ operation: 'complete', body, stream: false, requestId: 'r' }, heard);
    await until(() => heard.over);
    const answer = JSON.parse(heard.text);
    expect(answer.object).toBe('text_completion');
    expect(answer.choices.map((choice: { text: string }) => choice.text)).toEqual(['abc', 'yes', 'abc']);
    expect(answer.usage).toEqual({ prompt_tokens: 9, completion_tokens: 8, total_tokens: 17 });
  });

  it.each<[string, string, Record<string, unknown>, number, string]>([
    ['an unknown model', 'say', { model: 'nobody' }, 404, 'The model nobody is not in the folder'],
    ['a request beyond it', 'say', { n: 2 }, 400, 'one choice'],
    ['a request at fault', 'fault', {}, 400, 'too long'],
    ['a crash', 'fall', {}, 500, 'The engine of the model stopped'],
    ['a crash in the middle of a plain answer', 'crash', {}, 500, 'GGML_ASSERT failed'],
    ['a crash before a stream', 'fall', { stream: true }, 500, 'The engine of the model stopped'],
  ])('tells %s', async (_name, content, more, status, message) => {
    const heard = await ask(content, more);
    expect([heard.status, heard.contentType]).toEqual([status, 'application/json']);
    expect(JSON.parse(heard.text).error.message).toContain(message);
    expect((await ask('say')).status).toBe(200);
  });

  it('tells a crash in the middle of a stream as an error event, without an end that looks complete', async () => {
    const heard = await ask('crash', { stream: true });
    expect(heard.status).toBe(200);
    expect(heard.events.at(-1)).toMatchObject({ error: { message: expect.stringContaining('GGML_ASSERT') } });
    expect(heard.text).not.toContain('[DONE]');
    expect(heard.text).not.toContain('"stop"');
    expect((await ask('say', { stream: true })).text).toContain('[DONE]');
  });

  it('tells a model that cannot be loaded', async () => {
    model('broken');
    const heard = await ask('say', { model: 'broken' });
    expect([heard.status, JSON.parse(heard.text).error.message]).toEqual([400, 'not a model']);
  });

  it('hears nothing after it gave up, and the place is free', async () => {
    const { heard, transfer } = send('hold', { stream: true });
    await until(() => heard.text.includes('"a"'));
    const before = heard.text;
    transfer.abort();
    expect((await ask('say')).status).toBe(200);
    expect([heard.text, heard.over]).toEqual([before, false]);
  });

  it('can give up before anything started', async () => {
    const { heard, transfer } = send('say');
    transfer.abort();
    expect((await ask('say')).status).toBe(200);
    expect([heard.status, heard.text, heard.over]).toEqual([0, '', false]);
  });

  it('holds back while its reader is slow, and loses nothing', async () => {
    const { heard, transfer } = send('say', { stream: true });
    transfer.pause();
    await ask('say');
    expect(heard.status).toBe(0);
    transfer.resume();
    await until(() => heard.over);
    expect(heard.events).toHaveLength(6);
  });

  it('ends its engines when it closes', async () => {
    const { heard } = send('hold', { stream: true });
    await until(() => heard.text.includes('"a"'));
    await backend.close();
    await until(() => heard.over);
    expect(heard.events.at(-1)).toMatchObject({
      error: { message: expect.stringContaining('shutting down') },
    });
  });
});
