import { afterEach, describe, expect, it } from 'vitest';
import { createThreadPool, type ThreadPool } from '../../src/foundation/thread-pool.ts';

type Pool = ThreadPool<{ kind: 'names'; text: string; language: string }, { entities: unknown[] }>;
const never = new AbortController().signal;
const task = { kind: 'names', text: 'Maria lives in Paris.', language: 'en' } as const;

let pool: Pool;
const open = () => {
  pool = createThreadPool({ script: 'extractors-text-worker.js', threads: 1, heapMegabytes: 256 });
  return pool;
};
afterEach(() => pool.close());

describe('threads of a bundled program', () => {
  it('do their tasks, new ones too', async () => {
    const { run, renew } = open();
    const first = await run(task, never);
    expect(first.entities.length).toBeGreaterThan(0);
    const last = run(task, never);
    renew();
    expect([await last, await run(task, never)]).toEqual([first, first]);
  });

  it('end with a signal that aborts, and others do the next task', async () => {
    const { run } = open();
    const leaving = new AbortController();
    const left = run({ ...task, text: task.text.repeat(2000) }, leaving.signal);
    leaving.abort();
    await expect(left).rejects.toMatchObject({ name: 'AbortError' });
    expect((await run(task, never)).entities.length).toBeGreaterThan(0);
  });

  it('are closed before they were needed', async () => {
    await expect(open().close()).resolves.toBeUndefined();
  });
});
