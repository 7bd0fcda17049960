import { afterEach, describe, expect, it } from 'vitest';
import { packageFile } from '../../../../../src/foundation/files.ts';
import { EngineFailure, LlamaEngine } from '../../../../../src/services/llm/backends/embedded/engine.ts';
import { EnginePool } from '../../../../../src/services/llm/backends/embedded/engine-pool.ts';
import type { Job, LoadCommand } from '../../../../../src/services/llm/backends/embedded/protocol.ts';
import { until } from '../../../../patience.ts';

const program = packageFile('test', 'services', 'llm', 'backends', 'embedded', 'fake-engine.mjs');
const never = new AbortController().signal;

function job(prompt: string): Job {
  return {
    kind: 'text',
    prompt,
    maxTokens: null,
    temperature: 0,
    topP: null,
    topK: null,
    minP: null,
    seed: null,
    frequencyPenalty: 0,
    presencePenalty: 0,
    stop: [],
  };
}

function order(more: Partial<LoadCommand> = {}): LoadCommand {
  return {
    type: 'load',
    binding: '',
    file: 'good.gguf',
    context: 512,
    parallel: 1,
    threads: 1,
    ...more,
  };
}

/** Runs a job and gathers its text. */
async function run(
  engine: LlamaEngine,
  prompt: string,
  signal = never,
  heard: (text: string) => void = () => {},
) {
  let all = '';
  const listener = {
    started: () => {},
    text: (text: string) => {
      all += text;
      heard(text);
    },
  };
  const ending = await engine.run(job(prompt), listener, signal);
  return { ...ending, text: all };
}

function isAlive(processId: number | undefined): boolean {
  try {
    return processId !== undefined && process.kill(processId, 0);
  } catch {
    return false;
  }
}

describe('an engine', () => {
  let engine: LlamaEngine;
  afterEach(() => engine.stop('the test is over'));

  it('loads, runs, and tells the text and how it ended', async () => {
    engine = new LlamaEngine(program, order());
    expect(await engine.ready).toBe(512);
    expect(await run(engine, 'say')).toMatchObject({ text: 'abc', finish: 'stop', completionTokens: 3 });
  });

  it('sees nothing of the environment of the gateway', async () => {
    engine = new LlamaEngine(program, order());
    const { text } = await run(engine, 'keys');
    expect(text.split(' ').filter((name) => name !== '' && !name.startsWith('NODE_CHANNEL'))).toEqual([]);
  });

  it('does as much at once as it was told, and the rest in order', async () => {
    engine = new LlamaEngine(program, order({ parallel: 2 }));
    const leaving = new AbortController();
    const held = [1, 2].map(() => run(engine, 'hold', leaving.signal));
    const third = run(engine, 'count');
    leaving.abort(new Error('left'));
    for (const one of held) await expect(one).rejects.toThrow('left');
    // The places come back when the engine says that it stopped.
    expect((await third).text).toMatch(/^[01]$/);
  });

  it('forgets a waiting run that was given up', async () => {
    engine = new LlamaEngine(program, order());
    const first = new AbortController();
    const second = new AbortController();
    const running = run(engine, 'hold', first.signal);
    const waiting = run(engine, 'crash', second.signal);
    second.abort(new Error('left'));
    await expect(waiting).rejects.toThrow('left');
    first.abort(new Error('left'));
    await expect(running).rejects.toThrow('left');
    expect((await run(engine, 'say')).text).toBe('abc');
  });

  it('tells nothing of a run after it was given up', async () => {
    engine = new LlamaEngine(program, order());
    const leaving = new AbortController();
    const heard: string[] = [];
    const work = run(engine, 'hold', leaving.signal, (text) => {
      heard.push(text);
      leaving.abort(new Error('left'));
    });
    await expect(work).rejects.toThrow('left');
    await run(engine, 'say');
    expect(heard).toEqual(['a']);
  });

  it('tells a request at fault', async () => {
    engine = new LlamaEngine(program, order());
    const failure: unknown = await run(engine, 'fault').catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(EngineFailure);
    expect(failure).toMatchObject({ message: 'too long', invalid: true });
  });

  it('that crashes fails everything in it, with its last words', async () => {
    engine = new LlamaEngine(program, order());
    const crashed = run(engine, 'crash');
    const waiting = run(engine, 'say');
    await expect(crashed).rejects.toThrow(
      'The engine of the model stopped: its process ended (exit code 134): GGML_ASSERT failed.',
    );
    await expect(waiting).rejects.toThrow('exit code 134');
    await expect(run(engine, 'say')).rejects.toThrow('exit code 134');
    await expect(run(engine, 'say', AbortSignal.abort(new Error('left')))).rejects.toThrow('left');
  });

  it('that does not stop when told to is ended, and what waits in it fails', async () => {
    engine = new LlamaEngine(program, order(), 20);
    const leaving = new AbortController();
    const work = run(engine, 'hang', leaving.signal, () => leaving.abort(new Error('left')));
    const waiting = run(engine, 'say');
    await expect(work).rejects.toThrow('left');
    await expect(waiting).rejects.toThrow('it did not stop when told to');
    expect(isAlive(engine.processId)).toBe(false);
  });

  it('that cannot load says why, and ends', async () => {
    engine = new LlamaEngine(program, order({ file: 'broken.gguf' }));
    await expect(engine.ready).rejects.toMatchObject({ message: 'not a model', invalid: true });
    await engine.ended;
    expect(isAlive(engine.processId)).toBe(false);
  });

  it('that is no program fails', async () => {
    engine = new LlamaEngine(packageFile('nowhere.mjs'), order());
    await expect(engine.ready).rejects.toThrow('its process ended');
  });
});

