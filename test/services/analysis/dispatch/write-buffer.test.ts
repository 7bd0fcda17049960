import { describe, expect, it, vi } from 'vitest';
import { createSaver } from '../../../../src/services/analysis/dispatch/write-buffer.ts';

/** A saver that notes its batches, and fails while `broken` is set. */
function noting(delayMs: number) {
  const state = { broken: false, batches: [] as number[][] };
  const saver = createSaver<number>(async (items) => {
    await Promise.resolve();
    if (state.broken) throw new Error('the disk is full');
    state.batches.push([...items]);
  }, delayMs);
  return { saver, state };
}

describe('the saver', () => {
  it('saves together what arrives within the delay', async () => {
    const { saver, state } = noting(10);
    for (const item of [1, 2, 3]) saver.add(item);
    await vi.waitFor(() => expect(state.batches).toEqual([[1, 2, 3]]));
    saver.add(4);
    await vi.waitFor(() => expect(state.batches).toEqual([[1, 2, 3], [4]]));
  });

  it('saves at once when it is told to, in order', async () => {
    const { saver, state } = noting(60_000);
    saver.add(1);
    const first = saver.flush();
    saver.add(2);
    await Promise.all([first, saver.flush()]);
    expect(state.batches.flat()).toEqual([1, 2]);
    await saver.flush();
    expect(state.batches.flat()).toEqual([1, 2]);
  });

  it('hands over what is not saved, and saves it no more', async () => {
    const { saver, state } = noting(60_000);
    saver.add(1);
    void saver.flush();
    saver.add(2);
    expect((await saver.take()).concat(state.batches.flat()).sort()).toEqual([1, 2]);
    expect(await saver.take()).toEqual([]);
    await saver.flush();
    expect(state.batches.length).toBeLessThan(2);
  });

  it('keeps what could not be saved, and tells whoever asked for it', async () => {
    const { saver, state } = noting(60_000);
    state.broken = true;
    saver.add(1);
    await expect(saver.flush()).rejects.toThrow('the disk is full');
    saver.add(2);
    expect(await saver.take()).toEqual([1, 2]);
  });
});
