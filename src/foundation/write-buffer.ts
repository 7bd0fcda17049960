/** Keeps items for a while, so that one write saves many. */
export interface WriteBuffer<Item> {
  /** Takes an item: it is saved together with what comes within the delay. */
  add(item: Item): void;
  /** Saves at once what is kept. */
  flush(): Promise<void>;
  /** Hands over what is not saved yet, to be saved with something else. */
  take(): Promise<Item[]>;
}

/** Makes a buffer. What could not be saved after the delay is kept for the next save, or for whoever takes it. */
export function createWriteBuffer<Item>(
  save: (items: readonly Item[]) => Promise<void>,
  delayMs: number,
): WriteBuffer<Item> {
  let kept: Item[] = [];
  let timer: NodeJS.Timeout | undefined;
  let saving: Promise<void> = Promise.resolve();

  const disarm = () => {
    clearTimeout(timer);
    timer = undefined;
  };
  const saveKept = async () => {
    const items = kept;
    if (items.length === 0) return;
    kept = [];
    try {
      await save(items);
    } catch (error) {
      kept = [...items, ...kept];
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
      kept.push(item);
      timer ??= setTimeout(() => flush().catch(() => undefined), delayMs);
    },
    flush,
    take: async () => {
      disarm();
      await saving.catch(() => undefined);
      const items = kept;
      kept = [];
      return items;
    },
  };
}
