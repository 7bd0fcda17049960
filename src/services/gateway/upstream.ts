import type { Readable } from 'node:stream';
import { type Dispatcher, Pool } from 'undici';
import type { Probeable } from '../../foundation/health.ts';
import { isTracingEnabled, traceHeaders, withSpan } from '../../foundation/tracing/tracing.ts';

/** A request as it goes to a service. */
interface UpstreamRequest {
  readonly method: string;
  readonly path: string;
  /** Names and values in turn. */
  readonly headers: readonly string[];
  readonly body: Readable | Buffer | null;
  /** Milliseconds between two heartbeats, when the answer is to be a stream of events. */
  readonly heartbeatMs: number | undefined;
}

/** What takes an answer as it comes; `begun` settles when it begins or is known to fail. */
export interface AnswerHandler extends Dispatcher.DispatchHandler {
  readonly begun: Promise<void>;
  fail(error: Error): void;
}

/** A service behind the gateway. One that is switched off refuses every request. */
export interface Upstream {
  readonly name: string;
  /** Sends a request; its answer or failure goes to the handler. */
  send(request: UpstreamRequest, handler: AnswerHandler): void;
  /** Whether it can take requests; undefined when it is switched off. */
  readonly part: Probeable | undefined;
  close(): Promise<void>;
}

/** Where a service is and how patient the gateway is with it. */
export interface ServiceUpstreamOptions {
  readonly name: string;
  /** Its address; undefined when it is switched off. */
  readonly url: string | undefined;
  /** Milliseconds until the answer begins. */
  readonly timeoutMs: number;
}

/** The error for a service that is switched off, equal to that of a failed connection. */
class SwitchedOff extends Error {
  constructor(name: string) {
    super(`${name} is switched off`);
    this.name = 'SwitchedOff';
  }
}

/** Where every service says whether it can take requests. */
const READY_PATH = '/ready';
/** Milliseconds to connect; services are near. */
const CONNECT_LIMIT_MS = 3000;
/** Milliseconds between two pieces of an answer. */
const BODY_PAUSE_MS = 60_000;
/** Heartbeats of a stream of events that may fail to come. */
const LOST_HEARTBEATS = 3;
/** Milliseconds that the connection of an ended stream waits for another: a thousand that end together should not stay. */
const STREAM_IDLE_MS = 1000;
/** Open connections to one service for requests that end by themselves. */
const CONNECTIONS = 1024;

function switchedOff(name: string): Upstream {
  return {
    name,
    part: undefined,
    send: (_request, handler) => handler.fail(new SwitchedOff(name)),
    close: async () => undefined,
  };
}

/** The headers with those that carry the trace on, in place of the caller's. */
function withTrace(headers: readonly string[]): string[] {
  const own = traceHeaders();
  const others = headers.filter((_, index) => {
    const name = headers[index - (index % 2)];
    return name === undefined || own[name] === undefined;
  });
  return [...others, ...Object.entries(own).flat()];
}

/** Opens a service behind the gateway. */
export function createUpstream({ name, url, timeoutMs }: ServiceUpstreamOptions): Upstream {
  if (url === undefined) return switchedOff(name);
  const { origin, pathname } = new URL(url);
  const base = pathname.replace(/\/$/, '');
  const options = { pipelining: 1, headersTimeout: timeoutMs, connect: { timeout: CONNECT_LIMIT_MS } };
  const pool = new Pool(origin, { ...options, connections: CONNECTIONS, bodyTimeout: BODY_PAUSE_MS });
  // Each stream of events holds a connection for as long as its reader stays: other requests do not wait behind them.
  const idle = { keepAliveTimeout: STREAM_IDLE_MS, keepAliveMaxTimeout: STREAM_IDLE_MS };
  const streams = new Pool(origin, { ...options, ...idle });
  return {
    name,
    send({ path, method, heartbeatMs, headers, body }, handler) {
      const ask = () =>
        (heartbeatMs === undefined ? pool : streams).dispatch(
          {
            method: method as Dispatcher.HttpMethod,
            path: `${base}${path}`,
            headers: (isTracingEnabled() ? withTrace(headers) : headers) as string[],
            body,
            ...(heartbeatMs !== undefined && { bodyTimeout: LOST_HEARTBEATS * heartbeatMs }),
          },
          handler,
        );
      if (!isTracingEnabled()) return void ask();
      const facts = {
        name: `${method} ${name}`,
        kind: 'client' as const,
        attributes: { 'peer.service': name, 'http.request.method': method },
      };
      const traced = () => {
        ask();
        return handler.begun;
      };
      withSpan(() => facts, traced).catch(() => undefined);
    },
    part: {
      async probe(signal) {
        const answer = await pool.request({ method: 'GET', path: `${base}${READY_PATH}`, signal });
        await answer.body.dump();
        if (answer.statusCode !== 200) throw new Error(`answered with status ${answer.statusCode}`);
      },
    },
    // Open event streams would delay the close for ever, so they are cut.
    close: async () => void (await Promise.all([pool.destroy(), streams.destroy()])),
  };
}
