/**
 * Joins single items into batches: what comes while one batch is under way goes into the next. The action answers one
 * result for each item, in their order; when it fails, all items of its batch fail.
 */
export function batched<Item, Result>(
  action: (items: readonly Item[]) => Promise<readonly Result[]>,
): (item: Item) => Promise<Result> {
  interface Waiting {
    readonly item: Item;
    resolve(result: Result): void;
    reject(error: unknown): void;
  }
  let waiting: Waiting[] = [];
  let running = false;

  async function run(): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting;
      waiting = [];
      try {
        const results = await action(batch.map(({ item }) => item));
        batch.forEach(({ resolve, reject }, index) => {
          const result = results[index];
          if (result === undefined) reject(new Error('the batch has no result for an item'));
          else resolve(result);
        });
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
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
