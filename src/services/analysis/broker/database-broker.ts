import type { Kysely, Transaction } from 'kysely';
import { createBatcher } from '../../../foundation/batcher.ts';
import type { Database } from '../../../foundation/database/database.ts';
import { isStatementError } from '../../../foundation/database/engine.ts';
import type { Logger } from '../../../foundation/log.ts';
import {
  type Broker,
  type BrokerOptions,
  type BrokerTimes,
  type ConsumeOptions,
  type Consumer,
  DEFAULT_TIMES,
  type Delivery,
  deadLetterQueue,
  type OutgoingMessage,
  type Publication,
  type QueueDepth,
  type Reservation,
  reportPause,
  retryPause,
} from './broker.ts';
import { type QueueActions, QueueConsumer } from './consumer.ts';
import * as messages from './messages.ts';

/** Opens the queues that live in a table of the database, embedded or not. Several processes may share a server. */
export async function openDatabaseBroker(
  database: Database,
  log: Logger,
  { reservation, ...times }: BrokerOptions = {},
): Promise<Broker> {
  await database.migrate('broker', messages.migrations);
  const broker = new DatabaseBroker(database, log, { ...DEFAULT_TIMES, ...times }, reservation);
  await broker.start();
  return broker;
}

class DatabaseBroker implements Broker {
  private readonly database: Database;
  private readonly queries: Kysely<unknown>;
  private readonly log: Logger;
  private readonly times: BrokerTimes;
  private readonly reservation: Reservation | undefined;
  private readonly consumers = new Set<QueueConsumer<messages.ClaimedMessage>>();
  private readonly pauses = new Set<NodeJS.Timeout>();
  private readonly publishNow: (outgoing: readonly OutgoingMessage[]) => Promise<void>;
  private readonly acknowledge: (held: messages.MessageLease) => Promise<boolean>;
  private timer: NodeJS.Timeout | undefined;
  private beat: Promise<void> | undefined;
  private unlisten: (() => Promise<void>) | undefined;

  constructor(database: Database, log: Logger, times: BrokerTimes, reservation: Reservation | undefined) {
    this.reservation = reservation;
    this.database = database;
    this.queries = database.kysely();
    this.log = log;
    this.times = times;
    this.publishNow = createBatcher(
      async (all: readonly (readonly OutgoingMessage[])[]) => {
        await messages.insertMessages(this.queries, all.flat());
        return all.map(() => undefined);
      },
      { isItemError: isStatementError },
    );
    this.acknowledge = createBatcher(async (all: readonly messages.MessageLease[]) => {
      const removed = await messages.remove(this.queries, all);
      return all.map(({ lease }) => removed.has(lease));
    });
  }

  async start(): Promise<void> {
    // The embedded engine belongs to this process alone: every lease is one of a process that is gone.
    if (this.database.engine === 'embedded') await messages.endLeases(this.queries);
    await this.free();
    this.unlisten = await this.database.listen(messages.CHANNEL, (queue) => this.wake(queue));
    this.timer = setInterval(() => {
      this.beat ??= this.heartbeat().finally(() => {
        this.beat = undefined;
      });
    }, this.times.leaseMs / 3);
  }

  async publish<Tables>(
    outgoing: readonly OutgoingMessage[],
    options: { readonly transaction?: Transaction<Tables> } = {},
  ): Promise<void> {
    if (outgoing.length === 0) return;
    if (options.transaction) await messages.insertMessages(options.transaction, outgoing);
    else await this.publishNow(outgoing);
  }

  passOn(outgoing: readonly OutgoingMessage[]): Promise<void> {
    return this.publish(outgoing);
  }

  /** The database itself notifies every process, with the commit. */
  committed(): void {}

  readonly publication: Publication = {
    parts: messages.PUBLISH_SQL,
    holdMs: () => 0,
    committed: () => undefined,
  };

  consume(queue: string, handler: (delivery: Delivery) => Promise<void>, options: ConsumeOptions): Consumer {
    const { signal, onDeadLetter } = options;
    const consumers = [
      this.consumer(queue, options.concurrency, (claimed, aborted) => handler(deliveryOf(claimed, aborted))),
    ];
    if (onDeadLetter) {
      consumers.push(
        this.consumer(deadLetterQueue(queue), 1, ({ id, body, error, dead_after }) =>
          onDeadLetter({ id: String(id), queue, body, error, attempts: dead_after ?? 0 }),
        ),
      );
    }
    const stop = (): void => {
      for (const consumer of consumers) consumer.stop();
    };
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
    const stopped = Promise.all(consumers.map((consumer) => consumer.stopped)).then(() => {
      signal.removeEventListener('abort', stop);
      for (const consumer of consumers) this.consumers.delete(consumer);
    });
    for (const consumer of consumers) consumer.wake();
    return { stopped };
  }

