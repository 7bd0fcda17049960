import { describe, expect, it } from 'vitest';
import { createWriteBuffer } from '../../src/foundation/write-buffer.ts';
import { eventually } from '../patience.ts';

/** A buffer that notes its batches, and fails while `broken` is set. */
function noting(delayMs: number) {
  const state = { broken: false, batches: [] as number[][] };
  const buffer = createWriteBuffer<number>(async (items) => {
    await Promise.resolve();
    if (state.broken) throw new Error('the disk is full');
    state.batches.push([...items]);
  }, delayMs);
  return { buffer, state };
}

describe('the buffer', () => {
  it('saves together what arrives within the delay', async () => {
    const { buffer, state } = noting(10);
    for (const item of [1, 2, 3]) buffer.add(item);
    await eventually(() => expect(state.batches).toEqual([[1, 2, 3]]));
    buffer.add(4);
    await eventually(() => expect(state.batches).toEqual([[1, 2, 3], [4]]));
  });

  it('saves at once when it is told to, in order', async () => {
    const { buffer, state } = noting(60_000);
    buffer.add(1);
    const first = buffer.flush();
    buffer.add(2);
    await Promise.all([first, buffer.flush()]);
    expect(state.batches.flat()).toEqual([1, 2]);
    await buffer.flush();
    expect(state.batches.flat()).toEqual([1, 2]);
  });

  it('hands over what is not saved, and saves it no more', async () => {
    const { buffer, state } = noting(60_000);
    buffer.add(1);
    void buffer.flush();
    buffer.add(2);
    expect((await buffer.take()).concat(state.batches.flat()).sort()).toEqual([1, 2]);
    expect(await buffer.take()).toEqual([]);
    await buffer.flush();
    expect(state.batches.length).toBeLessThan(2);
  });

  it('keeps what could not be saved, and tells whoever asked for it', async () => {
    const { buffer, state } = noting(60_000);
    state.broken = true;
    buffer.add(1);
    await expect(buffer.flush()).rejects.toThrow('the disk is full');
    buffer.add(2);
    expect(await buffer.take()).toEqual([1, 2]);
  });
});
