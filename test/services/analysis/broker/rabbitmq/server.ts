import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect as connectTcp, createServer, type Socket } from 'node:net';
import { connect } from 'amqplib';
import { describe } from 'vitest';
import { isRequired } from '../../../../required.ts';

/** The server that tests may make queues on. */
export const amqpUrl = process.env.LIMPEDE_TEST_AMQP ?? 'amqp://guest:guest@127.0.0.1:5672';
const unreachable = await connect(amqpUrl, { timeout: 3_000 }).then(
  async (model) => {
    await model.close();
    return undefined;
  },
  (error: Error) => `${new URL(amqpUrl).host}: ${error.message || error.name}`,
);

/** A suite that needs RabbitMQ: skipped with the reason in its name unless LIMPEDE_TEST_REQUIRE names `rabbitmq`. */
export function describeRabbit(name: string, suite: () => void): void {
  if (!unreachable || isRequired('rabbitmq')) describe(name, suite);
  else describe.skip(`${name} (skipped: no RabbitMQ: ${unreachable})`, suite);
}

/** A prefix of queues that no other test uses; the result removes the named queues. */
export function freshPrefix(): { prefix: string; remove(queues: readonly string[]): Promise<void> } {
  const prefix = `limpede-test-${randomUUID().slice(0, 8)}`;
  const remove = async (queues: readonly string[]) => {
    const model = await connect(amqpUrl);
    const channel = await model.createChannel();
    for (const queue of queues)
      for (const lane of ['', '.free']) await channel.deleteQueue(`${prefix}.${queue}${lane}`);
    await model.close();
  };
  return { prefix, remove };
}

/** A way to a server that can be cut; to RabbitMQ unless another address is given. `carry` takes what the server sends. */
export async function createWay(
  target = amqpUrl,
  carry = (from: Socket, to: Socket): unknown => from.pipe(to),
) {
  const { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();
  const server = createServer((inner) => {
    const outer = connectTcp(Number(port || 5672), hostname);
    for (const [from, to] of [
      [inner, outer],
      [outer, inner],
    ] as const) {
      sockets.add(from);
      from.on('error', () => undefined);
      from.on('close', () => {
        sockets.delete(from);
        to.destroy();
      });
    }
    inner.pipe(outer);
    carry(outer, inner);
  });
  const open = async (at = 0) => {
    server.listen(at, '127.0.0.1');
    await once(server, 'listening');
    return (server.address() as { port: number }).port;
  };
  const own = await open();
  const url = new URL(target);
  url.hostname = '127.0.0.1';
  url.port = String(own);
  const drop = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: url.href,
    drop,
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      drop();
      await closed;
    },
    reopen: () => open(own),
  };
}