  async depth(): Promise<Record<string, QueueDepth>> {
    const rows = await messages.countByQueue(this.queries);
    return Object.fromEntries(rows.map(({ queue, ...state }) => [queue, state]));
  }

  probe(signal: AbortSignal): Promise<void> {
    return this.database.probe(signal);
  }

  async close(): Promise<void> {
    const consumers = [...this.consumers];
    for (const consumer of consumers) consumer.stop();
    await Promise.all(consumers.map(({ stopped }) => stopped));
    clearInterval(this.timer);
    for (const pause of this.pauses) clearTimeout(pause);
    await this.beat;
    await this.unlisten?.();
  }

  private consumer(
    queue: string,
    concurrency: number,
    handle: (claimed: messages.ClaimedMessage, signal: AbortSignal) => Promise<void>,
  ): QueueConsumer<messages.ClaimedMessage> {
    const { leaseMs, drainMs } = this.times;
    const reserve = this.reservation?.queues.has(queue) === true ? this.reservation : undefined;
    const actions: QueueActions<messages.ClaimedMessage> = {
      claim: async (limit, reserved) => {
        const first =
          reserved > 0
            ? await messages.claim(this.queries, queue, reserved, { leaseMs, upTo: reserve?.upTo })
            : [];
        if (first.length >= limit) return first;
        return [...first, ...(await messages.claim(this.queries, queue, limit - first.length, { leaseMs }))];
      },
      acknowledge: this.acknowledge,
      failed: (claimed, error) => this.failed(claimed, error),
      handBack: (held) => messages.returnMessages(this.queries, held),
    };
    const options = { concurrency, drainMs, reserveEvery: reserve?.every, log: this.log };
    const consumer = new QueueConsumer(queue, actions, handle, options);
    this.consumers.add(consumer);
    return consumer;
  }

  private async failed(claimed: messages.ClaimedMessage, error: unknown): Promise<void> {
    const { id, queue, attempts, dead_after } = claimed;
    const text = error instanceof Error ? error.message : String(error);
    if (dead_after === null && attempts >= this.times.maxAttempts) {
      this.log.error({ err: error, queue, message: id, attempts }, 'a message failed for the last time');
      await messages.deadLetter(this.queries, claimed, text);
      return;
    }
    this.log.warn({ err: error, queue, message: id, attempts }, 'a message failed and is tried again');
    const pauseMs = dead_after === null ? retryPause(this.times, attempts) : reportPause(attempts);
    // A letter keeps the error of its message, not that of its handler.
    await messages.retry(this.queries, claimed, dead_after === null ? text : claimed.error, pauseMs);
    this.freeIn(pauseMs);
  }

  /** Frees the message right after its pause; if this process is gone by then, the heartbeat of another one does. */
  private freeIn(pauseMs: number): void {
    const pause = setTimeout(() => {
      this.pauses.delete(pause);
      this.free().catch((error) => this.log.warn({ err: error }, 'messages could not be freed'));
    }, pauseMs + 1);
    this.pauses.add(pause);
  }

  private async free(): Promise<void> {
    const dead = await messages.releaseMessages(this.queries, this.times.maxAttempts);
    for (const { id, queue } of dead) {
      this.log.error({ queue, message: id }, 'a message lost its process for the last time');
    }
  }

  private async heartbeat(): Promise<void> {
    try {
      const claims = [...this.consumers].flatMap((consumer) => consumer.leasedMessages());
      if (claims.length > 0) {
        const valid = await messages.renew(this.queries, claims, this.times.leaseMs);
        for (const consumer of this.consumers) consumer.renewed(claims, valid);
      }
      await this.free();
      // The safety net: a look although no news came.
      this.wake('');
    } catch (error) {
      this.log.warn({ err: error }, 'leases could not be renewed');
      for (const consumer of this.consumers) consumer.expire(this.times.leaseMs);
    }
  }

  private wake(queue: string): void {
    for (const consumer of this.consumers) if (queue === '' || consumer.queue === queue) consumer.wake();
  }
}

function deliveryOf(claimed: messages.ClaimedMessage, signal: AbortSignal): Delivery {
  const { id, queue, body, priority, attempts, waited_ms, error } = claimed;
  const waitedMs = attempts === 1 ? waited_ms : null;
  const again = attempts > 1 || error !== null;
  return { id: String(id), queue, body, priority, attempt: attempts, again, waitedMs, signal };
}
