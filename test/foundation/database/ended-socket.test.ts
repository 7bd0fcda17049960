import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import type { Pool } from 'pg';
import { describe, expect, it } from 'vitest';
import { wrapPoolErrors } from '../../../src/foundation/database/engine.ts';

/** What the system says of a write into a connection that was torn down. */
async function writeIntoDestroyed(): Promise<Error> {
  const server = createServer();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const socket = connect((server.address() as { port: number }).port, '127.0.0.1');
  await once(socket, 'connect');
  socket.destroy();
  const error = await new Promise<Error>((resolve) =>
    socket.write('select 1', (failed) => resolve(failed ?? new Error('it was written'))),
  );
  server.close();
  return error;
}

/** What Node says where the other side has ended it (net.js, writeAfterFIN), and a stream that was ended here. */
const ENDED = { message: 'This socket has been ended by the other party', code: 'EPIPE' };
const CLOSED = { message: 'write after end', code: 'ERR_STREAM_WRITE_AFTER_END' };

describe('a statement that is written into a connection that has ended', () => {
  it.each<[string, () => Promise<Error>]>([
    ['torn down', writeIntoDestroyed],
    ['ended by the server', async () => Object.assign(new Error(ENDED.message), ENDED)],
    ['ended by ourselves', async () => Object.assign(new Error(CLOSED.message), CLOSED)],
  ])('%s, fails because the storage is in trouble', async (_name, make) => {
    const error = await make();
    const client = { query: () => Promise.reject(error), release: () => undefined };
    const pool = { connect: async () => client, end: async () => undefined };
    const connection = await wrapPoolErrors({ pool: pool as unknown as Pool, name: 'postgres' }).connect();
    await expect(connection.query('select 1', [])).rejects.toMatchObject({
      name: 'DatabaseUnavailableError',
      message: error.message,
    });
  });
});
