import type { ChannelModel } from 'amqplib';
import type { Kysely } from 'kysely';
import type { Logger } from '../../../../foundation/log.ts';
import {
  type BrokerTimes,
  deadLetterQueue,
  RETURNED_TO_QUEUE,
  type Reservation,
  reportPause,
  retryPause,
} from '../broker.ts';
import { QueueConsumer } from '../consumer.ts';
import { createDeliveryBuffer, type DeliveryBuffer, type ReceivedMessage } from './delivery-buffer.ts';
import {
  addLostDeliveries,
  countLostDelivery,
  type DeliveredMessage,
  deleteLostDeliveries,
} from './outbox.ts';
import type { QueueNames } from './queue-names.ts';

/** What all subscriptions of a process share. */
export interface SubscriptionDependencies {
  readonly queries: Kysely<unknown>;
  readonly lanes: QueueNames;
  readonly reservation: Reservation | undefined;
  readonly times: BrokerTimes;
  readonly storeAgain: (messages: readonly DeliveredMessage[], pauseMs: number) => Promise<void>;
  readonly log: Logger;
}

/** The consumption of one queue, over one connection after another. */
export interface Subscription {
  readonly queue: string;
  readonly stopped: Promise<void>;
  /** Resolves when it was stopped and has handed back what waited for a place, too. */
  readonly empty: Promise<void>;
  attach(model: ChannelModel): Promise<void>;
  detach(): void;
  stop(): void;
  /** Messages that are worked on. */
  working(): number;
  /** Messages that were delivered and are not worked on: they wait for a place, or until they are stored for another delivery. */
  waiting(): number;
  /** Resolves when all was read that RabbitMQ handed out before the call. */
  caughtUp(): Promise<void>;
}

type Handle = (message: ReceivedMessage, signal: AbortSignal) => Promise<void>;

/** Subscribes to a queue. Handlers get the number of the attempt in `attempts`. */
export function openSubscription(
  dependencies: SubscriptionDependencies,
  queue: string,
  concurrency: number,
  handle: Handle,
): Subscription {
  const { lanes, reservation, times, log } = dependencies;
  // With two lanes to choose from, one more of each is at hand: else a lane looks empty while its next message is on the way.
  const prefetch = lanes.all(queue).length > 1 ? concurrency + 1 : concurrency;
  const buffer = createDeliveryBuffer(queue, lanes, prefetch, () => consumer.wake());
  const reserveEvery = reservation?.queues.has(queue) === true ? reservation.every : undefined;
  const options = { concurrency, drainMs: times.drainMs, reserveEvery, log };
  const consumer = new QueueConsumer<ReceivedMessage>(
    queue,
    actionsOf(dependencies, buffer),
    handle,
    options,
  );
  let handingBack = Promise.resolve();
  return {
    queue,
    stopped: consumer.stopped,
    empty: consumer.stopped.then(() => handingBack),
    attach: (model) => buffer.attach(model),
    detach: () => {
      const held = consumer.leasedMessages();
      consumer.renewed(held, new Set());
      buffer.detach();
      // They are delivered again although their process lives: that must not count as a loss of it.
      addLostDeliveries(
        dependencies.queries,
        held.map(({ message_id }) => message_id),
        -1,
      ).catch((error) => log.warn({ err: error, queue }, 'lost deliveries could not be forgiven'));
    },
    stop: () => {
      consumer.stop();
      const before = handingBack;
      handingBack = buffer
        .stop()
        .then((waiting) => sendBack(dependencies, buffer, waiting.map(handedBack), 0))
        .catch((error) => log.warn({ err: error, queue }, 'messages could not be handed back'))
        .then(() => before);
    },
    working: () => consumer.leasedMessages().length,
    waiting: () => buffer.heldBeside(consumer.leasedMessages()),
    caughtUp: () => buffer.caughtUp(),
  };
}

