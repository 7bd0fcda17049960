import { setMaxListeners } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from './log.ts';

/** Something that closes. */
export interface Closing {
  readonly name: string;
  close(): Promise<void>;
}

/** How long one may take before the next is closed too, and all of them together, in milliseconds. */
interface ClosingLimits {
  turn(name: string): number;
  readonly limitMs: number;
}

/**
 * Closes one after another, each when the one before is closed, failed to close, or took longer than its turn; what they
 * stand on when all of them are closed. Resolves then or when the limit is over, to the names of those still open.
 */
export async function closeInOrder(
  all: readonly Closing[],
  { turn, limitMs }: ClosingLimits,
  log: Logger,
  ground?: Closing,
): Promise<string[]> {
  const open = new Set([...all, ...(ground ? [ground] : [])].map(({ name }) => name));
  const over = new AbortController();
  // Each part waits by a listener of its own, and the limit by one more.
  setMaxListeners(all.length + 1, over.signal);
  const wait = (ms: number) => pause(ms, undefined, { signal: over.signal }).catch(() => undefined);
  const limit = wait(limitMs);
  const end = ({ name, close }: Closing) =>
    Promise.resolve()
      .then(close)
      .catch((error) => log.error({ err: error, part: name }, 'a part could not be closed in order'))
      .then(() => void open.delete(name));
  const closing: Promise<void>[] = [];
  for (const part of all) {
    const closed = end(part);
    closing.push(closed);
    await Promise.race([closed, wait(turn(part.name)), limit]);
  }
  const allClosed = Promise.all(closing).then(() => ground && end(ground));
  await Promise.race([allClosed, limit]);
  over.abort();
  return [...open];
}
