import type { Kysely, Transaction } from 'kysely';

/** Higher goes first. */
export type Priority = 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10;

/** An outgoing message. The body is JSON. */
export interface OutgoingMessage {
  readonly queue: string;
  readonly body: unknown;
  /** The default is 5. */
  readonly priority?: Priority;
}

/** A message as a consumer gets it. It may have been delivered before: effects must be harmless when repeated. */
export interface Delivery {
  readonly id: string;
  readonly queue: string;
  readonly body: unknown;
  readonly priority: Priority;
  /** 1 on the first delivery. */
  readonly attempt: number;
  /** It was delivered before, and that consumer ended or gave it back. False for a message that was sent twice. */
  readonly again: boolean;
  /** Milliseconds from its publication to this delivery; null when it was delivered before, or where it is unknown. */
  readonly waitedMs: number | null;
  /** Aborts when the message no longer belongs to this consumer: its lease was lost, or the consumer is being stopped. */
  readonly signal: AbortSignal;
}

/** A message that failed in every attempt. */
export interface DeadLetter {
  readonly id: string;
  /** The queue that it was published to. */
  readonly queue: string;
  readonly body: unknown;
  readonly attempts: number;
  /** The message of the last error; null when the last attempt ended with its process. */
  readonly error: string | null;
}

/** How a queue is consumed. */
export interface ConsumeOptions {
  /** How many messages are worked on at once, 1 or more. */
  readonly concurrency: number;
  /** Stops the consumer: running work is given a while to finish, then handed back. */
  readonly signal: AbortSignal;
  /**
   * Called with each message that went to the dead-letter queue `<queue>.dead`, at least once; when it resolves, the letter
   * is removed. Without it letters stay in that queue.
   */
  readonly onDeadLetter?: (letter: DeadLetter) => Promise<void>;
}

/** A running consumer. */
export interface Consumer {
  /** Resolves when it was stopped and it holds no message. */
  readonly stopped: Promise<void>;
}

/** The state of a queue. */
export interface QueueDepth {
  /** Messages that wait, those included that wait for another attempt. */
  readonly depth: number;
  /** Age of the oldest of them in milliseconds; null when none waits, and where the broker does not say. */
  readonly oldest_age_ms: number | null;
  /** Messages that consumers work on. */
  readonly in_flight: number;
}

/**
 * Keeps a steady stream of urgent messages from shutting out the others: of these queues, every `every`-th message that a
 * consumer takes is one of priority `upTo` or lower, if any waits.
 */
export interface Reservation {
  readonly queues: ReadonlySet<string>;
  readonly upTo: Priority;
  readonly every: number;
}

/** Times and counts of a broker; the defaults are those of the product, tests use shorter ones. */
export interface BrokerTimes {
  /** How long a message stays leased to a process that shows no life. */
  readonly leaseMs: number;
  /** The pause before the second, third ... attempt; the last value is used for all further ones. */
  readonly retryPausesMs: readonly number[];
  /** How long a consumer that is stopped waits for its running work. */
  readonly drainMs: number;
  /** Attempts before a message goes to the dead-letter queue. */
  readonly maxAttempts: number;
}

/** How a broker is opened. */
export interface BrokerOptions extends Partial<BrokerTimes> {
  readonly reservation?: Reservation;
}

/** The times of the product. */
export const DEFAULT_TIMES: BrokerTimes = {
  leaseMs: 15_000,
  // Long enough for a passing fault to pass, short enough for a person who waits for the answer.
  retryPausesMs: [250, 2_000],
  drainMs: 10_000,
  maxAttempts: 3,
};

/** The pause in milliseconds before the attempt that follows `attempts` failed ones. */
export function retryPause(times: BrokerTimes, attempts: number): number {
  const pauses = times.retryPausesMs;
  return pauses[attempts - 1] ?? pauses.at(-1) ?? 0;
}

/** The pause before a dead letter is reported again, for each time that reporting failed, and at most, in milliseconds. */
const REPORT_AGAIN_MS = { step: 1_000, most: 60_000 };

/** The pause in milliseconds before a dead letter is reported again. */
export function reportPause(attempts: number): number {
  return Math.min(attempts * REPORT_AGAIN_MS.step, REPORT_AGAIN_MS.most);
}

/** A message that a statement of the database may publish, as a row of its part `wanted`. */
export interface PublishableMessage {
  readonly message_id: string;
  readonly queue: string;
  readonly priority: Priority;
}

/** How a statement of the database publishes messages that it chooses itself. */
export interface Publication {
  /**
   * Parts of a statement. They publish the rows of its part `wanted (place, message_id, queue, priority, text, held_ms)`, and end
   * with `published`, which the statement must return.
   */
  readonly parts: string;
  /** What `held_ms` is now. */
  holdMs(): number;
  /** Takes what `published` returned, once it is committed. */
  committed(published: readonly unknown[]): void;
}

/**
 * Durable queues with at-least-once delivery. Of the messages that wait, a queue delivers the one with the highest
 * priority first, of those the one that was published first. A handler acknowledges by resolving; when it throws, the
 * message is delivered again after a pause. After three failed attempts (a handler threw, or its process was lost) the
 * message goes to the queue's dead-letter queue.
 */
export interface Broker {
  /**
   * Stores messages; once it resolves they survive the loss of any process. Inside a transaction they are delivered
   * when it is committed and forgotten when it is rolled back.
   */
  publish<Tables>(
    messages: readonly OutgoingMessage[],
    options?: { readonly transaction?: Transaction<Tables> },
  ): Promise<void>;
  /**
   * Publishes what a message that the caller has taken leads to, before that message is acknowledged: should all else be lost, it is
   * delivered again and leads to them again. So they need no other store, and may be published twice.
   */
  passOn(messages: readonly OutgoingMessage[]): Promise<void>;
  /**
   * Says that a transaction in which messages were published is committed: they are on their way at once. Those of a process
   * that ended before it said so are found within seconds.
   */
  committed(transaction: object): void;
  /** For statements that publish what they choose themselves. */
  readonly publication: Publication;
  consume(queue: string, handler: (delivery: Delivery) => Promise<void>, options: ConsumeOptions): Consumer;
  /** The queues that hold messages, by name. */
  depth(): Promise<Record<string, QueueDepth>>;
  probe(signal: AbortSignal): Promise<void>;
  /** Stops all consumers in order. */
  close(): Promise<void>;
}

/** Runs a transaction in which messages may be published. */
export async function withPublishing<Tables, Result>(
  broker: Pick<Broker, 'committed'>,
  queries: Kysely<Tables>,
  work: (change: Transaction<Tables>) => Promise<Result>,
): Promise<Result> {
  let transaction: object = queries;
  const result = await queries.transaction().execute((change) => {
    transaction = change;
    return work(change);
  });
  broker.committed(transaction);
  return result;
}

/** The error of a message that was handed back: a consumer had it before. */
export const RETURNED_TO_QUEUE = 'it was handed back';

/** The name of the queue that holds the messages which failed in every attempt. */
export function deadLetterQueue(queue: string): string {
  return `${queue}.dead`;
}
