import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Database, openDatabase } from '../../../../src/foundation/database/database.ts';
import {
  type Broker,
  type BrokerOptions,
  type DeadLetter,
  type Delivery,
  type Reservation,
  withPublishing,
} from '../../../../src/services/analysis/broker/broker.ts';
import { startCampaign } from '../../../campaign.ts';
import { silent, type TestEngine } from '../../../foundation/database/engines.ts';
import { startProgram } from '../../../foundation/database/programs.ts';
import { eventually } from '../../../patience.ts';

/** An adapter of the port that the suite runs over. */
export interface BrokerAdapter {
  readonly engine: TestEngine;
  open(database: Database, options?: BrokerOptions): Promise<Broker>;
  /** Removes what a test left. */
  clear(): Promise<void>;
  /** Resolves when so many messages wait in the queue where consumers take them from. */
  arrived(broker: Broker, queue: string, count: number): Promise<void>;
  /** Whether each message is chosen from all that wait; else from what was sent ahead, which may run out for a moment. */
  readonly choosesFromAll: boolean;
  /** Whether it reports the age of messages. */
  readonly knowsAges: boolean;
  /** Whether messages may arrive twice that were on their way when a process was killed. */
  readonly mayRepeat: boolean;
  /** What the test program that holds messages needs to open the same adapter. */
  readonly programArguments: readonly string[];
}

/** Shorter times than those of the product. */
export const quick: BrokerOptions = { leaseMs: 3_000, retryPausesMs: [20, 40], drainMs: 100 };

const reservation: Reservation = { queues: new Set(['tiers']), upTo: 3, every: 4 };

/** Consumes with a handler that does nothing unless one is given; the result grows with each delivery. */
export function consumeFrom(
  broker: Broker,
  queue: string,
  signal: AbortSignal,
  handler: (delivery: Delivery) => Promise<void> = async () => undefined,
  options: { concurrency?: number; onDeadLetter?: (letter: DeadLetter) => Promise<void> } = {},
) {
  const deliveries: Delivery[] = [];
  const consumer = broker.consume(
    queue,
    async (delivery) => {
      deliveries.push(delivery);
      await handler(delivery);
    },
    { concurrency: 1, signal, ...options },
  );
  return { deliveries, stopped: consumer.stopped };
}

/**
 * Resolves when so many deliveries were seen and no queue holds anything; looked at twice. Emptiness alone says little: what a handler
 * publishes while the queues are counted need not be counted, nor what another process has read and does not work on.
 */
export async function whenEmpty(broker: Broker, seen: readonly unknown[] = [], count = 0): Promise<void> {
  await eventually(() => expect(seen.length).toBeGreaterThanOrEqual(count));
  const empty = () => eventually(async () => expect(await broker.depth()).toEqual({}));
  await empty();
  await new Promise((resolve) => setTimeout(resolve, 50));
  await empty();
}

