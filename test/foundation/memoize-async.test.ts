import { describe, expect, it } from 'vitest';
import { memoizeAsync } from '../../src/foundation/memoize-async.ts';

describe('a remembered answer', () => {
  it('is asked for once by all who ask at once, and again when its time is over', async () => {
    let [asked, time] = [0, 0];
    const question = memoizeAsync(
      1_000,
      async () => {
        asked += 1;
        return asked;
      },
      () => time,
    );
    expect(await Promise.all([question(), question()])).toEqual([1, 1]);
    time = 999;
    expect(await question()).toBe(1);
    time = 1_000;
    expect(await question()).toBe(2);
  });

  it('is not remembered when there is none, nor when asking failed', async () => {
    const answers: (() => string | undefined)[] = [
      () => undefined,
      () => {
        throw new Error('lost');
      },
      () => 'here',
    ];
    const question = memoizeAsync(1_000, async () => answers.shift()?.());
    expect(await question()).toBeUndefined();
    await expect(question()).rejects.toThrow('lost');
    expect(await question()).toBe('here');
    expect(await question()).toBe('here');
  });
});
