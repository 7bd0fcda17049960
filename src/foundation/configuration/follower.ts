import type { Logger } from '../log.ts';
import { CHANGES_PER_READ, type ChangeStore, type PublishedChange } from './changes.ts';

/** How often a process polls for changes, in milliseconds, in case a notice was missed: a change is seen within two seconds. */
export const POLL_MS = 1_500;

/** Reads each change of a store once, in its order. */
export interface Follower {
  /** All changes that were read so far, in their order. */
  changes(): readonly PublishedChange[];
  /** Reads what is new now; rejects when it cannot be read. */
  refresh(): Promise<void>;
  /** Resolves when the store was read for the first time; rejects when that failed. */
  readonly ready: Promise<void>;
  close(): Promise<void>;
}

/** Follows a store by its notices and by polling. An unreachable store is retried, and logged once. */
export function startFollower(
  store: ChangeStore,
  tell: (changes: readonly PublishedChange[]) => void,
  log: Logger,
  pollMs: number,
): Follower {
  const known: PublishedChange[] = [];
  let unlisten: (() => Promise<void>) | undefined;
  let running: Promise<void> | undefined;
  let next: Promise<void> | undefined;
  let away = false;
  let closed = false;

  const read = async () => {
    unlisten ??= await store.listen(follow);
    for (;;) {
      const changes = await store.after(known.at(-1)?.config_version ?? 0);
      if (changes.length > 0) {
        known.push(...changes);
        tell(changes);
      }
      if (changes.length < CHANGES_PER_READ) return;
    }
  };
  const begin = () => {
    next = undefined;
    running = read().finally(() => {
      running = undefined;
    });
    return running;
  };
  /** Reads run one after another, so that no change is read twice; callers during a read share the next one. */
  const refresh = (): Promise<void> => {
    if (next === undefined && running === undefined) return begin();
    next ??= (running ?? Promise.resolve()).catch(() => undefined).then(begin);
    return next;
  };
  const follow = () => {
    if (closed) return;
    refresh().then(
      () => {
        if (away) log.info('the configuration can be read again');
        away = false;
      },
      (error: unknown) => {
        if (!away && !closed)
          log.warn({ err: error }, 'the configuration cannot be read; what was known holds');
        away = true;
      },
    );
  };

  const ready = refresh();
  ready.catch(() => undefined);
  const timer = setInterval(follow, pollMs);
  return {
    changes: () => known,
    refresh,
    ready,
    close: async () => {
      closed = true;
      clearInterval(timer);
      await unlisten?.();
    },
  };
}
