import { setTimeout as pause } from 'node:timers/promises';
import { type ChannelModel, connect } from 'amqplib';
import { withDeadline } from '../../../../foundation/deadline.ts';
import type { Logger } from '../../../../foundation/log.ts';

/** Callbacks for each new connection and after its loss. */
export interface ConnectionListener {
  /** Opens channels; when it rejects the connection is closed and tried again. */
  connected(model: ChannelModel): Promise<void>;
  lost(): void;
}

/** A connection that reconnects whenever it is lost. */
export interface ReconnectingConnection {
  /** Why no message can be sent now; undefined when one can. */
  trouble(): string | undefined;
  close(): Promise<void>;
}

/** The pause before the next try in milliseconds: doubled after each failed one, up to the most. */
const RECONNECT_MS = { first: 100, most: 5_000 };
/** How long a connection may take to come about, in milliseconds. */
const CONNECT_LIMIT_MS = 5_000;
/** How long a connection may take to close in order, in milliseconds. */
const CLOSE_LIMIT_MS = 1_000;
/** A peer that is silent for twice as many seconds is taken for dead. */
const HEARTBEAT_S = 10;

const wordsOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  return error.message || String((error as NodeJS.ErrnoException).code ?? error.name);
};

function withHeartbeat(address: string): string {
  const url = new URL(address);
  if (!url.searchParams.has('heartbeat')) url.searchParams.set('heartbeat', String(HEARTBEAT_S));
  return url.href;
}

/** Closes in order; a peer that does not answer is not waited for. */
async function closeWithin(model: ChannelModel): Promise<void> {
  await withDeadline(CLOSE_LIMIT_MS, undefined, () => model.close()).catch(() => undefined);
}

/** Connects to RabbitMQ and stays connected until `close`. */
export function openReconnecting(
  address: string,
  listener: ConnectionListener,
  log: Logger,
): ReconnectingConnection {
  const closing = new AbortController();
  let trouble: string | undefined = 'not connected yet';
  let current: ChannelModel | undefined;

  /** One connection from its beginning to its end; resolves to whether it worked. */
  const live = async (): Promise<boolean> => {
    // Small messages that wait for each other's acknowledgement would stand for 40 ms each.
    const model = await connect(withHeartbeat(address), { timeout: CONNECT_LIMIT_MS, noDelay: true });
    let error: unknown;
    let closed = false;
    model.on('error', (reason) => {
      error = reason;
    });
    const ended = new Promise<void>((resolve) => {
      model.on('close', (reason) => {
        error ??= reason;
        closed = true;
        resolve();
      });
    });
    model.on('blocked', (reason) => {
      trouble = `takes no messages: ${reason}`;
    });
    model.on('unblocked', () => {
      trouble = undefined;
    });
    current = model;
    try {
      if (closing.signal.aborted) return true;
      await listener.connected(model);
      trouble = undefined;
      await ended;
      trouble = error === undefined ? 'the connection was closed' : wordsOf(error);
      return true;
    } finally {
      current = undefined;
      listener.lost();
      if (!closed) await closeWithin(model);
    }
  };

  const run = async (): Promise<void> => {
    let waitMs = RECONNECT_MS.first;
    while (!closing.signal.aborted) {
      try {
        if (await live()) waitMs = RECONNECT_MS.first;
        if (!closing.signal.aborted) log.warn({ reason: trouble }, 'the connection to RabbitMQ was lost');
      } catch (error) {
        trouble = wordsOf(error);
        log.warn({ reason: trouble }, 'RabbitMQ cannot be reached');
      }
      await pause(waitMs, undefined, { signal: closing.signal }).catch(() => undefined);
      waitMs = Math.min(waitMs * 2, RECONNECT_MS.most);
    }
  };

  const running = run();
  return {
    trouble: () => trouble,
    close: async () => {
      closing.abort();
      if (current !== undefined) await closeWithin(current);
      await running;
    },
  };
}
