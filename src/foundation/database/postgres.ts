import { Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { Client, type ClientConfig, Pool } from 'pg';
import type { Logger } from '../log.ts';
import { StartError, systemCode } from '../start-error.ts';
import {
  connectionErrorReason,
  type DatabaseEngine,
  DatabaseUnavailableError,
  handleConnectionErrors,
  isUnreachable,
} from './engine.ts';
import { columnTypes } from './types.ts';
import { vacuumWithoutAutovacuum } from './vacuum.ts';

/** Connections of one process: enough to keep a few cores of the server busy, few enough for its default of 100. */
const DEFAULT_CONNECTIONS = 10;
/** How long to wait for a new or a free connection. */
const CONNECT_TIMEOUT_MS = 10_000;
/** No statement of the product needs longer; a runaway one must not hold locks for ever. */
const DEFAULT_STATEMENT_TIMEOUT_MS = 30_000;
/** A transaction that waits for its program this long has been forgotten. */
const IDLE_TRANSACTION_TIMEOUT_MS = 60_000;
/** What a server may be late with the answer of a statement that reached its time limit, before it counts as gone. */
const ANSWER_DELAY_MS = 5_000;
/** How often a connection that only listens is spoken to, and the silence after which it is given up. */
const listenPulseMs = { every: 10_000, silence: 15_000 };
/** The pause before a lost notification connection is made again. */
const LISTEN_RETRY_MS = 1_000;

/** Limits that an operator may set. */
export interface PostgresLimits {
  readonly statementTimeoutMs?: number | undefined;
  readonly connections?: number | undefined;
}

/** Opens a pool on a PostgreSQL server. Nothing is connected before the first statement. */
export function openPostgres(url: string, log: Logger, limits: PostgresLimits = {}): DatabaseEngine {
  const { statementTimeoutMs = DEFAULT_STATEMENT_TIMEOUT_MS, connections = DEFAULT_CONNECTIONS } = limits;
  const config: ClientConfig = {
    connectionString: inUtc(url),
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    statement_timeout: statementTimeoutMs,
    idle_in_transaction_session_timeout: IDLE_TRANSACTION_TIMEOUT_MS,
    keepAlive: true,
    application_name: 'limpede',
    types: columnTypes,
  };
  let waiting = 0;
  const stream = () => attentiveSocket(statementTimeoutMs + ANSWER_DELAY_MS, () => waiting > 0);
  const pool = new Pool({ ...config, stream, max: connections });
  handleConnectionErrors(pool, log);
  const listeners = new Set<() => Promise<void>>();
  const unhurried: DatabaseEngine['unhurried'] = async (work) => {
    waiting += 1;
    try {
      return await work();
    } finally {
      waiting -= 1;
    }
  };
  const vacuuming = vacuumWithoutAutovacuum({ pool, unhurried }, log);
  return {
    name: 'postgres',
    pool,
    unhurried,
    async listen(channel, onNotification) {
      const { tried, stop } = keepListening(config, log, channel, onNotification);
      listeners.add(stop);
      await tried;
      return async () => {
        listeners.delete(stop);
        await stop();
      };
    },
    async close() {
      await Promise.all([...listeners].map((stop) => stop()));
      await vacuuming.stop();
      await pool.end();
    },
  };
}

/**
 * A connection that ends itself when nothing went over it for this long, unless it may be silent. When packets vanish
 * without a word, a statement would wait for ever: its time limit is kept by the server, which is not there. Idle
 * connections are closed by the pool long before.
 */
function attentiveSocket(silenceMs: number, mayBeSilent = () => false): Socket {
  const socket = new Socket();
  socket.setTimeout(silenceMs);
  socket.on('timeout', () => {
    if (mayBeSilent()) socket.setTimeout(silenceMs);
    else socket.destroy(new DatabaseUnavailableError(`The server was silent for ${silenceMs / 1000} s`));
  });
  return socket;
}

/** Host, port and database of an address, for messages: never the user or the password. */
function place(url: string): string {
  const { host, pathname } = new URL(url);
  return `${host || 'the local socket'}${pathname}`;
}

/** A StartError that explains why a server refuses to work: database, login, permissions or disk. Any other error is returned unchanged. */
function refusedBy(url: string, error: unknown): unknown {
  const { pathname } = new URL(url);
  const database = decodeURIComponent(pathname.slice(1)) || 'of the user';
  switch (systemCode(error)) {
    case '3D000':
      return new StartError(
        `PostgreSQL at ${place(url)} has no database ${database}: create it (createdb ${database}), or correct DATABASE_URL.`,
        error,
      );
    case '28P01':
    case '28000':
      return new StartError(
        `PostgreSQL at ${place(url)} refuses the user or the password of DATABASE_URL (${connectionErrorReason(error)}).`,
        error,
      );
    case '42501':
      return new StartError(
        `The user of DATABASE_URL may not make tables at ${place(url)} (${connectionErrorReason(error)}): grant create on the schema.`,
        error,
      );
    case '53100':
      return new StartError(`The disk of PostgreSQL at ${place(url)} is full: make room there.`, error);
    default:
      return error;
  }
}

/** Repeats work while the server cannot be reached, for as long as it may take to start. */
export async function retryUntilReachable(
  url: string,
  log: Logger,
  patienceMs: number,
  work: () => Promise<void>,
): Promise<void> {
  const end = performance.now() + patienceMs;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!isUnreachable(error)) throw refusedBy(url, error);
      if (performance.now() > end) {
        throw new DatabaseUnavailableError(
          `PostgreSQL at ${place(url)} cannot be reached: ${connectionErrorReason(error)}`,
          {
            cause: error,
          },
        );
      }
      log.warn({ reason: connectionErrorReason(error) }, `waiting for PostgreSQL at ${place(url)}`);
      await pause(1_000);
    }
  }
}

