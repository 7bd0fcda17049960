import { describe, expect, it } from 'vitest';
import { createFairQueue } from '../../src/foundation/fair-queue.ts';

/** Work that the test ends, and that records when it begins. */
function workshop(limits: Parameters<typeof createFairQueue>[0]) {
  const queue = createFairQueue(limits);
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const send = (caller: string, name: string, signal?: AbortSignal) =>
    queue.run(
      caller,
      () => {
        begun.push(name);
        return new Promise<string>((resolve) => ends.push(() => resolve(name)));
      },
      signal,
    );
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  /** Ends the piece of work that has run longest, and lets the next begin. */
  const endOne = async () => {
    await settle();
    ends.shift()?.();
    await settle();
  };
  return { queue, begun, send, settle, endOne };
}

describe('a fair queue', () => {
  it('runs so many at once and no more', async () => {
    const { begun, send, settle, endOne } = workshop({ running: 2, waiting: 10, each: 10 });
    const all = ['a', 'b', 'c', 'd'].map((name) => send('x', name));
    await settle();
    expect(begun).toEqual(['a', 'b']);
    await endOne();
    expect(begun).toEqual(['a', 'b', 'c']);
    for (let count = 0; count < 3; count += 1) await endOne();
    expect(await Promise.all(all)).toEqual(['a', 'b', 'c', 'd']);
  });

  it('goes round the callers: who sends much delays itself alone', async () => {
    const { begun, send, endOne } = workshop({ running: 1, waiting: 20, each: 10 });
    const all = ['x1', 'x2', 'x3', 'x4', 'y1', 'z1', 'y2'].map((name) => send(name.charAt(0), name));
    for (let count = 0; count < 7; count += 1) await endOne();
    expect(begun).toEqual(['x1', 'x2', 'y1', 'z1', 'x3', 'y2', 'x4']);
    await Promise.all(all);
  });

  it('refuses at once what there is no room for, and says whose share is full', async () => {
    const { queue, begun, send, endOne } = workshop({ running: 1, waiting: 3, each: 2 });
    const taken = [send('x', 'x1'), send('x', 'x2')];
    expect(queue.refusal('x')).toBe('own');
    await expect(send('x', 'x3')).rejects.toMatchObject({ name: 'QueueFullError', share: 'own' });
    taken.push(send('y', 'y1'), send('z', 'z1'));
    expect([queue.refusal('x'), queue.refusal('u')]).toEqual(['own', 'all']);
    await expect(send('u', 'u1')).rejects.toMatchObject({ name: 'QueueFullError', share: 'all' });
    await endOne();
    expect(queue.refusal('u')).toBeUndefined();
    for (let count = 0; count < 3; count += 1) await endOne();
    expect(begun).toEqual(['x1', 'x2', 'y1', 'z1']);
    expect(await Promise.all(taken)).toHaveLength(4);
  });

  it('admits no more requests than may run and wait, though none of them has begun', async () => {
    const { queue } = workshop({ running: 1, waiting: 2, each: 2 });
    const ends: (() => void)[] = [];
    const receive = (caller: string) =>
      queue.admitted(caller, () => new Promise<void>((resolve) => ends.push(resolve)));
    const taken = [receive('x'), receive('x')];
    await expect(receive('x')).rejects.toMatchObject({ share: 'own' });
    taken.push(receive('y'));
    await expect(receive('z')).rejects.toMatchObject({ share: 'all' });
    ends.shift()?.();
    await taken[0];
    taken.push(receive('z'));
    for (const end of ends) end();
    await Promise.all(taken);
    await expect(queue.admitted('x', () => Promise.reject(new Error('failed')))).rejects.toThrow('failed');
    await queue.admitted('x', async () => queue.run('x', async () => undefined));
  });

  it('forgets work whose caller left while it waited, and its share with it', async () => {
    const { queue, begun, send, endOne } = workshop({ running: 1, waiting: 1, each: 1 });
    const leaving = new AbortController();
    const first = send('x', 'x1');
    const second = send('y', 'y1', leaving.signal);
    expect(queue.refusal('z')).toBe('all');
    leaving.abort(new Error('left'));
    await expect(second).rejects.toThrow('left');
    await expect(send('y', 'y2', leaving.signal)).rejects.toThrow('left');
    const third = send('y', 'y3');
    for (let count = 0; count < 2; count += 1) await endOne();
    expect(await Promise.all([first, third])).toEqual(['x1', 'y3']);
    expect(begun).toEqual(['x1', 'y3']);
  });

  it('leaves work that runs to its own signal', async () => {
    const { send, settle, endOne } = workshop({ running: 1, waiting: 1, each: 1 });
    const leaving = new AbortController();
    const only = send('x', 'x1', leaving.signal);
    await settle();
    leaving.abort();
    await endOne();
    expect(await only).toBe('x1');
  });

  it('goes on after work that failed', async () => {
    const queue = createFairQueue({ running: 1, waiting: 1, each: 1 });
    await expect(queue.run('x', () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
    expect(await queue.run('x', async () => 'done')).toBe('done');
  });

  it('keeps places for others when one caller may not run all', async () => {
    const { queue, begun, send, settle, endOne } = workshop({
      running: 3,
      waiting: 9,
      each: 9,
      eachRunning: 2,
    });
    const all = ['x1', 'x2', 'x3', 'x4', 'y1'].map((name) => send(name.charAt(0), name));
    await settle();
    expect(begun).toEqual(['x1', 'x2', 'y1']);
    expect(queue.size()).toEqual({ running: 3, waiting: 2 });
    await endOne();
    expect(begun).toEqual(['x1', 'x2', 'y1', 'x3']);
    for (let count = 0; count < 4; count += 1) await endOne();
    expect(await Promise.all(all)).toEqual(['x1', 'x2', 'x3', 'x4', 'y1']);
  });
});
