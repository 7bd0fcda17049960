import { randomUUID } from 'node:crypto';
import type { Channel, ChannelModel } from 'amqplib';
import type { Kysely, Transaction } from 'kysely';
import { createBatcher } from '../../../../foundation/batcher.ts';
import type { Database } from '../../../../foundation/database/database.ts';
import { isStatementError } from '../../../../foundation/database/engine.ts';
import type { Logger } from '../../../../foundation/log.ts';
import {
  type Broker,
  type BrokerOptions,
  type ConsumeOptions,
  type Consumer,
  DEFAULT_TIMES,
  type DeadLetter,
  type Delivery,
  deadLetterQueue,
  type OutgoingMessage,
  type Publication,
  type QueueDepth,
} from '../broker.ts';
import { openReconnecting, type ReconnectingConnection } from './connection.ts';
import type { ReceivedMessage } from './delivery-buffer.ts';
import * as outbox from './outbox.ts';
import { createQueueNames, declareQueue, type QueueNames } from './queue-names.ts';
import { createRelay, type Relay } from './relay.ts';
import { openSubscription, type Subscription, type SubscriptionDependencies } from './subscription.ts';

/** How often a process says what it works on and looks for messages that another one left, in milliseconds. */
const BEAT_MS = 2_000;
/** What a process said of its work longer ago no longer counts, in milliseconds. */
const FRESH_MS = 10_000;

/** Where RabbitMQ is, and the first part of the names of its queues. */
export interface RabbitOptions extends BrokerOptions {
  readonly url: string;
  readonly prefix: string;
}

/**
 * Opens the queues of a RabbitMQ server. What is published is stored in an outbox of the database first, in the
 * transaction of its publisher, and a relay of each process carries it on, so that a lost server, connection or process
 * loses nothing. The server need not be there yet.
 */
export async function openRabbitBroker(
  database: Database,
  log: Logger,
  options: RabbitOptions,
): Promise<Broker> {
  await database.migrate('outbox', outbox.migrations);
  const broker = new RabbitBroker(database, log, options);
  await broker.start();
  return broker;
}

function addTo(counts: Map<string, number>, queue: string, count: number): void {
  counts.set(queue, (counts.get(queue) ?? 0) + count);
}

class RabbitBroker implements Broker {
  private readonly queries: Kysely<unknown>;
  private readonly log: Logger;
  private readonly options: RabbitOptions;
  private readonly owner = randomUUID();
  private readonly lanes: QueueNames;
  private readonly relay: Relay;
  /** What was published in transactions that are not committed yet. */
  private readonly stored = new WeakMap<object, readonly outbox.OutboxRow[]>();
  private readonly publishNow: (outgoing: readonly OutgoingMessage[]) => Promise<void>;
  private readonly subscriptions = new Set<Subscription>();
  private readonly pauses = new Set<NodeJS.Timeout>();
  /** How many messages of each queue this process has put back into the outbox so far. */
  private readonly wentBack = new Map<string, number>();
  private readonly dependencies: SubscriptionDependencies;
  private connection: ReconnectingConnection | undefined;
  private model: ChannelModel | undefined;
  private asking: Channel | undefined;
  private timer: NodeJS.Timeout | undefined;
  private beat: Promise<void> | undefined;
  /** Queues whose work was last reported as more than none. */
  private reported = new Set<string>();

  constructor(database: Database, log: Logger, options: RabbitOptions) {
    this.queries = database.kysely();
    this.log = log;
    this.options = options;
    this.lanes = createQueueNames(options.prefix, options.reservation);
    this.relay = createRelay(this.queries, this.lanes, log);
    this.publishNow = createBatcher(
      async (all: readonly (readonly OutgoingMessage[])[]) => {
        const holdMs = this.relay.holdMs();
        const rows = await outbox.insertIntoOutbox(this.queries, all.flat(), holdMs);
        if (holdMs > 0) this.relay.send(rows);
        else this.relay.wake();
        return all.map(() => undefined);
      },
      { isItemError: isStatementError },
    );
    this.dependencies = {
      queries: this.queries,
      lanes: this.lanes,
      reservation: options.reservation,
      times: { ...DEFAULT_TIMES, ...options },
      storeAgain: (messages, pauseMs) => this.storeAgain(messages, pauseMs),
      log,
    };
  }

