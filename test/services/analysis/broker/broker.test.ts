import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openDatabase } from '../../../../src/foundation/database/database.ts';
import type {
  Broker,
  BrokerTimes,
  DeadLetter,
  Delivery,
} from '../../../../src/services/analysis/broker/broker.ts';
import { openDatabaseBroker } from '../../../../src/services/analysis/broker/database-broker.ts';
import { forEachEngine, silent, type TestEngine } from '../../../foundation/database/engines.ts';
import { startProgram } from '../../../foundation/database/programs.ts';

const quick: Partial<BrokerTimes> = { leaseMs: 3_000, retryPausesMs: [20, 40], drainMs: 100 };
const patient = { timeout: 20_000, interval: 10 };

forEachEngine((engine) => {
  let broker: Broker;
  let stopping: AbortController;

  beforeEach(async () => {
    stopping = new AbortController();
    broker = await openDatabaseBroker(engine.database(), silent, quick);
  });

  afterEach(async () => {
    stopping.abort();
    await broker.close();
    await sql`delete from broker_message`.execute(engine.database().kysely<unknown>());
  });

  /** Consumes with a handler that does nothing unless one is given; the result grows with each delivery. */
  function consume(
    queue: string,
    handler: (delivery: Delivery) => Promise<void> = async () => undefined,
    options: {
      concurrency?: number;
      onDeadLetter?: (letter: DeadLetter) => Promise<void>;
      from?: Broker;
    } = {},
  ) {
    const { concurrency = 1, from = broker, ...rest } = options;
    const deliveries: Delivery[] = [];
    const consumer = from.consume(
      queue,
      async (delivery) => {
        deliveries.push(delivery);
        await handler(delivery);
      },
      { concurrency, signal: stopping.signal, ...rest },
    );
    return { deliveries, stopped: consumer.stopped };
  }

  const isEmpty = () => vi.waitFor(async () => expect(await broker.depth()).toEqual({}), patient);

  it('delivers a message once and forgets it when the handler is done', async () => {
    await broker.publish([{ queue: 'one', body: { text: 'știre\0 \ud83d 🙂' } }]);
    const { deliveries } = consume('one');
    await isEmpty();
    expect(deliveries).toHaveLength(1);
    expect(deliveries[0]).toMatchObject({
      queue: 'one',
      attempt: 1,
      priority: 5,
      body: { text: 'știre\0 \ud83d 🙂' },
    });
    await broker.publish([]);
  });

  it('delivers what is published while it waits', async () => {
    const { deliveries } = consume('later');
    await vi.waitFor(() => expect(deliveries).toHaveLength(0));
    await broker.publish([{ queue: 'later', body: 1 }]);
    await vi.waitFor(() => expect(deliveries).toHaveLength(1), patient);
  });

  it('delivers higher priorities first, and within one what came first', async () => {
    const priorities = [3, 10, 5, undefined, 1, 10, 3] as const;
    await broker.publish(
      priorities.map((priority, body) => ({ queue: 'order', body, ...(priority && { priority }) })),
    );
    const { deliveries } = consume('order');
    await isEmpty();
    expect(deliveries.map(({ body }) => body)).toEqual([1, 5, 2, 3, 0, 6, 4]);
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
    const publishing = (body: string, fail: boolean) =>
      engine
        .database()
        .kysely<{ note: { id: number } }>()
        .transaction()
        .execute(async (transaction) => {
          await broker.publish([{ queue: 'outbox', body }], { transaction });
          expect(deliveries.map((delivery) => delivery.body)).not.toContain(body);
          if (fail) throw new Error('on purpose');
        });
    await expect(publishing('rolled back', true)).rejects.toThrow('on purpose');
    await publishing('committed', false);
    await isEmpty();
    expect(deliveries.map(({ body }) => body)).toEqual(['committed']);
  });

  it('works on as many messages at once as it may, never more', async () => {
    let now = 0;
    let most = 0;
    await broker.publish(Array.from({ length: 12 }, (_, body) => ({ queue: 'many', body })));
    const { deliveries } = consume(
      'many',
      async () => {
        now += 1;
        most = Math.max(most, now);
        await new Promise((resolve) => setTimeout(resolve, 5));
        now -= 1;
      },
      { concurrency: 4 },
    );
    await isEmpty();
    expect(deliveries).toHaveLength(12);
    expect(most).toBe(4);
  });

  it('tries a failed message again after others, then tells of its death with the last error', async () => {
    const letters: DeadLetter[] = [];
    await broker.publish([
      { queue: 'failing', body: 'bad', priority: 9 },
      { queue: 'failing', body: 'good' },
    ]);
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
    await isEmpty();
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
    await vi.waitFor(
      async () => expect(await broker.depth()).toMatchObject({ 'dying.dead': { depth: 1, in_flight: 0 } }),
      patient,
    );
    let told = 0;
    const onDeadLetter = async ({ error }: DeadLetter) => {
      told += 1;
      if (told === 1) throw new Error('the teller failed');
      expect(error).toBe('always');
    };
    consume('dying', failing, { onDeadLetter });
    await isEmpty();
    expect(told).toBe(2);
  });

  it('counts what waits and what is in hand', async () => {
    const { promise, resolve } = gate();
    await broker.publish([1, 2, 3].map((body) => ({ queue: 'counted', body })));
    const { deliveries } = consume('counted', () => promise);
    await vi.waitFor(() => expect(deliveries).toHaveLength(1), patient);
    const { counted } = await broker.depth();
    expect(counted).toEqual({ depth: 2, in_flight: 1, oldest_age_ms: expect.any(Number) });
    expect(counted?.oldest_age_ms).toBeGreaterThanOrEqual(0);
    resolve();
    await isEmpty();
  });

  it('lets the work in hand finish when it is stopped, and takes no more', async () => {
    const { promise, resolve } = gate();
    await broker.publish([1, 2].map((body) => ({ queue: 'stopping', body })));
    const { deliveries, stopped } = consume('stopping', () => promise);
    await vi.waitFor(() => expect(deliveries).toHaveLength(1), patient);
    stopping.abort();
    resolve();
    await stopped;
    expect(deliveries[0]?.signal.aborted).toBe(false);
    expect(await broker.depth()).toMatchObject({ stopping: { depth: 1, in_flight: 0 } });
  });

  it('hands work back that does not finish in time, and that delivery does not count', async () => {
    await broker.publish([{ queue: 'handed back', body: 1 }]);
    const { deliveries, stopped } = consume('handed back', () => new Promise(() => undefined));
    await vi.waitFor(() => expect(deliveries).toHaveLength(1), patient);
    stopping.abort();
    await stopped;
    expect(deliveries[0]?.signal.aborted).toBe(true);
    stopping = new AbortController();
    const again = consume('handed back');
    await isEmpty();
    expect(again.deliveries).toMatchObject([{ attempt: 1 }]);
  });

  it('keeps a message that takes longer than its lease', async () => {
    const lasting = await openDatabaseBroker(engine.database(), silent, { ...quick, leaseMs: 600 });
    await lasting.publish([{ queue: 'long', body: 1 }]);
    const work = () => new Promise<void>((resolve) => setTimeout(resolve, 2_000));
    const { deliveries } = consume('long', work, { from: lasting });
    await isEmpty();
    expect(deliveries).toHaveLength(1);
    await lasting.close();
  });

  it('delivers again when a lease was lost, and tells the one that lost it', async () => {
    const { promise, resolve } = gate();
    await broker.publish([{ queue: 'lost', body: 1 }]);
    const { deliveries } = consume('lost', ({ attempt }) => (attempt === 1 ? promise : Promise.resolve()), {
      concurrency: 2,
    });
    await vi.waitFor(() => expect(deliveries).toHaveLength(1), patient);
    await sql`update broker_message set lease = gen_random_uuid(), hidden_until = clock_timestamp()`.execute(
      engine.database().kysely<unknown>(),
    );
    await vi.waitFor(() => expect(deliveries.map(({ attempt }) => attempt)).toEqual([1, 2]), patient);
    expect(deliveries[0]?.signal.aborted).toBe(true);
    resolve();
    await isEmpty();
    expect(deliveries).toHaveLength(2);
  });

  describe('after a kill', { timeout: 90_000 }, () => {
    it('every stored message is delivered, those in hand a second time', async () => {
      await broker.close();
      await handOver(engine, async ({ home, url }) => {
        const program = startProgram('services/analysis/broker/programs/hold-messages.ts', [
          home,
          url ?? '',
          '1500',
          '20',
        ]);
        await program.printed(() => program.lines.filter((line) => line.startsWith('holds')).length === 2);
        await program.kill();
      });
      broker = await openDatabaseBroker(engine.database(), silent, { ...quick, leaseMs: 1_500 });
      const { deliveries } = consume('killed', undefined, { concurrency: 3 });
      await isEmpty();
      const numbers = deliveries.map(({ body, attempt }) => ({ ...(body as { number: number }), attempt }));
      expect(numbers.sort((a, b) => a.number - b.number)).toEqual(
        Array.from({ length: 20 }, (_, index) => ({ number: index + 1, attempt: index < 2 ? 2 : 1 })),
      );
    });

    it('a message that takes its process along three times is given up', async () => {
      await broker.publish([{ queue: 'deadly', body: 1 }]);
      const queries = engine.database().kysely<unknown>();
      // As if two processes had died with it and a third one just did.
      await sql`update broker_message set attempts = 3, lease = gen_random_uuid(),
        hidden_until = clock_timestamp()`.execute(queries);
      const letters: DeadLetter[] = [];
      const { deliveries } = consume('deadly', undefined, {
        onDeadLetter: async (letter) => {
          letters.push(letter);
        },
      });
      await isEmpty();
      expect(deliveries).toEqual([]);
      expect(letters).toMatchObject([{ queue: 'deadly', body: 1, attempts: 3, error: null }]);
    });
  });

  // The embedded engine belongs to one process.
  if (engine.name === 'postgres') {
    it('shares a queue between processes without delivering twice', async () => {
      const other = await openDatabase({ ...engine.place(), log: silent });
      const second = await openDatabaseBroker(other, silent, quick);
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
      await isEmpty();
      expect(bodies.sort((a, b) => a - b)).toEqual(Array.from({ length: 200 }, (_, index) => index));
      await second.close();
      await other.close();
    });
  }
});

/** A promise and the function that resolves it. */
function gate(): { promise: Promise<void>; resolve(): void } {
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
