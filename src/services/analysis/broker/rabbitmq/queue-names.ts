import type { Channel } from 'amqplib';
import type { Priority, Reservation } from '../broker.ts';

/** Maps the queues of the broker to the names of RabbitMQ queues. */
export interface QueueNames {
  /** The RabbitMQ queue for a message. */
  of(queue: string, priority: Priority): string;
  /** All RabbitMQ queues of a queue, the urgent one first. */
  all(queue: string): readonly string[];
}

/**
 * Queues are called `<prefix>.<queue>`. RabbitMQ cannot hand out the lower priorities of one queue first, so a queue with
 * reserved places has a second one for them, `<prefix>.<queue>.free`.
 */
export function createQueueNames(prefix: string, reservation: Reservation | undefined): QueueNames {
  const urgent = (queue: string) => `${prefix}.${queue}`;
  const free = (queue: string) => `${urgent(queue)}.free`;
  const hasFree = (queue: string) => reservation?.queues.has(queue) === true;
  return {
    of: (queue, priority) =>
      hasFree(queue) && priority <= (reservation?.upTo ?? 0) ? free(queue) : urgent(queue),
    all: (queue) => (hasFree(queue) ? [urgent(queue), free(queue)] : [urgent(queue)]),
  };
}

/** Declares a queue, the same way everywhere: RabbitMQ refuses another. The result is how many messages are ready in it. */
export async function declareQueue(channel: Channel, name: string): Promise<number> {
  // Classic queues: the only kind that knows priorities before RabbitMQ 4.
  const { messageCount } = await channel.assertQueue(name, { durable: true, maxPriority: 10 });
  return messageCount;
}
