import { setMaxListeners } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from './log.ts';

/** A part of the process that is closed at shutdown. */
export interface Closable {
  readonly name: string;
  close(): Promise<void>;
}

/** Time limits in milliseconds: of one part, after which the next is closed too, and of the whole shutdown. */
interface ShutdownLimits {
  partLimitMs(name: string): number;
  readonly limitMs: number;
}

/**
 * Closes parts one after another: each once the one before is closed, failed to close, or exceeded its limit. `last` is what the
 * parts depend on; it is closed when all of them are. Resolves then, or at the limit, to the names of the parts still open.
 */
export async function closeInOrder(
  parts: readonly Closable[],
  { partLimitMs, limitMs }: ShutdownLimits,
  log: Logger,
  last?: Closable,
): Promise<string[]> {
  const open = new Set([...parts, ...(last ? [last] : [])].map(({ name }) => name));
  const over = new AbortController();
  // Each part waits by a listener of its own, and the limit by one more.
  setMaxListeners(parts.length + 1, over.signal);
  const wait = (ms: number) => pause(ms, undefined, { signal: over.signal }).catch(() => undefined);
  const limit = wait(limitMs);
  const end = ({ name, close }: Closable) =>
    Promise.resolve()
      .then(close)
      .catch((error) => log.error({ err: error, part: name }, 'a part could not be closed in order'))
      .then(() => void open.delete(name));
  const closing: Promise<void>[] = [];
  for (const part of parts) {
    const closed = end(part);
    closing.push(closed);
    await Promise.race([closed, wait(partLimitMs(part.name)), limit]);
  }
  const allClosed = Promise.all(closing).then(() => last && end(last));
  await Promise.race([allClosed, limit]);
  over.abort();
  return [...open];
}
