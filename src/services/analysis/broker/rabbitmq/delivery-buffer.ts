import type { Channel, ChannelModel, ConsumeMessage } from 'amqplib';
import { z } from 'zod';
import type { LeasedMessage } from '../consumer.ts';
import type { DeliveredMessage } from './outbox.ts';
import { declareQueue, type QueueNames } from './queue-names.ts';

/** A message that RabbitMQ delivered to this process. */
export interface ReceivedMessage extends DeliveredMessage, LeasedMessage {
  /** It was delivered before, to a process or over a connection that was lost. */
  readonly redelivered: boolean;
}

/** Messages of one queue that were delivered and wait for a free place. */
export interface DeliveryBuffer {
  /** Begins to consume over a new connection. */
  attach(model: ChannelModel): Promise<void>;
  /** Drops the deliveries of a lost connection: they are delivered again. */
  detach(): void;
  /** Takes no more deliveries; the result is what still waits. */
  stop(): Promise<ReceivedMessage[]>;
  take(limit: number, reserved: number): ReceivedMessage[];
  /** Acknowledges; false when the connection of the delivery is gone. */
  acknowledge(message: LeasedMessage): boolean;
  /** How many messages were delivered and are not acknowledged, apart from these. */
  heldBeside(messages: readonly LeasedMessage[]): number;
  /**
   * Resolves when all was read that RabbitMQ handed out before the call: what it answers over the channel comes after that. A closed
   * channel brings nothing more.
   */
  caughtUp(): Promise<void>;
}

const ours = z.object({
  messageId: z.uuid(),
  priority: z.literal([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]).default(5),
  headers: z
    .object({
      published_at: z.number().nullable().default(null),
      attempts: z.int().min(0).default(0),
      error: z.string().nullable().default(null),
      dead_after: z.int().nullable().default(null),
    })
    .prefault({}),
});

/** A message of the wire; undefined when it is none of ours. */
function parse(queue: string, lease: string, message: ConsumeMessage): ReceivedMessage | undefined {
  const known = ours.safeParse(message.properties);
  if (!known.success) return undefined;
  const { messageId: id, priority, headers } = known.data;
  try {
    const body: unknown = JSON.parse(message.content.toString('utf8'));
    const { redelivered } = message.fields;
    return { id, message_id: id, lease, queue, priority, body, ...headers, redelivered };
  } catch {
    return undefined;
  }
}

function takeFrom(buffers: readonly ReceivedMessage[][], limit: number): ReceivedMessage[] {
  const taken: ReceivedMessage[] = [];
  for (const buffer of buffers) taken.push(...buffer.splice(0, limit - taken.length));
  return taken;
}

function countBeside(messages: readonly LeasedMessage[], held: ReadonlyMap<string, unknown>): number {
  return held.size - messages.filter(({ lease }) => held.has(lease)).length;
}

/** The buffer of one queue; `arrived` is called for each delivery. At most `prefetch` messages of each lane are unacknowledged. */
export function createDeliveryBuffer(
  queue: string,
  lanes: QueueNames,
  prefetch: number,
  arrived: () => void,
): DeliveryBuffer {
  let channel: Channel | undefined;
  let tags: string[] = [];
  let deliveries = 0;
  // The urgent lane first; the order within a lane is that of RabbitMQ.
  let buffers: ReceivedMessage[][] = [];
  const unacknowledged = new Map<string, ConsumeMessage>();

  const receive = (lane: number, message: ConsumeMessage | null) => {
    if (message === null) return;
    deliveries += 1;
    const lease = String(deliveries);
    const parsed = parse(queue, lease, message);
    if (parsed === undefined) {
      // It can never be processed: it is dropped, since it would be delivered again for ever.
      channel?.nack(message, false, false);
      return;
    }
    unacknowledged.set(lease, message);
    buffers[lane]?.push(parsed);
    arrived();
  };

  return {
    attach: async (model) => {
      const opened = await model.createChannel();
      opened.on('error', () => undefined);
      await opened.prefetch(prefetch);
      channel = opened;
      const names = lanes.all(queue);
      buffers = names.map(() => []);
      tags = [];
      for (const [lane, name] of names.entries()) {
        await declareQueue(opened, name);
        const { consumerTag } = await opened.consume(name, (message) => receive(lane, message));
        tags.push(consumerTag);
      }
    },
    detach: () => {
      channel = undefined;
      buffers = buffers.map(() => []);
      unacknowledged.clear();
    },
    stop: async () => {
      const leaving = tags;
      tags = [];
      await Promise.all(leaving.map((tag) => channel?.cancel(tag))).catch(() => undefined);
      return takeFrom(buffers, Number.POSITIVE_INFINITY);
    },
    take: (limit, reserved) => {
      const first = takeFrom([...buffers].reverse(), reserved);
      return [...first, ...takeFrom(buffers, limit - first.length)];
    },
    acknowledge: ({ lease }) => {
      const message = unacknowledged.get(lease);
      if (message === undefined || channel === undefined) return false;
      unacknowledged.delete(lease);
      channel.ack(message);
      return true;
    },
    heldBeside: (messages) => countBeside(messages, unacknowledged),
    caughtUp: async () => {
      await channel?.prefetch(prefetch).catch(() => undefined);
    },
  };
}