  async start(): Promise<void> {
    const listener = { connected: (model: ChannelModel) => this.attach(model), lost: () => this.detach() };
    this.connection = openReconnecting(this.options.url, listener, this.log);
    this.timer = setInterval(() => {
      this.beat ??= this.report().finally(() => {
        this.beat = undefined;
      });
    }, BEAT_MS);
  }

  async publish<Tables>(
    outgoing: readonly OutgoingMessage[],
    options: { readonly transaction?: Transaction<Tables> } = {},
  ): Promise<void> {
    if (outgoing.length === 0) return;
    const { transaction } = options;
    if (transaction === undefined) return this.publishNow(outgoing);
    const holdMs = this.relay.holdMs();
    const rows = await outbox.insertIntoOutbox(transaction, outgoing, holdMs);
    if (holdMs > 0) this.stored.set(transaction, [...(this.stored.get(transaction) ?? []), ...rows]);
  }

  async passOn(outgoing: readonly OutgoingMessage[]): Promise<void> {
    if (outgoing.length === 0) return;
    if (!(await this.relay.pass(outbox.newMessages(outgoing)))) await this.publishNow(outgoing);
  }

  committed(transaction: object): void {
    const rows = this.stored.get(transaction);
    this.stored.delete(transaction);
    if (rows === undefined) this.relay.wake();
    else this.relay.send(rows);
  }

  readonly publication: Publication = {
    parts: outbox.PUBLISH_TO_OUTBOX_SQL,
    holdMs: () => this.relay.holdMs(),
    committed: (published) => {
      const rows = outbox.reservedRows(published);
      if (rows.length > 0) this.relay.send(rows);
      if (rows.length < published.length) this.relay.wake();
    },
  };

  consume(queue: string, handler: (delivery: Delivery) => Promise<void>, options: ConsumeOptions): Consumer {
    const { concurrency, signal, onDeadLetter } = options;
    const subscriptions = [
      this.subscribe(queue, concurrency, (arrived, aborted) => handler(deliveryOf(arrived, aborted))),
      ...(onDeadLetter === undefined ? [] : [this.subscribeDead(queue, onDeadLetter)]),
    ];
    const stop = (): void => {
      for (const subscription of subscriptions) subscription.stop();
    };
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
    const stopped = Promise.all(subscriptions.map((subscription) => subscription.stopped)).then(() => {
      signal.removeEventListener('abort', stop);
    });
    for (const subscription of subscriptions)
      void subscription.empty.then(() => this.subscriptions.delete(subscription));
    return { stopped };
  }

  /**
   * Counts each message that is there from the beginning of the call to its end, at least once: it looks into the places of messages in
   * the order in which they go through them, so that one that moves on meanwhile may be counted twice, and none is left out. What is
   * published meanwhile need not be counted. Of other processes it is known what they worked on at their last beat, not what they have
   * read or were handed beside that; without a connection nothing is known of what is in RabbitMQ. RabbitMQ does not report the age of
   * its messages: it is known only of those that wait in the outbox.
   */
  async depth(): Promise<Record<string, QueueDepth>> {
    const wentBack = new Map(this.wentBack);
    await this.relay.settled();
    const stored = await outbox.countOutbox(this.queries);
    const ages = new Map(stored.map((row) => [row.queue, row.oldest_age_ms]));
    const waiting = new Map(stored.map((row) => [row.queue, row.depth]));
    const known = await outbox.knownQueues(this.queries);
    const ready = await Promise.all(known.map((queue) => this.readyIn(queue)));
    for (const [index, queue] of known.entries()) addTo(waiting, queue, ready[index] ?? 0);
    const inFlight = await outbox.countInProgressElsewhere(this.queries, this.owner, FRESH_MS);
    await Promise.all([...this.subscriptions].map((subscription) => subscription.caughtUp()));
    // Without a pause from here on: what leaves this process has gone back to the outbox or is done.
    for (const subscription of this.subscriptions) {
      addTo(waiting, subscription.queue, subscription.waiting());
      addTo(inFlight, subscription.queue, subscription.working());
    }
    for (const [queue, count] of this.wentBack) addTo(waiting, queue, count - (wentBack.get(queue) ?? 0));
    const states = [...new Set([...waiting.keys(), ...inFlight.keys()])].map((queue) => {
      const state: QueueDepth = {
        depth: waiting.get(queue) ?? 0,
        oldest_age_ms: ages.get(queue) ?? null,
        in_flight: inFlight.get(queue) ?? 0,
      };
      return [queue, state] as const;
    });
    return Object.fromEntries(states.filter(([, { depth, in_flight }]) => depth > 0 || in_flight > 0));
  }

