import { expect, it } from 'vitest';
import { type QueueActions, QueueConsumer } from '../../../../src/services/analysis/broker/consumer.ts';
import type { ClaimedMessage, MessageLease } from '../../../../src/services/analysis/broker/messages.ts';
import { silent } from '../../../foundation/database/engines.ts';
import { eventually } from '../../../patience.ts';

const message: ClaimedMessage = {
  id: 1,
  lease: 'lease',
  queue: 'queue',
  body: {},
  priority: 5,
  waited_ms: 1,
  attempts: 1,
  error: null,
  dead_after: null,
};

/** A consumer of a store that holds one message and can be away. */
function consumer(handle: () => Promise<void>) {
  const store = {
    away: false,
    waiting: [message],
    handedBack: [] as MessageLease[],
    removed: [] as MessageLease[],
  };
  const reach = async () => {
    if (store.away) throw new Error('the store is away');
  };
  const actions: QueueActions<ClaimedMessage> = {
    claim: async (limit) => {
      await reach();
      return store.waiting.splice(0, limit);
    },
    acknowledge: async (held) => {
      await reach();
      store.removed.push(held);
      return true;
    },
    failed: reach,
    handBack: async (held) => {
      await reach();
      store.handedBack.push(...held);
    },
  };
  const limits = { concurrency: 1, drainMs: 10, log: silent };
  return { store, consumer: new QueueConsumer('queue', actions, handle, limits) };
}

it.each([
  ['the work is done', async () => undefined],
  ['the work fails', async () => Promise.reject(new Error('broken'))],
])('hands a message back when %s while the store is away, as soon as it is there again', async (_, work) => {
  const { store, consumer: tested } = consumer(async () => {
    store.away = true;
    await work();
  });
  tested.wake();
  await eventually(() => expect(store.away).toBe(true));
  await new Promise((resolve) => setImmediate(resolve));
  tested.wake();
  await new Promise((resolve) => setImmediate(resolve));
  expect(store.handedBack).toEqual([]);
  store.away = false;
  tested.wake();
  await eventually(() => expect(store.handedBack).toEqual([message]));
  tested.wake();
  tested.stop();
  await tested.stopped;
  expect(store.handedBack).toHaveLength(1);
  expect(store.removed).toEqual([]);
});
