import { Agent, type Dispatcher } from 'undici';
import { type BreakerRules, CircuitBreaker, DEFAULT_BREAKER } from '../breaker.ts';
import type { Operation } from '../contract.ts';
import { traceHeaders } from '../tracing/tracing.ts';
import { callHeaders, encodeBody, type RequestParts, targetOf } from './request.ts';

/** Settings of one client. */
export interface ClientOptions {
  /** The dependency's name in losses. */
  name: string;
  /** Undefined when the dependency is switched off: every call is then lost at once. */
  url: string | undefined;
  token?: string | undefined;
  /** For a whole call, in milliseconds; of a streamed answer until it begins, and for each pause in it. */
  timeoutMs: number;
  connections?: number | undefined;
  /** Largest answer in bytes; of a stream of events, the largest event. */
  answerBytes?: number | undefined;
  correlationHeader?: string | undefined;
  breaker?: Partial<BreakerRules> | undefined;
  /** Clock of the breaker, in milliseconds. */
  now?: (() => number) | undefined;
}

const DEFAULT_CONNECTIONS = 32;
const CONNECT_MS = 2_000;
const KEEP_ALIVE_MS = 30_000;

/** The connection to one dependency. */
export interface Connection {
  readonly options: ClientOptions;
  readonly breaker: CircuitBreaker;
  /** Sends a request; resolves when its answer begins. */
  send(
    operation: Operation,
    parts: RequestParts,
    correlationId: string | undefined,
    signal: AbortSignal,
  ): Promise<Dispatcher.ResponseData>;
  close(): Promise<void>;
}

/** Prepares the connection to an address; nothing is opened before the first request. */
export function connectTo(options: ClientOptions, address: string): Connection {
  const { origin, pathname } = new URL(address);
  const prefix = pathname.replace(/\/+$/, '');
  const { token, correlationHeader = 'X-Correlation-Id' } = options;
  // The deadline of each call bounds headers and body together, so that the Agent's own limits are off.
  const agent = new Agent({
    connections: options.connections ?? DEFAULT_CONNECTIONS,
    pipelining: 1,
    connect: { timeout: CONNECT_MS },
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveTimeout: KEEP_ALIVE_MS,
  });
  return {
    options,
    breaker: new CircuitBreaker({ ...DEFAULT_BREAKER, ...options.breaker }, options.now),
    send: (operation, parts, correlationId, signal) => {
      const { headers, body } = encodeBody(operation, parts.body);
      return agent.request({
        origin,
        path: `${prefix}${targetOf(operation, parts)}`,
        method: operation.method,
        signal,
        headers: {
          ...headers,
          ...(token !== undefined && { authorization: `Bearer ${token}` }),
          ...(correlationId !== undefined && { [correlationHeader]: correlationId }),
          ...callHeaders(operation, parts),
          ...traceHeaders(),
        },
        body,
      });
    },
    close: () => agent.destroy(),
  };
}
