import { randomUUID } from 'node:crypto';
import { connect as connectSocket, createServer, type Socket } from 'node:net';
import { Redis } from 'ioredis';
import { describe } from 'vitest';
import { connectRedis, type RedisConnection } from '../../../src/foundation/redis/redis.ts';
import { isRequired } from '../../required.ts';
import { silent } from '../database/engines.ts';

const server = process.env.LIMPEDE_TEST_REDIS ?? 'redis://127.0.0.1:6379';
const unreachable = await new Promise<string | undefined>((resolve) => {
  const client = new Redis(server, { lazyConnect: true, retryStrategy: () => null, connectTimeout: 3_000 });
  client.on('error', () => undefined);
  client
    .ping()
    .then(
      () => resolve(undefined),
      (error: Error) => resolve(error.message),
    )
    .finally(() => client.disconnect());
});

/**
 * A suite that needs Redis, looked for at LIMPEDE_TEST_REDIS; when it cannot be reached, it is skipped with the reason in its
 * name, unless LIMPEDE_TEST_REQUIRE (a comma-separated list) names `redis`.
 */
export function describeRedis(name: string, suite: () => void): void {
  if (unreachable === undefined || isRequired('redis')) describe(name, suite);
  else describe.skip(`${name} (skipped: no Redis: ${unreachable})`, suite);
}

/** Resolves when the connection can be used. */
export function ready({ client }: RedisConnection): Promise<void> {
  return client.status === 'ready'
    ? Promise.resolve()
    : new Promise((resolve) => client.once('ready', () => resolve()));
}

/** A connection with keys of its own, which are removed when it closes. */
export async function openTestRedis(
  url = server,
  prefix = `limpede-test-${randomUUID()}`,
): Promise<RedisConnection> {
  const connection = connectRedis(url, prefix, silent);
  await ready(connection);
  return {
    ...connection,
    close: async () => {
      const keys = await connection.client.keys(`${prefix}:*`).catch(() => []);
      if (keys.length > 0) await connection.client.del(...keys).catch(() => undefined);
      await connection.close();
    },
  };
}

/** A way to the server that a test can close and open again. */
export async function openGate() {
  const { hostname, port } = new URL(server);
  const sockets = new Set<Socket>();
  const gate = createServer((near) => {
    const far = connectSocket(Number(port || 6379), hostname);
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
    }
    near.pipe(far).pipe(near);
  });
  const open = (at: number) => new Promise<void>((resolve) => gate.listen(at, '127.0.0.1', resolve));
  await open(0);
  const address = gate.address();
  const at = typeof address === 'object' && address !== null ? address.port : 0;
  const close = () => {
    for (const socket of sockets) socket.destroy();
    return new Promise<void>((resolve) => gate.close(() => resolve()));
  };
  return { url: `redis://127.0.0.1:${at}`, close, reopen: () => open(at) };
}
