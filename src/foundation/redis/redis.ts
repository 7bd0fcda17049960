import { setTimeout as pause } from 'node:timers/promises';
import { Redis } from 'ioredis';
import type { Probeable } from '../health.ts';
import type { Logger } from '../log.ts';

/** A connection to Redis that reconnects by itself. */
export interface RedisConnection extends Probeable {
  /** The client. Its commands reject at once while the connection is lost, and otherwise after a short time limit. */
  readonly client: Redis;
  /** What every key of this installation begins with. */
  readonly prefix: string;
  close(): Promise<void>;
}

/** Longest wait for an answer in milliseconds; a slower cache is of no use. */
const COMMAND_LIMIT_MS = 250;
const CONNECT_LIMIT_MS = 2_000;
/** The client's message for an answer beyond that limit. */
const TIMED_OUT = 'Command timed out';
/** The pause before the connection is tried again, for each try that failed, and at most, in milliseconds. */
const RETRY_MS = { step: 100, most: 2_000 };
/** How long a close waits for the server's reply, in milliseconds. */
const QUIT_MS = 500;

/** Connects in the background, so that a start does not wait for Redis. Each loss and each reconnection is logged once. */
export function connectRedis(url: string, prefix: string, log: Logger): RedisConnection {
  const client = new Redis(url, {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    connectTimeout: CONNECT_LIMIT_MS,
    commandTimeout: COMMAND_LIMIT_MS,
    retryStrategy: (times) => Math.min(times * RETRY_MS.step, RETRY_MS.most),
  });
  let isLost = false;
  let isClosing = false;
  const lose = (error?: Error) => {
    if (!isLost && !isClosing)
      log.warn({ err: error }, 'Redis is lost: caches and rate limits are kept in this process');
    isLost = true;
  };
  client.on('error', lose);
  // A server that ends the connection in order is no error.
  client.on('close', () => lose());
  client.on('ready', () => {
    if (isLost) log.info('Redis is back');
    isLost = false;
  });
  return {
    client,
    prefix,
    async probe(signal) {
      for (;;) {
        // The client's own words for a lost connection name its options.
        if (client.status !== 'ready') throw new Error('no connection to Redis');
        try {
          await client.ping();
          return;
        } catch (error) {
          // One late answer is no loss: requests go on without it, and health waits for the next one.
          if (signal.aborted || !(error instanceof Error && error.message === TIMED_OUT)) throw error;
        }
      }
    },
    async close() {
      isClosing = true;
      await Promise.race([client.quit().catch(() => undefined), pause(QUIT_MS)]);
      client.disconnect();
    },
  };
}
