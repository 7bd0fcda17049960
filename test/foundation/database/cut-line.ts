import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/**
 * How a line is lost: before the statement reaches the server, after it was sent and before its answer, by the server that says
 * goodbye between two statements (the next one is written into an ended connection), or by a reset.
 */
export const CUTS = ['before', 'answer', 'ended', 'reset'] as const;
/** One way in which a line is lost. */
export type Cut = (typeof CUTS)[number];

interface Line {
  readonly inner: Socket;
  readonly outer: Socket;
}

/** A line to a PostgreSQL server that counts what is sent over it and can be cut at one of the sendings. */
export async function openCutLine(target: string) {
  const { hostname, port } = new URL(target);
  const lines = new Set<Line>();
  let sent = 0;
  let armed: { at: number; cut: Cut } | undefined;

  const lose = ({ inner, outer }: Line, cut: Cut) => {
    if (cut === 'reset') inner.resetAndDestroy();
    else inner.destroy();
    outer.destroy();
  };
  /** Cuts at the armed sending; whether it is to be kept from the server. */
  const strikes = (line: Line, data: Buffer): boolean => {
    sent += 1;
    if (armed === undefined || sent !== armed.at) return false;
    const { cut } = armed;
    armed = undefined;
    if (cut === 'answer') {
      line.outer.removeAllListeners('data');
      line.outer.once('data', () => lose(line, cut));
      line.outer.write(data);
    } else if (cut === 'ended') {
      // The answer arrives, and with it the end of the connection.
      line.outer.removeAllListeners('data');
      line.outer.once('data', (answer) => {
        line.inner.end(answer);
        line.outer.destroy();
      });
      line.outer.write(data);
    } else lose(line, cut);
    return true;
  };
  const server = createServer((inner) => {
    const outer = connect(Number(port || 5432), hostname);
    const line = { inner, outer };
    lines.add(line);
    for (const [socket, other] of [
      [inner, outer],
      [outer, inner],
    ] as const) {
      socket.on('error', () => undefined);
      socket.on('close', () => {
        lines.delete(line);
        other.end();
      });
    }
    inner.on('data', (data) => {
      if (!strikes(line, data)) outer.write(data);
    });
    outer.on('data', (data) => inner.write(data));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = new URL(target);
  url.hostname = '127.0.0.1';
  url.port = String((server.address() as { port: number }).port);
  return {
    url: url.href,
    /** Begins to count anew; with a number, the line is cut at that sending. */
    begin: (cut?: { at: number; cut: Cut }) => {
      sent = 0;
      armed = cut;
    },
    /** What was sent since. */
    sent: () => sent,
    /** Whether a cut still waits for its sending. */
    isArmed: () => armed !== undefined,
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      for (const line of lines) lose(line, 'before');
      await closed;
    },
  };
}
