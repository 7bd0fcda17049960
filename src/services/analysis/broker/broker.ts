import type { Transaction } from 'kysely';

/** Higher goes first. */
export type Priority = 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10;

/** A message on its way to a queue. The body is JSON. */
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
   * Told of each message that went to the dead-letter queue `<queue>.dead`, at least once; when it resolves, the letter
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
  /** Age of the oldest of them in milliseconds; null when none waits. */
  readonly oldest_age_ms: number | null;
  /** Messages that consumers work on. */
  readonly in_flight: number;
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
  consume(queue: string, handler: (delivery: Delivery) => Promise<void>, options: ConsumeOptions): Consumer;
  /** The queues that hold messages, by name. */
  depth(): Promise<Record<string, QueueDepth>>;
  probe(signal: AbortSignal): Promise<void>;
  /** Stops all consumers in order. */
  close(): Promise<void>;
}

/** The name of the queue that holds the messages which failed in every attempt. */
export function deadLetterQueue(queue: string): string {
  return `${queue}.dead`;
}
