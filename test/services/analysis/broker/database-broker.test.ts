import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Broker, DeadLetter } from '../../../../src/services/analysis/broker/broker.ts';
import { openDatabaseBroker } from '../../../../src/services/analysis/broker/database-broker.ts';
import { forEachEngine, silent, type TestEngine } from '../../../foundation/database/engines.ts';
import { eventually, pause } from '../../../patience.ts';
import { type BrokerAdapter, brokerSuite, consumeFrom, gate, quick, whenEmpty } from './suite.ts';

const adapterOf = (engine: TestEngine): BrokerAdapter => ({
  engine,
  open: (database, options) => openDatabaseBroker(database, silent, { ...quick, ...options }),
  clear: async () => {
    await sql`delete from broker_message`.execute(engine.database().kysely<unknown>());
  },
  arrived: async () => undefined,
  choosesFromAll: true,
  knowsAges: true,
  mayRepeat: false,
  programArguments: [],
});

forEachEngine((engine) => {
  const adapter = adapterOf(engine);
  describe('as a broker', () => brokerSuite(adapter));

  describe('leases', () => {
    let broker: Broker;
    let stopping: AbortController;

    beforeEach(async () => {
      stopping = new AbortController();
      broker = await adapter.open(engine.database());
    });

    afterEach(async () => {
      stopping.abort();
      await broker.close();
      await adapter.clear();
    });

    it('keeps a message that takes longer than its lease', async () => {
      const lasting = await adapter.open(engine.database(), { leaseMs: 2_400 });
      await lasting.publish([{ queue: 'long', body: 1 }]);
      const { promise, resolve } = gate();
      const { deliveries } = consumeFrom(lasting, 'long', stopping.signal, () => promise);
      await eventually(() => expect(deliveries).toHaveLength(1));
      await pause(2_500);
      resolve();
      await whenEmpty(lasting);
      expect(deliveries).toHaveLength(1);
      await lasting.close();
    });

    it('delivers again when a lease was lost, and tells the one that lost it', async () => {
      const { promise, resolve } = gate();
      await broker.publish([{ queue: 'lost', body: 1 }]);
      const { deliveries } = consumeFrom(
        broker,
        'lost',
        stopping.signal,
        ({ attempt }) => (attempt === 1 ? promise : Promise.resolve()),
        {
          concurrency: 2,
        },
      );
      await eventually(() => expect(deliveries).toHaveLength(1));
      await sql`update broker_message set lease = gen_random_uuid(), hidden_until = clock_timestamp()`.execute(
        engine.database().kysely<unknown>(),
      );
      await eventually(() => expect(deliveries.map(({ attempt }) => attempt)).toEqual([1, 2]));
      expect(deliveries[0]?.signal.aborted).toBe(true);
      resolve();
      await whenEmpty(broker);
      expect(deliveries).toHaveLength(2);
    });

    it('a message that takes its process along three times is given up', async () => {
      await broker.publish([{ queue: 'deadly', body: 1 }]);
      const queries = engine.database().kysely<unknown>();
      // As if two processes had died with it and a third one just did.
      await sql`update broker_message set attempts = 3, lease = gen_random_uuid(),
        hidden_until = clock_timestamp()`.execute(queries);
      const letters: DeadLetter[] = [];
      const { deliveries } = consumeFrom(broker, 'deadly', stopping.signal, undefined, {
        onDeadLetter: async (letter) => {
          letters.push(letter);
        },
      });
      await whenEmpty(broker);
      expect(deliveries).toEqual([]);
      expect(letters).toMatchObject([{ queue: 'deadly', body: 1, attempts: 3, error: null }]);
    });
  });
});
