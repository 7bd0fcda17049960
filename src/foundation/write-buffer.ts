/** Collects items for a short delay, so that one write saves many. */
export interface WriteBuffer<Item> {
  /** Adds an item; it is saved together with those that come within the delay. */
  add(item: Item): void;
  /** Saves the collected items now. */
  flush(): Promise<void>;
  /** Removes and returns the unsaved items, for a caller that saves them itself. */
  take(): Promise<Item[]>;
}

/** Creates a buffer. Items that could not be saved stay for the next save or `take`. */
export function createWriteBuffer<Item>(
  save: (items: readonly Item[]) => Promise<void>,
  delayMs: number,
): WriteBuffer<Item> {
  let pending: Item[] = [];
  let timer: NodeJS.Timeout | undefined;
  let saving: Promise<void> = Promise.resolve();

  const disarm = () => {
    clearTimeout(timer);
    timer = undefined;
  };
  const saveKept = async () => {
    const items = pending;
    if (items.length === 0) return;
    pending = [];
    try {
      await save(items);
    } catch (error) {
      pending = [...items, ...pending];
      throw error;
    }
  };
  const flush = () => {
    disarm();
    saving = saving.catch(() => undefined).then(saveKept);
    return saving;
  };

  return {
    add: (item) => {
      pending.push(item);
      timer ??= setTimeout(() => flush().catch(() => undefined), delayMs);
    },
    flush,
    take: async () => {
      disarm();
      await saving.catch(() => undefined);
      const items = pending;
      pending = [];
      return items;
    },
  };
}
