import { connect, createServer, type Server, type Socket } from 'node:net';

/** What can be wrong with a dependency. */
export const FAULTS = ['absent', 'refusing', 'hanging', 'dripping', 'failing', 'babbling'] as const;
/** One of them. */
export type Fault = (typeof FAULTS)[number];

/** Milliseconds between two bytes of an answer that never ends. */
const DRIP_MS = 250;

const HEAD = 'content-type: application/json\r\nconnection: close\r\n';
const ANSWERS = {
  failing: `HTTP/1.1 500 Internal Server Error\r\n${HEAD}content-length: 2\r\n\r\n{}`,
  babbling: `HTTP/1.1 200 OK\r\n${HEAD}content-length: 27\r\n\r\n{"ok":true,"keys":"rubbish"}`.slice(0, -1),
  dripping: `HTTP/1.1 200 OK\r\n${HEAD}content-length: 100000\r\n\r\n`,
} as const;
/** For what speaks another protocol. */
const RUBBISH = Buffer.from(Array.from({ length: 400 }, (_, index) => (index * 97 + 13) % 256));

/** A way to a dependency on which it can be made to fail, for connections that stand and for new ones. */
export interface FaultyWay {
  readonly port: number;
  /** Makes the dependency fail in a way; undefined lets everything through again. */
  fail(fault: Fault | undefined): Promise<void>;
  close(): Promise<void>;
}

/** Opens a way to a server on this machine. */
export async function openFaultyWay(to: number, protocol: 'http' | 'other'): Promise<FaultyWay> {
  const sockets = new Set<Socket>();
  const timers = new Set<NodeJS.Timeout>();
  let fault: Fault | undefined;
  const keep = (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
    return socket;
  };
  const drip = (near: Socket) => {
    const timer = setInterval(() => near.write(' '), DRIP_MS);
    timers.add(timer);
    near.on('close', () => clearInterval(timer));
  };
  const misbehave = (near: Socket, how: Exclude<Fault, 'absent'>) => {
    if (how === 'refusing') return near.resetAndDestroy();
    if (how === 'hanging') return near.resume();
    if (protocol === 'other') near.write(RUBBISH.subarray(0, how === 'dripping' ? 1 : undefined));
    else near.once('data', () => near.write(ANSWERS[how]));
    if (how === 'dripping') drip(near);
    return near.resume();
  };
  const server: Server = createServer((near) => {
    keep(near);
    if (fault !== undefined && fault !== 'absent') return void misbehave(near, fault);
    const far = keep(connect(to, '127.0.0.1'));
    near.on('close', () => far.destroy());
    far.on('close', () => near.destroy());
    near.pipe(far).pipe(near);
  });
  const listen = (port: number) => new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const stop = () => new Promise<void>((resolve) => server.close(() => resolve()));
  const drop = () => {
    for (const timer of timers) clearInterval(timer);
    timers.clear();
    for (const socket of sockets) socket.destroy();
  };
  await listen(0);
  const { port } = server.address() as { port: number };
  return {
    port,
    fail: async (next) => {
      // What hangs says nothing more on connections that stand, either.
      if (next === 'hanging') for (const socket of sockets) socket.unpipe().pause();
      else drop();
      if (next === 'absent') await stop();
      else if (fault === 'absent') await listen(port);
      fault = next;
    },
    close: async () => {
      drop();
      if (server.listening) await stop();
    },
  };
}
