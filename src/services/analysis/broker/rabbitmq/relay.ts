import type { ConfirmChannel } from 'amqplib';
import type { Kysely } from 'kysely';
import { withDeadline } from '../../../../foundation/deadline.ts';
import type { Logger } from '../../../../foundation/log.ts';
import { createWriteBuffer, type WriteBuffer } from '../../../../foundation/write-buffer.ts';
import {
  claimDueMessages,
  type NewMessage,
  type OutboxRow,
  releaseToRelays,
  removeSent,
  storeQueueNames,
} from './outbox.ts';
import { declareQueue, type QueueNames } from './queue-names.ts';

/** Carries messages from the outbox to RabbitMQ. */
export interface Relay {
  /** Sends over this channel from now on; undefined: waits for another. */
  use(channel: ConfirmChannel | undefined): void;
  /** There may be messages in the outbox. */
  wake(): void;
  /** How long new messages are to be held in the outbox because this process sends them itself; 0 when it cannot now. */
  holdMs(): number;
  /** Sends messages that this process has just stored, and takes them out of the outbox once they are confirmed. */
  send(rows: readonly OutboxRow[]): void;
  /** Sends messages that are in no outbox; false when it cannot now, or it is unknown whether RabbitMQ has them. */
  pass(messages: readonly NewMessage[]): Promise<boolean>;
  /** Resolves when what was confirmed has left the outbox. */
  settled(): Promise<void>;
  close(): Promise<void>;
}

/** Messages that are sent and confirmed together: enough to hide the way there and back, few enough to hold in memory. */
const BATCH = 500;
/** How long RabbitMQ may take to confirm a batch, in milliseconds. The rows stay locked meanwhile. */
const CONFIRM_LIMIT_MS = 10_000;
/** Messages that this process sends past the relay at the same time, at most: they are held in memory. */
const MOST_ON_THE_WAY = 2_000;
/** How long confirmed messages wait for others, to leave the outbox together, in milliseconds. */
const GATHER_MS = 100;

function sendOne(channel: ConfirmChannel, name: string, row: NewMessage): Promise<void> {
  const { message_id, priority, text, published_at, attempts, error, dead_after } = row;
  return new Promise((resolve, reject) => {
    channel.sendToQueue(
      name,
      Buffer.from(text),
      {
        persistent: true,
        contentType: 'application/json',
        messageId: message_id,
        priority,
        timestamp: Math.floor(Date.now() / 1000),
        // What is null is left out.
        headers: { published_at, attempts, error: error ?? undefined, dead_after: dead_after ?? undefined },
      },
      (refused) => (refused ? reject(refused) : resolve()),
    );
  });
}

/** What goes over a connection; new after its loss. */
interface Line {
  readonly channel: ConfirmChannel;
  readonly declared: Set<string>;
}

/** Declares the queues of messages that were not declared over this connection yet; names them. */
async function declareAll(
  { channel, declared }: Line,
  lanes: QueueNames,
  rows: readonly NewMessage[],
): Promise<string[]> {
  const queues = [...new Set(rows.map(({ queue }) => queue))].filter((queue) => !declared.has(queue));
  for (const queue of queues) {
    for (const name of lanes.all(queue)) await declareQueue(channel, name);
    declared.add(queue);
  }
  return queues;
}

/** Resolves when RabbitMQ has confirmed all messages; to the queues that were declared for them. */
function sendAll(line: Line, lanes: QueueNames, rows: readonly NewMessage[]): Promise<string[]> {
  return withDeadline(CONFIRM_LIMIT_MS, undefined, async () => {
    const fresh = await declareAll(line, lanes, rows);
    await Promise.all(rows.map((row) => sendOne(line.channel, lanes.of(row.queue, row.priority), row)));
    return fresh;
  });
}

/**
 * The relay of one process. A batch leaves the outbox in the transaction that waits for RabbitMQ's confirmation, so a
 * message is sent at least once; of several processes each takes rows that no other one holds. What this process has stored
 * itself it sends without reading it again; should it die meanwhile, a relay finds the rows when they are no longer held.
 */
