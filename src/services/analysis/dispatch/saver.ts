/** Saves what arrives while a save is under way together in the next one: as few writes as arrivals allow. */
export function createSaver<Item>(
  save: (items: readonly Item[]) => Promise<void>,
): (item: Item) => Promise<void> {
  let gathered: Item[] = [];
  let next: Promise<void> | undefined;
  let current: Promise<void> = Promise.resolve();
  return (item) => {
    gathered.push(item);
    next ??= current
      .catch(() => undefined)
      .then(() => {
        const items = gathered;
        gathered = [];
        next = undefined;
        current = save(items);
        return current;
      });
    return next;
  };
}
