import { describe, expect, it } from 'vitest';
import { createTurns } from '../../../src/services/identity/turns.ts';

/** Work that ends when it is told to, and notes when it begins. */
function workshop(limits: Parameters<typeof createTurns>[0]) {
  const turns = createTurns(limits);
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const send = (caller: string, name: string) =>
    turns.run(caller, () => {
      begun.push(name);
      return new Promise<string>((resolve) => ends.push(() => resolve(name)));
    });
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  /** Ends the piece of work that has run longest, and lets the next begin. */
  const endOne = async () => {
    await settle();
    ends.shift()?.();
    await settle();
  };
  return { turns, begun, send, settle, endOne };
}

describe('turns', () => {
  it('run so many at once and no more', async () => {
    const { begun, send, settle, endOne } = workshop({ running: 2, waiting: 10, each: 10 });
    const all = ['a', 'b', 'c', 'd'].map((name) => send('x', name));
    await settle();
    expect(begun).toEqual(['a', 'b']);
    await endOne();
    expect(begun).toEqual(['a', 'b', 'c']);
    for (let count = 0; count < 3; count += 1) await endOne();
    expect(await Promise.all(all)).toEqual(['a', 'b', 'c', 'd']);
  });

  it('go round the callers: who sends much delays itself alone', async () => {
    const { begun, send, endOne } = workshop({ running: 1, waiting: 20, each: 10 });
    const all = ['x1', 'x2', 'x3', 'x4', 'y1', 'z1', 'y2'].map((name) => send(name.charAt(0), name));
    for (let count = 0; count < 7; count += 1) await endOne();
    expect(begun).toEqual(['x1', 'x2', 'y1', 'z1', 'x3', 'y2', 'x4']);
    await Promise.all(all);
  });

  it('refuse at once what there is no room for, and say whose share is full', async () => {
    const { turns, begun, send, endOne } = workshop({ running: 1, waiting: 3, each: 2 });
    const taken = [send('x', 'x1'), send('x', 'x2')];
    expect(turns.refusal('x')).toBe('own');
    await expect(send('x', 'x3')).rejects.toMatchObject({ name: 'NoRoom', share: 'own' });
    taken.push(send('y', 'y1'), send('z', 'z1'));
    expect([turns.refusal('x'), turns.refusal('u')]).toEqual(['own', 'all']);
    await expect(send('u', 'u1')).rejects.toMatchObject({ name: 'NoRoom', share: 'all' });
    await endOne();
    expect(turns.refusal('u')).toBeUndefined();
    for (let count = 0; count < 3; count += 1) await endOne();
    expect(begun).toEqual(['x1', 'x2', 'y1', 'z1']);
    expect(await Promise.all(taken)).toHaveLength(4);
  });

  it('go on after work that failed', async () => {
    const turns = createTurns({ running: 1, waiting: 1, each: 1 });
    await expect(turns.run('x', () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
    expect(await turns.run('x', async () => 'done')).toBe('done');
  });
});