/** Dates are cut into days by the server in UTC, as the embedded engine does, whatever the server's own zone is. */
function inUtc(url: string): string {
  const address = new URL(url);
  const options = address.searchParams.get('options');
  address.searchParams.set('options', `${options ?? ''} -c TimeZone=UTC`.trim());
  return address.toString();
}

interface Listening {
  /** Resolves when the first attempt to listen succeeded or failed. */
  readonly tried: Promise<void>;
  stop(): Promise<void>;
}

/** A dedicated connection that listens, and reconnects when lost; `onNotification` is then called once, with an empty payload, for notifications that were missed. */
function keepListening(
  config: ClientConfig,
  log: Logger,
  channel: string,
  onNotification: (payload: string) => void,
): Listening {
  const stopping = new AbortController();
  let markTried = (): void => undefined;
  const tried = new Promise<void>((resolve) => {
    markTried = resolve;
  });
  const listening = (async () => {
    for (let attempt = 0; !stopping.signal.aborted; attempt += 1) {
      const listens = (): void => (attempt > 0 ? onNotification('') : markTried());
      await listenOnce(config, channel, onNotification, listens, stopping.signal).catch((error) => {
        if (!stopping.signal.aborted)
          log.warn({ channel, reason: connectionErrorReason(error) }, 'notifications are lost');
      });
      markTried();
      await pause(LISTEN_RETRY_MS, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  })();
  return {
    tried,
    async stop() {
      stopping.abort();
      await listening;
    },
  };
}

async function listenOnce(
  config: ClientConfig,
  channel: string,
  onNotification: (payload: string) => void,
  listens: () => void,
  signal: AbortSignal,
): Promise<void> {
  const client = new Client({ ...config, stream: () => attentiveSocket(listenPulseMs.silence) });
  const lost = new Promise<never>((_, reject) => {
    client.on('error', reject);
    client.on('end', () => reject(new Error('the connection ended')));
  });
  lost.catch(() => undefined);
  // A connection that only listens would never find out that the server is gone.
  const pulse = setInterval(() => client.query('select').catch(() => undefined), listenPulseMs.every);
  try {
    await client.connect();
    client.on('notification', (notification) => onNotification(notification.payload ?? ''));
    await client.query(`listen ${client.escapeIdentifier(channel)}`);
    listens();
    await Promise.race([lost, aborted(signal)]);
  } finally {
    clearInterval(pulse);
    await client.end().catch(() => undefined);
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