/** Stores messages for another delivery, then takes them from RabbitMQ: in between they exist twice, never not at all. */
async function sendBack(
  { storeAgain }: SubscriptionDependencies,
  buffer: DeliveryBuffer,
  messages: readonly ReceivedMessage[],
  pauseMs: number,
): Promise<void> {
  if (messages.length === 0) return;
  await storeAgain(messages, pauseMs);
  for (const message of messages) buffer.acknowledge(message);
}

/** The message marked as delivered before; a dead letter keeps the error of its message. */
function handedBack(message: ReceivedMessage): ReceivedMessage {
  return message.dead_after === null ? { ...message, error: message.error ?? RETURNED_TO_QUEUE } : message;
}

function actionsOf(dependencies: SubscriptionDependencies, buffer: DeliveryBuffer) {
  const { queries, log } = dependencies;
  const forget = (messages: readonly ReceivedMessage[]) =>
    deleteLostDeliveries(
      queries,
      messages.filter(({ redelivered }) => redelivered).map(({ message_id }) => message_id),
    );
  return {
    claim: (limit: number, reserved: number) => admitAll(dependencies, buffer, buffer.take(limit, reserved)),
    acknowledge: async (message: ReceivedMessage) => {
      const owned = buffer.acknowledge(message);
      if (owned && message.redelivered) await forget([message]);
      return owned;
    },
    failed: async (message: ReceivedMessage, error: unknown) => {
      await fail(dependencies, buffer, message, error);
      if (message.redelivered) await forget([message]);
    },
    handBack: async (messages: readonly ReceivedMessage[]) => {
      const before = messages.map((message) => ({ ...handedBack(message), attempts: message.attempts - 1 }));
      await sendBack(dependencies, buffer, before, 0);
      if (messages.some(({ redelivered }) => redelivered)) await forget(messages);
      log.debug({ messages: messages.length }, 'messages were handed back');
    },
  };
}

/** Counts the attempt of each message; one whose process was lost in every attempt goes to the dead-letter queue. */
async function admitAll(
  dependencies: SubscriptionDependencies,
  buffer: DeliveryBuffer,
  arrived: readonly ReceivedMessage[],
): Promise<ReceivedMessage[]> {
  const admitted: ReceivedMessage[] = [];
  for (const message of arrived) {
    const losses = message.redelivered
      ? await countLostDelivery(dependencies.queries, message.message_id)
      : 0;
    const attempts = message.attempts + Math.max(0, losses) + 1;
    if (message.dead_after === null && attempts > dependencies.times.maxAttempts) {
      const { queue, message_id } = message;
      dependencies.log.error({ queue, message: message_id }, 'a message lost its process for the last time');
      await deadLetter(dependencies, buffer, { ...message, attempts: attempts - 1 }, null);
      await deleteLostDeliveries(dependencies.queries, [message_id]);
    } else admitted.push({ ...message, attempts });
  }
  return admitted;
}

async function deadLetter(
  dependencies: SubscriptionDependencies,
  buffer: DeliveryBuffer,
  message: ReceivedMessage,
  error: string | null,
): Promise<void> {
  const { queue, attempts } = message;
  const letter = { ...message, queue: deadLetterQueue(queue), dead_after: attempts, attempts: 0, error };
  await sendBack(dependencies, buffer, [letter], 0);
}

async function fail(
  dependencies: SubscriptionDependencies,
  buffer: DeliveryBuffer,
  message: ReceivedMessage,
  error: unknown,
): Promise<void> {
  const { times, log } = dependencies;
  const { queue, message_id, attempts, dead_after } = message;
  const text = error instanceof Error ? error.message : String(error);
  if (dead_after !== null) {
    // A letter keeps the error of its message, not that of its handler.
    log.warn({ err: error, queue, message: message_id }, 'a dead letter could not be reported');
    return sendBack(dependencies, buffer, [message], reportPause(attempts));
  }
  if (attempts >= times.maxAttempts) {
    log.error({ err: error, queue, message: message_id, attempts }, 'a message failed for the last time');
    return deadLetter(dependencies, buffer, message, text);
  }
  log.warn({ err: error, queue, message: message_id, attempts }, 'a message failed and is tried again');
  return sendBack(dependencies, buffer, [{ ...message, error: text }], retryPause(times, attempts));
}
