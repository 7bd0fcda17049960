/** Options of a batcher. */
export interface BatchOptions {
  /** Most items of one batch. */
  readonly maxItems?: number;
  /** Whether an error may be due to a single item; the items of the batch are then retried one by one. */
  readonly isItemError?: (error: unknown) => boolean;
}

interface Waiting<Item, Result> {
  readonly item: Item;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

/** Enough to share the cost of a transaction, few enough that none lasts long. */
const DEFAULT_MAX_ITEMS = 100;

/**
 * Joins single items into batches: items that come while a batch runs go into the next one. The action returns one result for
 * each item, in order; when it fails, all items of its batch fail, unless `isItemError` says that a single one may have caused it.
 */
export function createBatcher<Item, Result>(
  action: (items: readonly Item[]) => Promise<readonly Result[]>,
  { maxItems = DEFAULT_MAX_ITEMS, isItemError = () => false }: BatchOptions = {},
): (item: Item) => Promise<Result> {
  let waiting: Waiting<Item, Result>[] = [];
  let running = false;

  async function work(batch: readonly Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await action(batch.map(({ item }) => item));
      batch.forEach(({ resolve, reject }, index) => {
        const result = results[index];
        if (index >= results.length) reject(new Error('the batch has no result for an item'));
        else resolve(result as Result);
      });
    } catch (error) {
      if (batch.length > 1 && isItemError(error)) for (const one of batch) await work([one]);
      else for (const { reject } of batch) reject(error);
    }
  }

  async function run(): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting.slice(0, maxItems);
      waiting = waiting.slice(maxItems);
      await work(batch);
    }
    running = false;
  }

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      if (running) return;
      running = true;
      // On the next turn of the event loop, so that items of the same turn share the first batch.
      setImmediate(run);
    });
}
