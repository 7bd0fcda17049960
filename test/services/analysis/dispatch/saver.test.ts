import { describe, expect, it } from 'vitest';
import { createSaver } from '../../../../src/services/analysis/dispatch/saver.ts';

describe('the saver', () => {
  it('saves together what arrives during a save, and loses nothing', async () => {
    const batches: number[][] = [];
    const save = createSaver<number>(async (items) => {
      await new Promise((resolve) => setTimeout(resolve, 5));
      batches.push([...items]);
    });
    const first = save(1);
    await Promise.resolve();
    await Promise.resolve();
    await Promise.all([first, save(2), save(3), save(4)]);
    expect(batches.flat().sort()).toEqual([1, 2, 3, 4]);
    expect(batches.length).toBeLessThan(4);
  });

  it('tells each caller of its own failed save, and goes on', async () => {
    let fail = true;
    const saved: number[] = [];
    const save = createSaver<number>(async (items) => {
      if (fail) throw new Error('the disk is full');
      saved.push(...items);
    });
    await expect(save(1)).rejects.toThrow('the disk is full');
    fail = false;
    await save(2);
    expect(saved).toEqual([2]);
  });
});
