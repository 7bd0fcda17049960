import { describe, expect, it } from 'vitest';
import { closeInOrder } from '../src/main.ts';
import { silent } from './foundation/database/engines.ts';

const never = () => new Promise<void>(() => undefined);
const patient = () => 60_000;

/** Services that note when their closing begins. */
function services(...closers: (() => Promise<void>)[]) {
  const begun: string[] = [];
  const all = closers.map((close, index) => ({
    name: `service ${index}`,
    close: () => {
      begun.push(`service ${index}`);
      return close();
    },
  }));
  return { all, begun };
}

describe('closing in order', () => {
  it('waits for one before it begins with the next', async () => {
    let first = false;
    const { all } = services(
      async () => {
        await new Promise((resolve) => setTimeout(resolve, 20));
        first = true;
      },
      async () => expect(first).toBe(true),
    );
    expect(await closeInOrder(all, patient, 60_000, silent)).toEqual([]);
  });

  it('goes on with the next when one fails', async () => {
    const { all, begun } = services(
      async () => {
        throw new Error('broken');
      },
      async () => undefined,
    );
    expect(await closeInOrder(all, patient, 60_000, silent)).toEqual([]);
    expect(begun).toHaveLength(2);
  });

  it('goes on with the next when one takes longer than its turn, and names it when the limit is over', async () => {
    const { all, begun } = services(never, async () => undefined);
    expect(await closeInOrder(all, () => 10, 40, silent)).toEqual(['service 0']);
    expect(begun).toHaveLength(2);
  });
});
