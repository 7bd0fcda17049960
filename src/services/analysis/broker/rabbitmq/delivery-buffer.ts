import type { Channel, ChannelModel, ConsumeMessage } from 'amqplib';
import { z } from 'zod';
import { withDeadline } from '../../../../foundation/deadline.ts';
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
  /** Begins to consume over a new connection, unless it was stopped. */
  attach(model: ChannelModel): Promise<void>;
  /** Drops the deliveries of a lost connection: they are delivered again. */
  detach(): void;
  /** Takes no more deliveries, over this connection or a new one; the result is what still waits. */
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

/** How long RabbitMQ may take to end a subscription, in milliseconds; what it hands out afterwards is delivered again. */
const CANCEL_LIMIT_MS = 5_000;

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

class ChannelBuffer implements DeliveryBuffer {
  private readonly queue: string;
  private readonly names: readonly string[];
  private readonly prefetch: number;
  private readonly arrived: () => void;
  private channel: Channel | undefined;
  private tags: string[] = [];
  private deliveries = 0;
  private isStopped = false;
  private attaching: Promise<void> = Promise.resolve();
  // The urgent lane first; the order within a lane is that of RabbitMQ.
  private buffers: ReceivedMessage[][] = [];
  private readonly unacknowledged = new Map<string, ConsumeMessage>();

  constructor(queue: string, lanes: QueueNames, prefetch: number, arrived: () => void) {
    this.queue = queue;
    this.names = lanes.all(queue);
    this.prefetch = prefetch;
    this.arrived = arrived;
  }

  async attach(model: ChannelModel): Promise<void> {
    if (this.isStopped) return;
    const beginning = this.begin(model);
    this.attaching = beginning.catch(() => undefined);
    await beginning;
  }

  detach(): void {
    this.channel = undefined;
    this.buffers = this.buffers.map(() => []);
    this.unacknowledged.clear();
  }

  async stop(): Promise<ReceivedMessage[]> {
    this.isStopped = true;
    const cancelled = async (): Promise<void> => {
      await this.attaching;
      await Promise.all(this.tags.splice(0).map((tag) => this.channel?.cancel(tag)));
    };
    await withDeadline(CANCEL_LIMIT_MS, undefined, cancelled).catch(() => undefined);
    return takeFrom(this.buffers, Number.POSITIVE_INFINITY);
  }

  take(limit: number, reserved: number): ReceivedMessage[] {
    const first = takeFrom([...this.buffers].reverse(), reserved);
    return [...first, ...takeFrom(this.buffers, limit - first.length)];
  }

  acknowledge({ lease }: LeasedMessage): boolean {
    const message = this.unacknowledged.get(lease);
    if (message === undefined || this.channel === undefined) return false;
    this.unacknowledged.delete(lease);
    this.channel.ack(message);
    return true;
  }

  heldBeside(messages: readonly LeasedMessage[]): number {
    return countBeside(messages, this.unacknowledged);
  }

  async caughtUp(): Promise<void> {
    await this.channel?.prefetch(this.prefetch).catch(() => undefined);
  }

  private async begin(model: ChannelModel): Promise<void> {
    const opened = await model.createChannel();
    opened.on('error', () => undefined);
    await opened.prefetch(this.prefetch);
    this.channel = opened;
    this.buffers = this.names.map(() => []);
    this.tags = [];
    for (const [lane, name] of this.names.entries()) {
      await declareQueue(opened, name);
      if (this.isStopped) return;
      const { consumerTag } = await opened.consume(name, (message) => this.receive(lane, message));
      this.tags.push(consumerTag);
    }
  }

  private receive(lane: number, message: ConsumeMessage | null): void {
    if (message === null) return;
    this.deliveries += 1;
    const lease = String(this.deliveries);
    const parsed = parse(this.queue, lease, message);
    if (parsed === undefined) {
      // It can never be processed: it is dropped, since it would be delivered again for ever.
      this.channel?.nack(message, false, false);
      return;
    }
    this.unacknowledged.set(lease, message);
    this.buffers[lane]?.push(parsed);
    this.arrived();
  }
}

/** The buffer of one queue; `arrived` is called for each delivery. At most `prefetch` messages of each lane are unacknowledged. */
export function createDeliveryBuffer(
  queue: string,
  lanes: QueueNames,
  prefetch: number,
  arrived: () => void,
): DeliveryBuffer {
  return new ChannelBuffer(queue, lanes, prefetch, arrived);
}