/** Everything that each adapter of the port must do. */
export function brokerSuite(adapter: BrokerAdapter): void {
  let broker: Broker;
  let stopping: AbortController;

  beforeEach(async () => {
    stopping = new AbortController();
    broker = await adapter.open(adapter.engine.database(), { reservation });
  });

  afterEach(async () => {
    stopping.abort();
    await broker.close();
    await adapter.clear();
  });

  const consume = (
    queue: string,
    handler?: (delivery: Delivery) => Promise<void>,
    {
      from = broker,
      ...options
    }: {
      concurrency?: number;
      onDeadLetter?: (letter: DeadLetter) => Promise<void>;
      from?: Broker;
    } = {},
  ) => consumeFrom(from, queue, stopping.signal, handler, options);

  const isEmpty = (seen?: readonly unknown[], count?: number) => whenEmpty(broker, seen, count);

  it('delivers a message once and forgets it when the handler is done', async () => {
    await broker.publish([{ queue: 'one', body: { text: 'știre\0 \ud83d 🙂' } }]);
    const { deliveries } = consume('one');
    await isEmpty(deliveries, 1);
    expect(deliveries).toHaveLength(1);
    expect(deliveries[0]).toMatchObject({
      queue: 'one',
      attempt: 1,
      priority: 5,
      body: { text: 'știre\0 \ud83d 🙂' },
    });
    await broker.publish([]);
  });

  it('tells how long a message waited, until its first delivery', async () => {
    await broker.publish([{ queue: 'waits', body: 1 }]);
    const { deliveries } = consume('waits', async ({ attempt }) => {
      if (attempt === 1) throw new Error('not yet');
    });
    await isEmpty(deliveries, 2);
    const [first, second] = deliveries.map(({ waitedMs }) => waitedMs);
    expect(first).toBeGreaterThanOrEqual(0);
    expect(second).toBeNull();
  });

  it('delivers what is published while it waits', async () => {
    const { deliveries } = consume('later');
    await eventually(() => expect(deliveries).toHaveLength(0));
    await broker.publish([{ queue: 'later', body: 1 }]);
    await eventually(() => expect(deliveries).toHaveLength(1));
  });

  it('delivers higher priorities first, and within one what came first', async () => {
    const priorities = [3, 10, 5, undefined, 1, 10, 3] as const;
    await broker.publish(
      priorities.map((priority, body) => ({ queue: 'order', body, ...(priority && { priority }) })),
    );
    await adapter.arrived(broker, 'order', priorities.length);
    const { deliveries } = consume('order');
    await isEmpty(deliveries, priorities.length);
    expect(deliveries.map(({ body }) => body)).toEqual([1, 5, 2, 3, 0, 6, 4]);
  });

  it('lets a reserved message through after each three others, however many of those wait', async () => {
    const urgent = Array.from({ length: 12 }, (_, body) => ({ queue: 'tiers', body, priority: 6 as const }));
    const free = ['a', 'b', 'c'].map((body) => ({ queue: 'tiers', body, priority: 1 as const }));
    await broker.publish([...urgent, ...free]);
    await adapter.arrived(broker, 'tiers', 15);
    const { deliveries } = consume('tiers', () => new Promise((resolve) => setTimeout(resolve, 30)));
    await isEmpty(deliveries, urgent.length + free.length);
    const order = deliveries.map(({ body }) => body);
    if (adapter.choosesFromAll) expect(order).toEqual([0, 1, 2, 'a', 3, 4, 5, 'b', 6, 7, 8, 'c', 9, 10, 11]);
    expect(order.filter((body) => typeof body === 'number')).toEqual(urgent.map(({ body }) => body));
    expect(order.filter((body) => typeof body === 'string')).toEqual(free.map(({ body }) => body));
    for (const [index, { body }] of free.entries())
      expect(order.indexOf(body)).toBeLessThanOrEqual(4 * index + 3);
  });

  it('refuses a priority out of range and stores nothing of that call', async () => {
    const bad = [
      { queue: 'bad', body: 1 },
      { queue: 'bad', body: 2, priority: 11 as 10 },
    ];
    await expect(broker.publish(bad)).rejects.toMatchObject({ code: '23514' });
    expect(await broker.depth()).toEqual({});
  });

  it('delivers what a transaction published after its commit, and nothing after a rollback', async () => {
    const { deliveries } = consume('outbox');
    const publish = (body: string, fail: boolean) =>
      withPublishing(broker, adapter.engine.database().kysely(), async (transaction) => {
        await broker.publish([{ queue: 'outbox', body }], { transaction });
        expect(deliveries.map((delivery) => delivery.body)).not.toContain(body);
        if (fail) throw new Error('on purpose');
      });
    await expect(publish('rolled back', true)).rejects.toThrow('on purpose');
    await publish('committed', false);
    await isEmpty(deliveries, 1);
    expect(deliveries.map(({ body }) => body)).toEqual(['committed']);
  });

  it('passes on what a message leads to, once for each time that the message is delivered', async () => {
    const { deliveries } = consume('then');
    consume('first', async ({ body, attempt }) => {
      await broker.passOn([{ queue: 'then', body: { after: body, attempt }, priority: 7 }]);
      if (attempt === 1) throw new Error('not yet');
    });
    await broker.publish([{ queue: 'first', body: 'a' }]);
    await isEmpty(deliveries, 2);
    expect(deliveries.map(({ body, priority }) => ({ body, priority }))).toEqual(
      [1, 2].map((attempt) => ({ body: { after: 'a', attempt }, priority: 7 })),
    );
  });

  it('works on as many messages at once as it may, never more', async () => {
    let now = 0;
    let most = 0;
    const full = gate();
    await broker.publish(Array.from({ length: 12 }, (_, body) => ({ queue: 'many', body })));
    const { deliveries } = consume(
      'many',
      async () => {
        now += 1;
        most = Math.max(most, now);
        if (most === 4) full.resolve();
        await full.promise;
        now -= 1;
      },
      { concurrency: 4 },
    );
    await isEmpty(deliveries, 12);
    expect(deliveries).toHaveLength(12);
    expect(most).toBe(4);
  });

  it('tries a failed message again after others, then tells of its death with the last error', async () => {
    const letters: DeadLetter[] = [];
    await broker.publish([
      { queue: 'failing', body: 'bad', priority: 9 },
      { queue: 'failing', body: 'good' },
    ]);
    await adapter.arrived(broker, 'failing', 2);
    const { deliveries } = consume(
      'failing',
      async ({ body, attempt }) => {
        if (body === 'bad') throw new Error(`attempt ${attempt}\0`);
      },
      {
        onDeadLetter: async (letter) => {
          letters.push(letter);
        },
      },
    );
    await isEmpty(letters, 1);
    expect(deliveries.map(({ body, attempt }) => `${body} ${attempt}`)).toEqual([
      'bad 1',
      'good 1',
      'bad 2',
      'bad 3',
    ]);
    expect(letters).toMatchObject([{ queue: 'failing', body: 'bad', attempts: 3, error: 'attempt 3\ufffd' }]);
  });

  it('keeps a dead letter until somebody was told', async () => {
    await broker.publish([{ queue: 'dying', body: 'x' }]);
    const failing = async () => {
      throw new Error('always');
    };
    consume('dying', failing);
    await eventually(async () =>
      expect(await broker.depth()).toMatchObject({ 'dying.dead': { depth: 1, in_flight: 0 } }),
    );
    let told = 0;
    const onDeadLetter = async ({ error }: DeadLetter) => {
      told += 1;
      if (told === 1) throw new Error('the teller failed');
      expect(error).toBe('always');
    };
    consume('dying', failing, { onDeadLetter });
    await eventually(() => expect(told).toBe(2));
    await isEmpty();
    expect(told).toBe(2);
  });

  it('counts what waits and what is in hand', async () => {
    const { promise, resolve } = gate();
    await broker.publish([1, 2, 3].map((body) => ({ queue: 'counted', body })));
    await adapter.arrived(broker, 'counted', 3);
    const { deliveries } = consume('counted', () => promise);
    await eventually(() => expect(deliveries).toHaveLength(1));
    const { counted } = await broker.depth();
    expect(counted).toMatchObject({ depth: 2, in_flight: 1 });
    if (adapter.knowsAges) expect(counted?.oldest_age_ms).toBeGreaterThanOrEqual(0);
    else expect(counted?.oldest_age_ms).toBeNull();
    resolve();
    await isEmpty();
  });

  it('lets the work in hand finish when it is stopped, and takes no more', async () => {
    const { promise, resolve } = gate();
    await broker.publish([1, 2].map((body) => ({ queue: 'stopping', body })));
    const { deliveries, stopped } = consume('stopping', () => promise);
    await eventually(() => expect(deliveries).toHaveLength(1));
    stopping.abort();
    resolve();
    await stopped;
    expect(deliveries[0]?.signal.aborted).toBe(false);
    await eventually(async () =>
      expect(await broker.depth()).toMatchObject({ stopping: { depth: 1, in_flight: 0 } }),
    );
  });

  it('hands work back that does not finish in time, and that delivery does not count', async () => {
    await broker.publish([{ queue: 'handed back', body: 1 }]);
    const { deliveries, stopped } = consume('handed back', () => new Promise(() => undefined));
    await eventually(() => expect(deliveries).toHaveLength(1));
    stopping.abort();
    await stopped;
    expect(deliveries[0]?.signal.aborted).toBe(true);
    stopping = new AbortController();
    const again = consume('handed back');
    await isEmpty(again.deliveries, 1);
    expect(again.deliveries).toMatchObject([{ attempt: 1 }]);
  });

  describe('after a kill', () => {
    const kills = startCampaign(
      `kill rounds of the ${adapter.mayRepeat ? 'RabbitMQ' : 'database'} broker, ${adapter.engine.name}`,
    );
    const rounds = kills.rounds(1, 15);
    it.each(Array.from({ length: rounds }, (_, round) => round + 1))(
      'every stored message is delivered, those in hand a second time (%i)',
      async (round) => {
        await broker.close();
        await handOver(adapter.engine, async ({ home, url }) => {
          const program = startProgram('services/analysis/broker/programs/hold-messages.ts', [
            home,
            url ?? '',
            '3000',
            '20',
            ...adapter.programArguments,
          ]);
          await program.printed(() => program.lines.filter((line) => line.startsWith('holds')).length === 2);
          await program.kill();
        });
        broker = await adapter.open(adapter.engine.database(), { leaseMs: 3_000 });
        const { deliveries } = consume('killed', undefined, { concurrency: 3 });
        await isEmpty(deliveries, 20);
        const numbers = deliveries.map(({ body }) => (body as { number: number }).number);
        expect(new Set(numbers)).toEqual(new Set(Array.from({ length: 20 }, (_, index) => index + 1)));
        const second = deliveries.filter(({ attempt }) => attempt === 2).map(({ body }) => body);
        expect(second).toEqual(expect.arrayContaining([{ number: 1 }, { number: 2 }]));
        // A relay that was killed in the middle sends what it sent once more; nothing else is repeated.
        if (!adapter.mayRepeat) expect(deliveries).toHaveLength(20);
        if (round === rounds) kills.summary(`${rounds} kills, every message delivered`);
      },
    );
  });

  // The embedded engine belongs to one process.
  if (adapter.engine.name === 'postgres') {
    it('shares a queue between processes without delivering twice', async () => {
      const other = await openDatabase({ ...adapter.engine.place(), log: silent });
      const second = await adapter.open(other);
      const both = gate();
      const bodies: number[] = [];
      const work = async ({ body }: Delivery) => {
        bodies.push(body as number);
        if (mine.deliveries.length > 0 && theirs.deliveries.length > 0) both.resolve();
        await both.promise;
      };
      const mine = consume('shared', work, { concurrency: 2 });
      const theirs = consume('shared', work, { concurrency: 2, from: second });
      const calls = Array.from({ length: 10 }, (_, call) =>
        Array.from({ length: 20 }, (_, index) => ({ queue: 'shared', body: call * 20 + index })),
      );
      await Promise.all(calls.map((messages) => broker.publish(messages)));
      await isEmpty(bodies, 200);
      expect(bodies.sort((a, b) => a - b)).toEqual(Array.from({ length: 200 }, (_, index) => index));
      await second.close();
      await other.close();
    });
  }
}

/** A promise and the function that resolves it. */
export function gate(): { promise: Promise<void>; resolve(): void } {
  let resolve = (): void => undefined;
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}

/** Lets another process use the database: the embedded one belongs to one process at a time. */
async function handOver(
  engine: TestEngine,
  work: (place: { home: string; url?: string }) => Promise<void>,
): Promise<void> {
  await engine.database().close();
  try {
    await work(engine.place());
  } finally {
    await engine.reopen();
  }
}