class OutboxRelay implements Relay {
  private readonly queries: Kysely<unknown>;
  private readonly lanes: QueueNames;
  private readonly log: Logger;
  private readonly confirmed: WriteBuffer<number>;
  private readonly sending = new Set<Promise<void>>();
  private line: Line | undefined;
  private awake = false;
  private running: Promise<void> | undefined;
  private closed = false;
  private onTheWay = 0;
  /** There are messages in the outbox that new ones should not go past. */
  private isBehind = true;

  constructor(queries: Kysely<unknown>, lanes: QueueNames, log: Logger) {
    this.queries = queries;
    this.lanes = lanes;
    this.log = log;
    this.confirmed = createWriteBuffer((ids) => removeSent(queries, ids), GATHER_MS);
  }

  use(channel: ConfirmChannel | undefined): void {
    this.line = channel === undefined ? undefined : { channel, declared: new Set() };
    this.isBehind = true;
    if (channel !== undefined) this.wake();
  }

  wake(): void {
    this.awake = true;
    this.start();
  }

  holdMs(): number {
    if (this.onTheWay > MOST_ON_THE_WAY) this.isBehind = true;
    return this.isBehind ? 0 : CONFIRM_LIMIT_MS;
  }

  send(rows: readonly OutboxRow[]): void {
    const sent = this.sendStored(rows).finally(() => this.sending.delete(sent));
    this.sending.add(sent);
  }

  async pass(messages: readonly NewMessage[]): Promise<boolean> {
    if (this.line === undefined || this.holdMs() === 0) return false;
    this.onTheWay += messages.length;
    try {
      await this.sendOver(this.line, messages);
      return true;
    } catch (error) {
      this.log.warn({ err: error }, 'messages could not be sent to RabbitMQ');
      return false;
    } finally {
      this.onTheWay -= messages.length;
    }
  }

  settled(): Promise<void> {
    return this.confirmed.flush();
  }

  async close(): Promise<void> {
    this.closed = true;
    await this.running;
    await Promise.all(this.sending);
    await this.confirmed.flush().catch(() => undefined);
  }

  private start(): void {
    this.running ??= this.run().finally(() => {
      this.running = undefined;
      if (this.awake && this.line !== undefined && !this.closed) this.start();
    });
  }

  private async run(): Promise<void> {
    while (this.awake && this.line !== undefined && !this.closed) {
      this.awake = false;
      try {
        if (await this.sendBatch(this.line)) this.awake = true;
        else this.isBehind = false;
      } catch (error) {
        // The rows are in the outbox still: the next news, connection or slow look sends them.
        this.log.warn({ err: error }, 'messages could not be sent to RabbitMQ');
        return;
      }
    }
  }

  /** Sends one batch; whether there may be more. */
  private sendBatch(line: Line): Promise<boolean> {
    return this.queries.transaction().execute(async (change) => {
      const rows = await claimDueMessages(change, BATCH);
      if (rows.length === 0) return false;
      const fresh = await sendAll(line, this.lanes, rows);
      if (fresh.length > 0) await storeQueueNames(change, fresh);
      return rows.length === BATCH;
    });
  }

  private async sendOver(line: Line, messages: readonly NewMessage[]): Promise<void> {
    const fresh = await sendAll(line, this.lanes, messages);
    if (fresh.length > 0) await storeQueueNames(this.queries, fresh);
  }

  private async sendStored(rows: readonly OutboxRow[]): Promise<void> {
    this.onTheWay += rows.length;
    try {
      if (this.line === undefined) throw new Error('RabbitMQ is not connected');
      await this.sendOver(this.line, rows);
      for (const { id } of rows) this.confirmed.add(id);
    } catch (error) {
      this.log.warn({ err: error }, 'messages could not be sent to RabbitMQ');
      this.isBehind = true;
      const ids = rows.map(({ id }) => id);
      // Where that fails too, they come when they are no longer held.
      await releaseToRelays(this.queries, ids).catch(() => undefined);
      this.wake();
    } finally {
      this.onTheWay -= rows.length;
    }
  }
}

/** Makes the relay of this process. */
export function createRelay(queries: Kysely<unknown>, lanes: QueueNames, log: Logger): Relay {
  return new OutboxRelay(queries, lanes, log);
}
