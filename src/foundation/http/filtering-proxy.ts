import {
  createServer,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  request as openRequest,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { buildConnector } from 'undici';
import { checkAddress, hostOf, portOf } from './address-guard.ts';
import type { AllowList } from './allow-list.ts';
import { FetchError, type FetchReason, reasonOf } from './reasons.ts';

/** A proxy for one page of a browser: it reaches what the guard allows, counts, and ends with the page. */
export interface FilteringProxy {
  /** On the loopback interface. */
  readonly url: string;
  /** Why requests to a host failed; undefined when none did. */
  failure(host: string): FetchReason | undefined;
  /** Whether the byte limit was exceeded; all connections were closed then. */
  readonly isOverdrawn: boolean;
  /** Calls when that happens. */
  onOverdrawn(tell: () => void): void;
  close(): Promise<void>;
}

/** What a proxy works with. */
interface ProxyOptions {
  readonly connector: buildConnector.connector;
  readonly allow: AllowList;
  /** Bytes of all answers of the page together. */
  readonly wireBytes: number;
}

/** Connections of one page at once; a browser opens six to a host. */
const MOST_CONNECTIONS = 64;
/** Headers that belong to one connection (RFC 9110 section 7.6.1). */
const HOP_HEADERS = [
  'connection',
  'proxy-connection',
  'proxy-authorization',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
];

/** What one proxy has open, and how much came. */
class Traffic {
  readonly failures = new Map<string, FetchReason>();
  isOverdrawn = false;
  tell = () => {};
  private readonly sockets = new Set<Duplex>();
  private bytes = 0;
  private readonly most: number;

  constructor(most: number) {
    this.most = most;
  }

  keep<Held extends Duplex>(socket: Held): Held {
    this.sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.once('close', () => this.sockets.delete(socket));
    return socket;
  }

  count(chunk: Buffer): void {
    this.bytes += chunk.byteLength;
    if (this.bytes <= this.most) return;
    if (this.isOverdrawn) return;
    this.isOverdrawn = true;
    this.end();
    this.tell();
  }

  end(): void {
    for (const socket of this.sockets) socket.destroy();
  }

  /** Opens nothing once the byte limit was exceeded. */
  check(): void {
    if (this.isOverdrawn) throw new FetchError('too_large');
  }
}

/** A connection to a checked address of the host. */
function reach({ connector }: ProxyOptions, url: URL, traffic: Traffic): Promise<Socket> {
  traffic.check();
  return new Promise((resolve, reject) => {
    const target = { hostname: hostOf(url), host: url.host, protocol: 'http:', port: String(portOf(url)) };
    connector(target, (...[error, socket]) => {
      if (error !== null) reject(error);
      else resolve(traffic.keep(socket));
    });
  });
}

function ownHeaders(headers: IncomingMessage['headers']): OutgoingHttpHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !HOP_HEADERS.includes(name)));
}

/** An open request: its address is absolute. */
async function relay(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  options: ProxyOptions,
  traffic: Traffic,
): Promise<void> {
  const url = checkAddress(incoming.url ?? '', options.allow);
  const socket = await reach(options, url, traffic);
  await new Promise<void>((resolve, reject) => {
    const upstream = openRequest(
      {
        createConnection: () => socket,
        method: incoming.method ?? 'GET',
        path: `${url.pathname}${url.search}`,
        headers: { ...ownHeaders(incoming.headers), host: url.host, connection: 'close' },
        setHost: false,
      },
      (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, ownHeaders(answer.headers));
        answer.on('data', (chunk: Buffer) => traffic.count(chunk));
        answer.once('error', reject);
        answer.pipe(outgoing).once('close', resolve);
      },
    );
    upstream.once('error', reject);
    incoming.pipe(upstream);
  });
}

/** An encrypted connection: bytes pass as they are, to the checked address. */
async function tunnel(
  incoming: IncomingMessage,
  socket: Duplex,
  options: ProxyOptions,
  traffic: Traffic,
): Promise<void> {
  const url = checkAddress(`https://${incoming.url ?? ''}/`, options.allow);
  const upstream = await reach(options, url, traffic);
  upstream.on('data', (chunk: Buffer) => traffic.count(chunk));
  socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
  upstream.pipe(socket);
  socket.pipe(upstream);
  socket.once('close', () => upstream.destroy());
  upstream.once('close', () => socket.destroy());
}

/** The host that a request names, as failures are kept. */
function hostNamed(address: string): string {
  try {
    return hostOf(new URL(address));
  } catch {
    return address;
  }
}

function listen(options: ProxyOptions, traffic: Traffic): Server {
  const server = createServer({ maxHeaderSize: 64 * 1024 });
  server.maxConnections = MOST_CONNECTIONS;
  const failed = (address: string, error: unknown) =>
    traffic.failures.set(hostNamed(address), reasonOf(error));
  server.on('connection', (socket) => traffic.keep(socket));
  server.on('request', (incoming, outgoing) => {
    relay(incoming, outgoing, options, traffic).catch((error: unknown) => {
      failed(incoming.url ?? '', error);
      outgoing.destroy();
    });
  });
  server.on('connect', (incoming, socket) => {
    tunnel(incoming, traffic.keep(socket), options, traffic).catch((error: unknown) => {
      failed(`https://${incoming.url ?? ''}`, error);
      socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
    });
  });
  server.on('upgrade', (_incoming, socket) => socket.destroy());
  return server;
}

/** Starts a proxy on a free port of the loopback interface. */
export async function startFilteringProxy(options: ProxyOptions): Promise<FilteringProxy> {
  const traffic = new Traffic(options.wireBytes);
  const server = listen(options, traffic);
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    failure: (host) => traffic.failures.get(host),
    get isOverdrawn() {
      return traffic.isOverdrawn;
    },
    onOverdrawn: (tell) => {
      traffic.tell = tell;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        traffic.end();
      }),
  };
}
