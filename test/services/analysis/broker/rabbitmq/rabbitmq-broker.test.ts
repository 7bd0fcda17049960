import { connect } from 'amqplib';
import { sql } from 'kysely';
import { afterEach, describe, expect, it } from 'vitest';
import type { Broker, DeadLetter, Reservation } from '../../../../../src/services/analysis/broker/broker.ts';
import { openRabbitBroker } from '../../../../../src/services/analysis/broker/rabbitmq/rabbitmq-broker.ts';
import { forEachEngine, silent, type TestEngine } from '../../../../foundation/database/engines.ts';
import { eventually } from '../../../../patience.ts';
import { type BrokerAdapter, brokerSuite, consumeFrom, gate, quick, whenEmpty } from '../suite.ts';
import { createFrameHold, METHODS } from './held-frames.ts';
import { amqpUrl, createWay, describeRabbit, freshPrefix } from './server.ts';

/** A consumer of such a queue has one message more at hand than it works on. */
const twoLanes: Reservation = { queues: new Set(['lanes']), upTo: 3, every: 4 };

describeRabbit('RabbitMQ', () => {
  forEachEngine((engine: TestEngine) => {
    const { prefix, remove } = freshPrefix();
    const queries = () => engine.database().kysely<unknown>();
    const open = (url: string, options = {}) =>
      openRabbitBroker(engine.database(), silent, { ...quick, url, prefix, ...options });

    const adapter: BrokerAdapter = {
      engine,
      open: (database, options) =>
        openRabbitBroker(database, silent, { ...quick, ...options, url: amqpUrl, prefix }),
      clear: async () => {
        const { rows } = await sql<{ queue: string }>`select queue from broker_queue`.execute(queries());
        await remove(rows.map(({ queue }) => queue));
        for (const table of ['outbox', 'queue', 'loss', 'work'])
          await sql`delete from ${sql.table(`broker_${table}`)}`.execute(queries());
      },
      // What is in the outbox still has an age.
      arrived: async (broker, queue, count) => {
        await eventually(async () => {
          expect((await broker.depth())[queue]).toMatchObject({ depth: count, oldest_age_ms: null });
        });
      },
      choosesFromAll: false,
      knowsAges: false,
      mayRepeat: true,
      programArguments: [amqpUrl, prefix],
    };
    describe('as a broker', () => brokerSuite(adapter));

    const opened: Broker[] = [];
    const ways: Awaited<ReturnType<typeof createWay>>[] = [];
    const stopping: AbortController[] = [];
    const signal = () => {
      const controller = new AbortController();
      stopping.push(controller);
      return controller.signal;
    };
    afterEach(async () => {
      for (const controller of stopping.splice(0)) controller.abort();
      for (const broker of opened.splice(0)) await broker.close();
      for (const way of ways.splice(0)) await way.close();
      await adapter.clear();
    });

    it('goes on over a new connection, and a cut one costs no attempt', async () => {
      const way = await createWay();
      const broker = await open(way.url);
      opened.push(broker);
      const { promise, resolve } = gate();
      const { deliveries } = consumeFrom(broker, 'cut', signal(), ({ signal: given }) =>
        deliveries.length === 1
          ? new Promise((_, reject) => given.addEventListener('abort', () => reject(given.reason)))
          : promise,
      );
      await broker.publish([{ queue: 'cut', body: 1 }]);
      await eventually(() => expect(deliveries).toHaveLength(1));
      way.drop();
      await eventually(() => expect(deliveries[0]?.signal.aborted).toBe(true));
      await eventually(() => expect(deliveries.map(({ attempt }) => attempt)).toEqual([1, 1]));
      resolve();
      await whenEmpty(broker);
      await way.close();
    });

    it('takes messages while the server is away, says so, and delivers them when it is back', async () => {
      const way = await createWay();
      const broker = await open(way.url);
      opened.push(broker);
      const healthy = () => broker.probe(AbortSignal.timeout(1_000));
      await eventually(healthy);
      await way.close();
      await eventually(() => expect(healthy()).rejects.toThrow(/RabbitMQ: /));
      await broker.publish([1, 2, 3].map((body) => ({ queue: 'away', body })));
      const { deliveries } = consumeFrom(broker, 'away', signal());
      expect(await broker.depth()).toMatchObject({ away: { depth: 3 } });
      await way.reopen();
      await eventually(() => expect(deliveries.map(({ body }) => body)).toEqual([1, 2, 3]));
      await eventually(healthy);
      await whenEmpty(broker);
      await way.close();
    });

    it('passes messages on without the outbox, and by it while the server is away', async () => {
      const way = await createWay();
      const broker = await open(way.url);
      opened.push(broker);
      const stored = async () => {
        const { rows } = await sql<{
          last: string;
        }>`select last_value::text as last from broker_outbox_id_seq`.execute(queries());
        return rows[0]?.last;
      };
      const { deliveries } = consumeFrom(broker, 'passed', signal());
      // Until the relay has seen that nothing older waits, messages queue up behind what might.
      await eventually(async () => {
        const before = await stored();
        await broker.passOn([{ queue: 'passed', body: 'sent' }]);
        expect(await stored()).toBe(before);
      });
      await way.close();
      await eventually(() => expect(broker.probe(AbortSignal.timeout(1_000))).rejects.toThrow(/RabbitMQ: /));
      await broker.passOn([{ queue: 'passed', body: 'stored' }]);
      expect(await broker.depth()).toMatchObject({ passed: { depth: 1 } });
      await way.reopen();
      await eventually(() => expect(deliveries.at(-1)?.body).toBe('stored'));
      await whenEmpty(broker);
      await way.close();
    });

    /** A broker whose connection leads over a way on which frames can be held. */
    const openHeld = async () => {
      const frames = createFrameHold();
      const way = await createWay(amqpUrl, frames.carry);
      const broker = await open(way.url, { retryPausesMs: [600_000], reservation: twoLanes });
      opened.push(broker);
      ways.push(way);
      return { frames, broker };
    };

    /** Resolves when so many messages are in the outbox. */
    const inOutbox = (count: number) =>
      eventually(async () => {
        const { rows } = await sql`select id from broker_outbox`.execute(queries());
        expect(rows).toHaveLength(count);
      });

    it('counts a message that goes back to the outbox while it counts', async () => {
      const { frames, broker } = await openHeld();
      const [first, second] = [gate(), gate()];
      const { deliveries } = consumeFrom(broker, 'back', signal(), async ({ body }) => {
        if (body === 2) return second.promise;
        await first.promise;
        throw new Error('not yet');
      });
      await broker.publish([{ queue: 'back', body: 1 }]);
      await eventually(() => expect(deliveries).toHaveLength(1));
      await inOutbox(0);
      frames.hold(METHODS.declared);
      const counting = broker.depth();
      // It has looked into the outbox and into RabbitMQ, whose answer is held.
      await eventually(() => expect(frames.count()).toBeGreaterThan(0));
      await broker.publish([{ queue: 'back', body: 2 }]);
      first.resolve();
      // RabbitMQ hands out the second one when this process no longer has the first.
      await eventually(() => expect(deliveries.map(({ body }) => body)).toEqual([1, 2]));
      frames.release();
      expect(await counting).toMatchObject({ back: { depth: 1, in_flight: 1 } });
      second.resolve();
    });

    it('counts a message that was handed out and is not read yet', async () => {
      const { frames, broker } = await openHeld();
      const { promise, resolve } = gate();
      const { deliveries } = consumeFrom(broker, 'unread', signal(), () => promise);
      frames.hold(METHODS.delivered);
      await broker.publish([{ queue: 'unread', body: 1 }]);
      // A delivery is a method, a header and a body.
      await eventually(() => expect(frames.count()).toBe(3));
      await inOutbox(0);
      let isCounted = false;
      const counting = broker.depth().finally(() => {
        isCounted = true;
      });
      await eventually(() => expect(isCounted || frames.count() > 3).toBe(true));
      frames.release();
      const { unread } = await counting;
      expect((unread?.depth ?? 0) + (unread?.in_flight ?? 0)).toBe(1);
      resolve();
      await eventually(() => expect(deliveries).toHaveLength(1));
    });

    /** All of so many new messages come to one consumer, so that no other one takes any. */
    const takesAll = async (broker: Broker, queue: string, count: number) => {
      const bodies = Array.from({ length: count }, (_, body) => body);
      const { deliveries } = consumeFrom(broker, queue, signal());
      await broker.publish(bodies.map((body) => ({ queue, body })));
      await eventually(() =>
        expect(deliveries.map(({ body }) => body).toSorted((one, two) => Number(one) - Number(two))).toEqual(
          bodies,
        ),
      );
    };

    it('takes nothing for a consumer that was stopped before it began', async () => {
      const broker = await open(amqpUrl);
      opened.push(broker);
      await eventually(() => broker.probe(AbortSignal.timeout(1_000)));
      const { deliveries, stopped } = consumeFrom(broker, 'never', AbortSignal.abort());
      await stopped;
      await takesAll(broker, 'never', 6);
      expect(deliveries).toEqual([]);
    });

    it('takes nothing for a stopped consumer over a new connection', async () => {
      const way = await createWay();
      ways.push(way);
      const broker = await open(way.url, { drainMs: 5_000 });
      opened.push(broker);
      const { promise, resolve } = gate();
      const consumer = new AbortController();
      const { deliveries } = consumeFrom(broker, 'lanes', consumer.signal, () => promise);
      await broker.publish([{ queue: 'lanes', body: 'long' }]);
      await eventually(() => expect(deliveries).toHaveLength(1));
      // What the server did not confirm before the connection ends is sent once more.
      await inOutbox(0);
      consumer.abort();
      way.drop();
      await eventually(() => expect(deliveries[0]?.signal.aborted).toBe(true));
      await eventually(() => broker.probe(AbortSignal.timeout(1_000)));
      const again = consumeFrom(broker, 'lanes', signal());
      // The one whose connection was cut comes again, to the new consumer.
      await eventually(() => expect(again.deliveries.map(({ body }) => body)).toEqual(['long']));
      resolve();
      await whenEmpty(broker);
    });

    it('has handed back what waited for a place when it is closed', async () => {
      const { frames, broker } = await openHeld();
      const { promise, resolve } = gate();
      const { deliveries } = consumeFrom(broker, 'lanes', signal(), () => promise);
      await broker.publish([1, 2].map((body) => ({ queue: 'lanes', body })));
      await eventually(() => expect(deliveries).toHaveLength(1));
      await eventually(async () => {
        expect(await broker.depth()).toMatchObject({ lanes: { depth: 1, in_flight: 1 } });
      });
      await inOutbox(0);
      frames.hold(METHODS.cancelled);
      const closed = broker.close();
      resolve();
      await eventually(() => expect(frames.count()).toBeGreaterThan(0));
      frames.release();
      await closed;
      // Else RabbitMQ would deliver it again as one that may have taken its process along.
      const later = await open(amqpUrl, { reservation: twoLanes });
      opened.push(later);
      const again = consumeFrom(later, 'lanes', signal());
      await eventually(() => expect(again.deliveries).toMatchObject([{ body: 2, attempt: 1 }]));
    });

    // The embedded engine has one connection, which a lock would stop.
    if (engine.name === 'postgres') {
      /** Runs `work` while nothing can be put into the outbox; it gets what resolves when somebody tries to. */
      const withoutWayBack = (work: (tried: () => Promise<unknown>) => Promise<void>) =>
        queries()
          .transaction()
          .execute(async (change) => {
            await sql`lock table broker_outbox in share mode`.execute(change);
            await work(() =>
              eventually(async () => {
                const { rows } = await sql`select pid from pg_stat_activity where datname = current_database()
                  and wait_event_type = 'Lock' and query ilike '%insert into broker_outbox%'`.execute(
                  queries(),
                );
                expect(rows).toHaveLength(1);
              }),
            );
          });

      it('counts a message that is about to go back to the outbox', async () => {
        const { broker } = await openHeld();
        const { promise, resolve } = gate();
        const { deliveries } = consumeFrom(broker, 'failing', signal(), async () => {
          await promise;
          throw new Error('not yet');
        });
        await broker.publish([{ queue: 'failing', body: 1 }]);
        await eventually(() => expect(deliveries).toHaveLength(1));
        await inOutbox(0);
        await withoutWayBack(async (tried) => {
          resolve();
          await tried();
          expect(await broker.depth()).toMatchObject({ failing: { depth: 1, in_flight: 0 } });
        });
        await inOutbox(1);
        expect(await broker.depth()).toMatchObject({ failing: { depth: 1, in_flight: 0 } });
      });

      it('counts a message that its stopped consumer hands back', async () => {
        const { broker } = await openHeld();
        const { promise, resolve } = gate();
        const consumer = new AbortController();
        const { deliveries, stopped } = consumeFrom(broker, 'lanes', consumer.signal, () => promise);
        await broker.publish([1, 2].map((body) => ({ queue: 'lanes', body })));
        await eventually(() => expect(deliveries).toHaveLength(1));
        await eventually(async () => {
          expect(await broker.depth()).toMatchObject({ lanes: { depth: 1, in_flight: 1 } });
        });
        await inOutbox(0);
        await withoutWayBack(async (tried) => {
          consumer.abort();
          resolve();
          await stopped;
          await tried();
          expect(await broker.depth()).toMatchObject({ lanes: { depth: 1, in_flight: 0 } });
        });
      });
    }

    it('gives up a message that took its process along three times', async () => {
      const broker = await open(amqpUrl);
      opened.push(broker);
      await broker.publish([{ queue: 'deadly', body: 1 }]);
      await adapter.arrived(broker, 'deadly', 1);
      // As if two processes had died with it, and a third one just does.
      const model = await connect(amqpUrl);
      const channel = await model.createChannel();
      const message = await channel.get(`${prefix}.deadly`);
      await sql`insert into broker_loss (message_id, losses)
        values (${message === false ? '' : message.properties.messageId}::uuid, 2)`.execute(queries());
      await model.close();
      const letters: DeadLetter[] = [];
      const { deliveries } = consumeFrom(broker, 'deadly', signal(), undefined, {
        onDeadLetter: async (letter) => {
          letters.push(letter);
        },
      });
      await whenEmpty(broker, letters, 1);
      expect(deliveries).toEqual([]);
      expect(letters).toMatchObject([{ queue: 'deadly', body: 1, attempts: 3, error: null }]);
    });

    it('drops what is no message of ours, and goes on', async () => {
      const broker = await open(amqpUrl);
      opened.push(broker);
      const { deliveries } = consumeFrom(broker, 'foreign', signal());
      await broker.publish([{ queue: 'foreign', body: 'first' }]);
      await eventually(() => expect(deliveries).toHaveLength(1));
      const model = await connect(amqpUrl);
      const channel = await model.createConfirmChannel();
      channel.sendToQueue(`${prefix}.foreign`, Buffer.from('not JSON'));
      await channel.waitForConfirms();
      await model.close();
      await broker.publish([{ queue: 'foreign', body: 'second' }]);
      await whenEmpty(broker, deliveries, 2);
      expect(deliveries.map(({ body }) => body)).toEqual(['first', 'second']);
    });
  });
});
