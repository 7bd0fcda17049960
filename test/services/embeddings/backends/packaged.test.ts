import { describe, expect, it } from 'vitest';
import { Failure } from '../../../../src/foundation/errors.ts';
import type { EmbeddingTask } from '../../../../src/services/embeddings/backends/backend.ts';
import { type EncodedInput, inputGroups } from '../../../../src/services/embeddings/backends/embedder.ts';
import type {
  EncoderThreads,
  EncodeTask,
} from '../../../../src/services/embeddings/backends/packaged/messages.ts';
import { createPackagedBackend } from '../../../../src/services/embeddings/backends/packaged/packaged.ts';

/** Threads that answer when the test says so; each vector holds the length of its text. */
function heldThreads() {
  const tasks: { task: EncodeTask; answer: () => void }[] = [];
  const threads: EncoderThreads = {
    run: (task) =>
      new Promise<readonly EncodedInput[]>((resolve) => {
        const inputs = task.inputs.map(({ length }) => ({ vector: Float32Array.of(length), tokens: 1 }));
        tasks.push({ task, answer: () => resolve(inputs) });
      }),
    loaded: () => true,
    close: async () => {},
  };
  return { threads, tasks };
}

const limits = { threads: 1, waiting: 2, callerShare: 2, cacheEntries: 100 };
const task = (caller: string, ...inputs: string[]): EmbeddingTask => ({
  model: 'limpede-encoder-1',
  inputs,
  language: undefined,
  dimensions: undefined,
  caller,
  signal: new AbortController().signal,
});
const turn = () => new Promise((resolve) => setImmediate(resolve));
const codeOf = (error: unknown) => (error instanceof Failure ? error.code : error);

describe('the packaged backend', () => {
  it('gives callers turns between pieces of work, not between requests', async () => {
    const { threads, tasks } = heldThreads();
    const backend = createPackagedBackend(limits, threads);
    const big = backend.embed(task('big', 'a'.repeat(4000), 'b'.repeat(4000), 'c'.repeat(4000)));
    await turn();
    const small = backend.embed(task('small', 'word'));
    await turn();
    tasks[0]?.answer();
    await turn();
    expect(tasks[1]?.task.inputs).toEqual(['word']);
    tasks[1]?.answer();
    expect((await small).vectors).toEqual([Float32Array.of(4)]);
    for (const index of [2, 3]) {
      await turn();
      tasks[index]?.answer();
    }
    expect((await big).vectors.map(([length]) => length)).toEqual([4000, 4000, 4000]);
  });

  it('refuses a caller whose share is full, and everybody when the queue is', async () => {
    const { threads, tasks } = heldThreads();
    const backend = createPackagedBackend(limits, threads);
    const requests = ['one', 'one', 'two'].map((caller, index) =>
      backend.embed(task(caller, `text ${index}`)),
    );
    await turn();
    expect(codeOf(await backend.embed(task('one', 'more')).catch((error: unknown) => error))).toBe(
      'rate_limited',
    );
    expect(codeOf(await backend.embed(task('three', 'more')).catch((error: unknown) => error))).toBe(
      'overloaded',
    );
    for (let index = 0; index < 3; index++) {
      tasks[index]?.answer();
      await turn();
    }
    await Promise.all(requests);
  });

  it('leaves the queue when the caller does', async () => {
    const { threads, tasks } = heldThreads();
    const backend = createPackagedBackend(limits, threads);
    const first = backend.embed(task('one', 'first'));
    await turn();
    const leaving = new AbortController();
    const second = backend.embed({ ...task('two', 'second'), signal: leaving.signal });
    await turn();
    leaving.abort(new Error('left'));
    await expect(second).rejects.toThrow('left');
    tasks[0]?.answer();
    await first;
    await turn();
    expect(tasks.length).toBe(1);
  });

  it('encodes a text once, and again in another language', async () => {
    const { threads, tasks } = heldThreads();
    const backend = createPackagedBackend(limits, threads);
    const first = backend.embed(task('one', 'same', 'other'));
    await turn();
    tasks[0]?.answer();
    await first;
    expect((await backend.embed(task('two', 'other', 'same'))).tokens).toBe(2);
    expect(tasks.length).toBe(1);
    const again = backend.embed({ ...task('two', 'same'), language: 'ro' });
    await turn();
    tasks[1]?.answer();
    await again;
    expect(tasks.length).toBe(2);
  });

  it('cuts work into pieces of some pages', () => {
    expect(inputGroups([]).length).toBe(0);
    expect(inputGroups(['a', 'b', 'c'.repeat(5000), 'd']).map(({ length }) => length)).toEqual([2, 1, 1]);
    expect(inputGroups(Array(10).fill('x'.repeat(1000))).map(({ length }) => length)).toEqual([4, 4, 2]);
  });
});