describe('the pool', () => {
  let pool: EnginePool;
  afterEach(() => pool.close());

  const make = (more: { maxModels?: number; idleMs?: number } = {}) => {
    pool = new EnginePool({
      program,
      binding: '',
      context: 512,
      parallel: 1,
      threads: 1,
      maxModels: 1,
      idleMs: 0,
      ...more,
    });
  };
  const lease = (id: string, signal = never) => pool.lease(id, `${id}.gguf`, signal);

  it('loads a model once for everybody', async () => {
    make();
    const [one, other] = await Promise.all([lease('a'), lease('a')]);
    expect(one.engine).toBe(other.engine);
    expect(pool.isLoaded('a')).toBe(true);
  });

  it('ends the model that was idle longest to make room, and its process with it', async () => {
    make({ maxModels: 2 });
    const first = await lease('a');
    (await lease('b')).release();
    first.release();
    (await lease('b')).release();
    (await lease('c')).release();
    expect(['a', 'b', 'c'].map((id) => pool.isLoaded(id))).toEqual([false, true, true]);
    expect(isAlive(first.engine.processId)).toBe(false);
  });

  it('lets a further model wait until one is free, and keeps the order', async () => {
    make();
    const first = await lease('a');
    const order: string[] = [];
    const other = lease('b').then((given) => {
      order.push('b');
      given.release();
    });
    const again = lease('a').then((given) => {
      order.push('a');
      given.release();
    });
    await until(() => pool.isLoaded('a'));
    expect(order).toEqual([]);
    first.release();
    await Promise.all([other, again]);
    expect(order).toEqual(['b', 'a']);
  });

  it('forgets a waiting caller that left, and goes on with the next', async () => {
    make();
    const first = await lease('a');
    const leaving = new AbortController();
    const left = lease('b', leaving.signal);
    const next = lease('a');
    leaving.abort(new Error('left'));
    await expect(left).rejects.toThrow('left');
    (await next).release();
    first.release();
  });

  it('does not keep a caller that leaves while the model loads', async () => {
    make();
    const leaving = new AbortController();
    const work = lease('slow', leaving.signal);
    await until(() => pool.isLoaded('slow'));
    leaving.abort(new Error('left'));
    await expect(work).rejects.toThrow('left');
    (await lease('a')).release();
    expect(pool.isLoaded('slow')).toBe(false);
  });

  it('starts a crashed model anew on its next use', async () => {
    make();
    const crashed = await lease('a');
    await expect(run(crashed.engine, 'fall')).rejects.toThrow('exit code 134');
    crashed.release();
    const anew = await lease('a');
    expect((await run(anew.engine, 'say')).text).toBe('abc');
    expect(anew.engine).not.toBe(crashed.engine);
  });

  it('forgets a model that cannot be loaded', async () => {
    make();
    await expect(lease('broken')).rejects.toMatchObject({ invalid: true });
    await until(() => !pool.isLoaded('broken'));
    (await lease('a')).release();
  });

  it('unloads an idle model, but not one that was loaded to stay, nor one in use', async () => {
    make({ maxModels: 3, idleMs: 50 });
    const used = await lease('used');
    await pool.load('kept', 'kept.gguf', never);
    const idle = await lease('idle');
    idle.release();
    await idle.engine.ended;
    await until(() => !pool.isLoaded('idle'));
    expect([pool.isLoaded('used'), pool.isLoaded('kept')]).toEqual([true, true]);
    used.release();
    await used.engine.ended;
  });

  it('unloads on demand, and what runs fails with the reason', async () => {
    make();
    const { engine } = await lease('a');
    const held = run(engine, 'hold');
    const failing = expect(held).rejects.toThrow('the model was unloaded');
    expect(await pool.unload('a', 'the model was unloaded')).toBe(true);
    await failing;
    expect(await pool.unload('a', 'again')).toBe(false);
    expect(isAlive(engine.processId)).toBe(false);
  });

  it('takes nobody after it was closed', async () => {
    make();
    const { engine } = await lease('a');
    await pool.close();
    expect(isAlive(engine.processId)).toBe(false);
    await expect(lease('a')).rejects.toThrow('shutting down');
  });
});
