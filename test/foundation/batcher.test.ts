import { expect, it } from 'vitest';
import { createBatcher } from '../../src/foundation/batcher.ts';

it('joins what comes together and what comes while a batch is under way', async () => {
  const batches: number[][] = [];
  const double = createBatcher(async (items: readonly number[]) => {
    batches.push([...items]);
    await new Promise((resolve) => setImmediate(resolve));
    return items.map((item) => item * 2);
  });
  const first = [double(1), double(2)];
  await new Promise((resolve) => setImmediate(resolve));
  const second = [double(3), double(4)];
  expect(await Promise.all([...first, ...second])).toEqual([2, 4, 6, 8]);
  expect(await double(5)).toBe(10);
  expect(batches).toEqual([[1, 2], [3, 4], [5]]);
});

it('fails the items of a failed batch, and goes on', async () => {
  const work = createBatcher(async (items: readonly string[]) => {
    if (items.includes('bad')) throw new Error('no');
    return items.map((item) => item.length);
  });
  const results = await Promise.allSettled([work('bad'), work('good')]);
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  await expect(work('good')).resolves.toBe(4);
});

it('fails an item that got no result', async () => {
  const work = createBatcher(async (items: readonly number[]) => items.slice(1));
  await expect(work(1)).rejects.toThrow('no result');
});

it('tries each item by itself when the error may be that of one', async () => {
  const batches: string[][] = [];
  const work = createBatcher(
    async (items: readonly string[]) => {
      batches.push([...items]);
      if (items.includes('bad')) throw new Error('no');
      return items.map((item) => item.length);
    },
    { isItemError: (error) => error instanceof Error && error.message === 'no' },
  );
  const results = await Promise.allSettled([work('good'), work('bad'), work('better')]);
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(batches).toEqual([['good', 'bad', 'better'], ['good'], ['bad'], ['better']]);
});

it('makes no batch larger than the most', async () => {
  const sizes: number[] = [];
  const work = createBatcher(
    async (items: readonly number[]) => {
      sizes.push(items.length);
      return items;
    },
    { maxItems: 2 },
  );
  expect(await Promise.all([1, 2, 3, 4, 5].map(work))).toEqual([1, 2, 3, 4, 5]);
  expect(sizes).toEqual([2, 2, 1]);
});
