/** How items are joined. */
export interface BatchOptions {
  /** Items of one batch, at most. */
  readonly most?: number;
  /** Whether an error may be due to one of the items: each of the batch is then tried by itself. */
  readonly isOfOne?: (error: unknown) => boolean;
}

interface Waiting<Item, Result> {
  readonly item: Item;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

/** Enough to share the cost of a transaction, few enough that none lasts long. */
const DEFAULT_MOST = 100;

/**
 * Joins single items into batches: what comes while one batch is under way goes into the next. The action answers one
 * result for each item, in their order; when it fails, all items of its batch fail, unless the error may be that of one.
 */
export function batched<Item, Result>(
  action: (items: readonly Item[]) => Promise<readonly Result[]>,
  { most = DEFAULT_MOST, isOfOne = () => false }: BatchOptions = {},
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
      if (batch.length > 1 && isOfOne(error)) for (const one of batch) await work([one]);
      else for (const { reject } of batch) reject(error);
    }
  }

  async function run(): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting.slice(0, most);
      waiting = waiting.slice(most);
      await work(batch);
    }
    running = false;
  }

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      if (running) return;
      running = true;
      // A turn later, so that what finishes in the same turn shares the first batch.
      setImmediate(run);
    });
}
