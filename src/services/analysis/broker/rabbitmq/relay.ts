import type { ConfirmChannel } from 'amqplib';
import type { Kysely } from 'kysely';
import { withDeadline } from '../../../../foundation/deadline.ts';
import type { Logger } from '../../../../foundation/log.ts';
import { declareQueue, type Lanes } from './lanes.ts';
import { type OutboxRow, rememberQueues, takeDue } from './outbox.ts';

/** Carries messages from the outbox to RabbitMQ. */
export interface Relay {
  /** Sends over this channel from now on; undefined: waits for another. */
  use(channel: ConfirmChannel | undefined): void;
  /** There may be messages in the outbox. */
  wake(): void;
  close(): Promise<void>;
}

/** Messages that are sent and confirmed together: enough to hide the way there and back, few enough to hold in memory. */
const BATCH = 500;
/** How long RabbitMQ may take to confirm a batch, in milliseconds. The rows stay locked meanwhile. */
const CONFIRM_LIMIT_MS = 10_000;

function sendOne(channel: ConfirmChannel, name: string, row: OutboxRow): Promise<void> {
  const { message_id, priority, body, published_at, attempts, error, dead_after } = row;
  return new Promise((resolve, reject) => {
    channel.sendToQueue(
      name,
      Buffer.from(JSON.stringify(body) ?? 'null'),
      {
        persistent: true,
        contentType: 'application/json',
        messageId: message_id,
        priority,
        timestamp: Math.floor(Date.now() / 1000),
        headers: { published_at, attempts, error, dead_after },
      },
      (refused) => (refused ? reject(refused) : resolve()),
    );
  });
}

/**
 * The relay of one process. A batch leaves the outbox in the transaction that waits for RabbitMQ's confirmation, so a
 * message is sent at least once; of several processes each takes rows that no other one holds.
 */
export function createRelay(queries: Kysely<unknown>, lanes: Lanes, log: Logger): Relay {
  let channel: ConfirmChannel | undefined;
  let declared = new Set<string>();
  let awake = false;
  let running: Promise<void> | undefined;
  let closed = false;

  const declareAll = async (over: ConfirmChannel, rows: readonly OutboxRow[]) => {
    const queues = [...new Set(rows.map(({ queue }) => queue))].filter((queue) => !declared.has(queue));
    for (const queue of queues) {
      for (const name of lanes.all(queue)) await declareQueue(over, name);
      declared.add(queue);
    }
    return queues;
  };

  /** Sends one batch; whether there may be more. */
  const sendBatch = (over: ConfirmChannel): Promise<boolean> =>
    queries.transaction().execute(async (change) => {
      const rows = await takeDue(change, BATCH);
      if (rows.length === 0) return false;
      const sending = async () => {
        const fresh = await declareAll(over, rows);
        await Promise.all(rows.map((row) => sendOne(over, lanes.of(row.queue, row.priority), row)));
        return fresh;
      };
      const fresh = await withDeadline(CONFIRM_LIMIT_MS, undefined, sending);
      if (fresh.length > 0) await rememberQueues(change, fresh);
      return rows.length === BATCH;
    });

  const run = async () => {
    while (awake && channel !== undefined && !closed) {
      awake = false;
      try {
        if (await sendBatch(channel)) awake = true;
      } catch (error) {
        // The rows are in the outbox still: the next news, connection or slow look sends them.
        log.warn({ err: error }, 'messages could not be sent to RabbitMQ');
        return;
      }
    }
  };

  const start = () => {
    running ??= run().finally(() => {
      running = undefined;
      if (awake && channel !== undefined && !closed) start();
    });
  };

  return {
    use: (next) => {
      channel = next;
      declared = new Set();
      if (next !== undefined) {
        awake = true;
        start();
      }
    },
    wake: () => {
      awake = true;
      start();
    },
    close: async () => {
      closed = true;
      await running;
    },
  };
}
