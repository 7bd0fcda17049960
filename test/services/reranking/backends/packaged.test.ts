import { describe, expect, it } from 'vitest';
import { Failure } from '../../../../src/foundation/errors.ts';
import type { RerankTask } from '../../../../src/services/reranking/backends/backend.ts';
import type {
  RankingThreads,
  RankTask,
  WorkerResult,
} from '../../../../src/services/reranking/backends/packaged/messages.ts';
import { createPackagedBackend } from '../../../../src/services/reranking/backends/packaged/packaged.ts';

/** A thread that answers when the test says so; a text has one passage for each line. */
function heldThreads() {
  const tasks: { task: RankTask; answer: () => void }[] = [];
  const resultOf = (task: RankTask): WorkerResult => {
    if (task.kind === 'query') {
      const query = { language: 'en' as const, vector: null, words: new Map(), surprise: [9], tokens: 2 };
      return { kind: 'query', query };
    }
    const parts = task.parts.map(({ text, mostPassages }) => {
      const lines = text.split('\n').slice(0, mostPassages);
      const passages = lines.map((line) => ({
        language: 'en' as const,
        length: line.length,
        counts: Uint8Array.of(line.includes('x') ? 1 : 0),
        cosine: line.includes('x') ? 0.8 : 0.1,
      }));
      return { passages, tokens: lines.length };
    });
    return { kind: 'parts', parts };
  };
  const threads: RankingThreads = {
    run: (task) =>
      new Promise<WorkerResult>((resolve) => {
        tasks.push({ task, answer: () => resolve(resultOf(task)) });
      }),
    loaded: () => true,
    close: async () => {},
  };
  return { threads, tasks };
}

const limits = { threads: 1, waiting: 2, callerShare: 2 };
const task = (caller: string, ...documents: string[]): RerankTask => ({
  model: 'limpede-reranker-1',
  query: 'a query',
  documents,
  mostPassages: undefined,
  caller,
  signal: new AbortController().signal,
});
const turn = () => new Promise((resolve) => setImmediate(resolve));
const codeOf = (error: unknown) => (error instanceof Failure ? error.code : error);
const textsOf = (one: RankTask | undefined) =>
  one?.kind === 'parts' ? one.parts.map(({ text }) => text) : undefined;

/** Answers tasks as they come until the work is done. */
async function answerAll<Result>(tasks: { answer: () => void }[], work: Promise<Result>): Promise<Result> {
  const state = { over: false };
  const finished = work.finally(() => {
    state.over = true;
  });
  for (let next = 0; !state.over; ) {
    tasks[next]?.answer();
    if (tasks[next] !== undefined) next++;
    await turn();
  }
  return finished;
}

describe('the packaged ranker', () => {
  it('gives callers turns between pieces of work, not between requests', async () => {
    const { threads, tasks } = heldThreads();
    const backend = createPackagedBackend(limits, threads);
    const big = backend.rerank(task('big', 'a'.repeat(4000), 'b'.repeat(4000)));
    await turn();
    const small = backend.rerank(task('small', 'x'));
    await turn();
    for (const index of [0, 1, 2, 3]) {
      tasks[index]?.answer();
      await turn();
      await turn();
    }
    expect(tasks.slice(0, 4).map((one) => one.task.kind)).toEqual(['query', 'query', 'parts', 'parts']);
    // The small request is read before the second document of the big one.
    expect(textsOf(tasks[3]?.task)).toEqual(['x']);
    expect((await small).scores[0]).toBeGreaterThan(0.5);
    await turn();
    tasks[4]?.answer();
    expect((await big).scores.length).toBe(2);
  });

  it('reads no more of a document than passages are wanted', async () => {
    const { threads, tasks } = heldThreads();
    const backend = createPackagedBackend(limits, threads);
    const long = `${'line of words\n'.repeat(1000)}x`;
    const some = await answerAll(tasks, backend.rerank({ ...task('one', long, 'x'), mostPassages: 400 }));
    const read = tasks.flatMap(({ task: one }) => textsOf(one) ?? []);
    expect(read.join('').length).toBeLessThan(9000);
    expect(some.scores[0]).toBeLessThan(0.5);
    expect(some.tokens).toBe(2 + 400 + 1);
    const all = await answerAll(tasks, backend.rerank({ ...task('one', long, 'x'), mostPassages: 2000 }));
    expect(all.scores[0]).toBeGreaterThan(0.5);
  });

  it('refuses a caller whose share is full, and everybody when the queue is', async () => {
    const { threads, tasks } = heldThreads();
    const backend = createPackagedBackend(limits, threads);
    const requests = ['one', 'one', 'two'].map((caller) => backend.rerank(task(caller, 'text')));
    await turn();
    const refusal = (caller: string) =>
      backend.rerank(task(caller, 'text')).then(
        () => 'taken',
        (error: unknown) => codeOf(error),
      );
    expect(await refusal('one')).toBe('rate_limited');
    expect(await refusal('three')).toBe('overloaded');
    await answerAll(tasks, Promise.all(requests));
  });

  it('leaves the queue when the caller does, and reads no further document', async () => {
    const { threads, tasks } = heldThreads();
    const backend = createPackagedBackend(limits, threads);
    const leaving = new AbortController();
    const first = backend.rerank({ ...task('one', 'a'.repeat(4000), 'b'), signal: leaving.signal });
    const left = expect(first).rejects.toThrow('left');
    await turn();
    tasks[0]?.answer();
    await turn();
    await turn();
    leaving.abort(new Error('left'));
    tasks[1]?.answer();
    await left;
    expect(tasks.length).toBe(2);
  });
});
