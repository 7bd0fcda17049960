import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import { type Dispatcher, Pool } from 'undici';
import type { Probed } from '../../foundation/health.ts';

/** A request as it goes to a service. */
interface UpstreamRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly body: Readable | Buffer | null;
  readonly signal: AbortSignal;
}

/** The beginning of an answer; its body is still on the way. */
export interface UpstreamAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Readable;
}

/** A service behind the gateway. One that is switched off refuses every request. */
export interface Upstream {
  readonly name: string;
  send(request: UpstreamRequest): Promise<UpstreamAnswer>;
  /** Whether it can take requests; undefined when it is switched off. */
  readonly part: Probed | undefined;
  close(): Promise<void>;
}

/** Where a service is and how patient the gateway is with it. */
export interface UpstreamOptions {
  readonly name: string;
  /** Its address; undefined or `none` when it is switched off. */
  readonly url: string | undefined;
  /** Milliseconds until the answer begins. */
  readonly timeoutMs: number;
}

/** A service that is switched off, as connecting to it would fail. */
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
/** Milliseconds between two pieces of an answer; event streams send a heartbeat each 15 s. */
const BODY_PAUSE_MS = 60_000;
/** Open connections to one service; each event stream holds one. */
const CONNECTIONS = 1024;

function switchedOff(name: string): Upstream {
  return {
    name,
    part: undefined,
    send: () => Promise.reject(new SwitchedOff(name)),
    close: async () => undefined,
  };
}

/** Opens a service behind the gateway. */
export function createUpstream({ name, url, timeoutMs }: UpstreamOptions): Upstream {
  if (url === undefined || url === 'none') return switchedOff(name);
  const { origin, pathname } = new URL(url);
  const base = pathname.replace(/\/$/, '');
  const pool = new Pool(origin, {
    connections: CONNECTIONS,
    pipelining: 1,
    headersTimeout: timeoutMs,
    bodyTimeout: BODY_PAUSE_MS,
    connect: { timeout: CONNECT_LIMIT_MS },
  });
  return {
    name,
    async send({ path, method, ...request }) {
      const answer = await pool.request({
        ...request,
        method: method as Dispatcher.HttpMethod,
        path: `${base}${path}`,
      });
      return { status: answer.statusCode, headers: answer.headers, body: answer.body };
    },
    part: {
      async probe(signal) {
        const answer = await pool.request({ method: 'GET', path: `${base}${READY_PATH}`, signal });
        await answer.body.dump();
        if (answer.statusCode !== 200) throw new Error(`answered with status ${answer.statusCode}`);
      },
    },
    // An event stream would hold the end up for ever: what is still open is cut.
    close: () => pool.destroy(),
  };
}
