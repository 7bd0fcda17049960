import { lookup } from 'node:dns/promises';
import { connect as connectSocket, isIP, type LookupFunction, type Socket } from 'node:net';
import { buildConnector } from 'undici';
import { DeadlineError, withDeadline } from '../deadline.ts';
import { checkResolved } from './address-guard.ts';
import { normalAddress } from './addresses.ts';
import { type AllowList, bareHost } from './allow-list.ts';
import { FetchError } from './reasons.ts';

/** All addresses of a host name; rejects when there are none. */
export type Resolve = (host: string) => Promise<string[]>;

/** The system's own resolver, hosts file included. */
export const systemResolve: Resolve = async (host) =>
  (await lookup(host, { all: true, order: 'verbatim' })).map((each) => each.address);

/** Settings of the connector; times in milliseconds. */
export interface ConnectorOptions {
  allow: AllowList;
  resolve: Resolve;
  dnsMs: number;
  connectMs: number;
  /** Makes the connection itself. */
  build?: typeof buildConnector;
}

async function addressesOf(host: string, options: ConnectorOptions): Promise<string[]> {
  if (isIP(host) !== 0) return [host];
  try {
    const addresses = await withDeadline(options.dnsMs, undefined, () => options.resolve(host));
    if (addresses.length > 0) return addresses;
  } catch (error) {
    if (error instanceof DeadlineError) throw new FetchError('timeout');
    throw new FetchError('dns_failed', undefined, { cause: error });
  }
  throw new FetchError('dns_failed');
}

/** Answers every lookup with addresses that were checked before: nothing is resolved twice, so nothing can be rebound. */
function fixedLookup(addresses: string[]): LookupFunction {
  const answers = addresses.map((address) => ({ address, family: isIP(address) }));
  return (_host, options, callback) => {
    const [first] = answers;
    if (options.all === true) callback(null, answers);
    else if (first !== undefined) callback(null, first.address, first.family);
  };
}

/** A name with any private address is refused: honest hosts do not mix public and private ones. */
async function checkedAddresses(
  host: string,
  port: number,
  options: ConnectorOptions,
  ports?: ReadonlySet<number>,
): Promise<string[]> {
  const addresses = await addressesOf(host, options);
  for (const address of addresses) checkResolved(host, address, port, options.allow, ports);
  return addresses;
}

/** The target of a plain connection; one on the operator's allow-list may be private. */
export interface SocketTarget {
  host: string;
  port: number;
  isTrusted: boolean;
}

/** Opens a plain connection to checked addresses of a host; rejects with a FetchError. */
export async function guardedSocket(
  { host, port, isTrusted }: SocketTarget,
  options: Omit<ConnectorOptions, 'build'>,
  signal: AbortSignal,
): Promise<Socket> {
  const addresses = isTrusted
    ? await addressesOf(host, options)
    : await checkedAddresses(host, port, options, new Set([port]));
  const socket = connectSocket({ host, port, lookup: fixedLookup(addresses), autoSelectFamily: true });
  try {
    return await withDeadline(
      options.connectMs,
      signal,
      () =>
        new Promise<Socket>((resolve, reject) => {
          socket.once('error', (error) =>
            reject(new FetchError('connection_failed', undefined, { cause: error })),
          );
          socket.once('connect', () =>
            confirmPeer(socket, addresses, (...[error]) =>
              error === null ? resolve(socket) : reject(error),
            ),
          );
        }),
    );
  } catch (error) {
    socket.destroy();
    throw error instanceof DeadlineError ? new FetchError('timeout') : error;
  }
}

/** Connector for undici that reaches checked addresses only. */
export function guardedConnector(options: ConnectorOptions): buildConnector.connector {
  return (target, callback) => {
    const host = bareHost(target.hostname);
    const port = Number(target.port) || (target.protocol === 'https:' ? 443 : 80);
    const connect = (addresses: string[]) => {
      const connector = (options.build ?? buildConnector)({
        timeout: options.connectMs,
        lookup: fixedLookup(addresses),
        autoSelectFamily: true,
        maxCachedSessions: 0,
      });
      connector(target, (...result) => {
        const [error, socket] = result;
        if (error !== null) callback(error, null);
        else confirmPeer(socket, addresses, callback);
      });
    };
    checkedAddresses(host, port, options).then(connect, (error: Error) => callback(error, null));
  };
}

function confirmPeer(socket: Socket, addresses: string[], callback: buildConnector.Callback): void {
  const peer = normalAddress(socket.remoteAddress ?? '');
  if (peer !== undefined && addresses.some((address) => normalAddress(address) === peer)) {
    callback(null, socket);
    return;
  }
  socket.destroy();
  callback(
    new FetchError('url_not_allowed', 'The connection went to another address than the checked one.'),
    null,
  );
}