  async probe(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const trouble = this.connection?.trouble();
    if (trouble !== undefined) throw new Error(`RabbitMQ: ${trouble}`);
  }

  async close(): Promise<void> {
    const subscriptions = [...this.subscriptions];
    for (const subscription of subscriptions) subscription.stop();
    await Promise.all(subscriptions.map(({ empty }) => empty));
    clearInterval(this.timer);
    for (const pause of this.pauses) clearTimeout(pause);
    await this.beat;
    await this.relay.close();
    await this.connection?.close();
  }

  private subscribe(
    queue: string,
    concurrency: number,
    handle: Parameters<typeof openSubscription>[3],
  ): Subscription {
    const subscription = openSubscription(this.dependencies, queue, concurrency, handle);
    this.subscriptions.add(subscription);
    const { model } = this;
    if (model !== undefined) {
      // A connection that breaks meanwhile is replaced, and then every subscription is attached again.
      subscription
        .attach(model)
        .catch((error) => this.log.warn({ err: error, queue }, 'could not subscribe'));
    }
    return subscription;
  }

  private subscribeDead(queue: string, onDeadLetter: (letter: DeadLetter) => Promise<void>): Subscription {
    return this.subscribe(deadLetterQueue(queue), 1, ({ message_id: id, body, error, dead_after }) =>
      onDeadLetter({ id, queue, body, error, attempts: dead_after ?? 0 }),
    );
  }

  private async attach(model: ChannelModel): Promise<void> {
    const sending = await model.createConfirmChannel();
    sending.on('error', () => undefined);
    this.asking = await model.createChannel();
    this.asking.on('error', () => undefined);
    for (const subscription of this.subscriptions) await subscription.attach(model);
    this.model = model;
    this.relay.use(sending);
  }

  private detach(): void {
    this.model = undefined;
    this.asking = undefined;
    this.relay.use(undefined);
    for (const subscription of this.subscriptions) subscription.detach();
  }

  private async readyIn(queue: string): Promise<number> {
    const channel = this.asking;
    if (channel === undefined) return 0;
    const counts = await Promise.all(this.lanes.all(queue).map((name) => declareQueue(channel, name)));
    return counts.reduce((sum, count) => sum + count, 0);
  }

  private async storeAgain(messages: readonly outbox.DeliveredMessage[], pauseMs: number): Promise<void> {
    await outbox.insertForRetry(this.queries, messages, pauseMs);
    for (const { queue } of messages) addTo(this.wentBack, queue, 1);
    if (pauseMs === 0) return this.relay.wake();
    // If this process has ended by then, the heartbeat of another one sends it.
    const pause = setTimeout(() => {
      this.pauses.delete(pause);
      this.relay.wake();
    }, pauseMs + 1);
    this.pauses.add(pause);
  }

  private async report(): Promise<void> {
    this.relay.wake();
    const work = new Map<string, number>([...this.reported].map((queue) => [queue, 0]));
    for (const { queue, working } of this.subscriptions) if (working() > 0) addTo(work, queue, working());
    if (work.size === 0) return;
    try {
      await outbox.recordInProgress(this.queries, this.owner, work);
      this.reported = new Set([...work].filter(([, count]) => count > 0).map(([queue]) => queue));
    } catch (error) {
      this.log.warn({ err: error }, 'the state of the queues could not be reported');
    }
  }
}

function deliveryOf(arrived: ReceivedMessage, signal: AbortSignal): Delivery {
  const { message_id: id, queue, body, priority, attempts, published_at, redelivered, error } = arrived;
  // The clocks of two machines differ by a little: no message arrives before it was sent.
  const waitedMs = attempts === 1 && published_at !== null ? Math.max(0, Date.now() - published_at) : null;
  const again = redelivered || attempts > 1 || error !== null;
  return { id, queue, body, priority, attempt: attempts, again, waitedMs, signal };
}
