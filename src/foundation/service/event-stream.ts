import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import type { EventsAnswer } from '../payloads.ts';
import type { OpenCall } from './call.ts';

/** An event of any contract. */
interface AnyEvent {
  readonly event: string;
  readonly data: unknown;
  readonly id?: string;
}

/** The event that keeps the connection alive for the reader and all proxies in between. */
const HEARTBEAT = 'event: heartbeat\ndata: {}\n\n';
/** Reconnection delay for readers, in milliseconds. */
const OPENING = 'retry: 2000\n\n';

/** Longest id of a last event that a reader may name. */
const LONGEST_ID = 256;

/** The id of the last event that a reader has seen; ids of a form that we never send count as none. */
export function lastEventIdOf(header: string | string[] | undefined): string | undefined {
  const id = typeof header === 'string' ? header.trim() : '';
  return id === '' || id.length > LONGEST_ID ? undefined : id;
}

function encode({ event, data, id }: AnyEvent): string {
  const lines = [`event: ${event}`, `data: ${JSON.stringify(data)}`];
  if (id !== undefined) lines.push(`id: ${id}`);
  return `${lines.join('\n')}\n\n`;
}

/** Streams of one service that are open, to be ended when it stops: they have no end of their own. */
export interface OpenStreams {
  /** Ends all of them; a stream that is opened afterwards ends at once. */
  end(): void;
  /** Registers a stream; the result forgets it. */
  add(stream: AbortController): () => void;
}

/** Keeps the open streams of a service. */
export function createOpenStreams(): OpenStreams {
  const open = new Set<AbortController>();
  let ended = false;
  return {
    end: () => {
      ended = true;
      for (const stream of open) stream.abort();
    },
    add: (stream) => {
      if (ended) stream.abort();
      open.add(stream);
      return () => void open.delete(stream);
    },
  };
}

type Arrival = IteratorResult<AnyEvent> | 'silence' | 'over';

/** The next event, or `silence` after so many milliseconds without one, or `over` when the signal aborts. */
function nextArrival(
  next: Promise<IteratorResult<AnyEvent>>,
  silenceMs: number,
  signal: AbortSignal,
): Promise<Arrival> {
  return new Promise((resolve, reject) => {
    const settle = (arrival: Arrival) => {
      clearTimeout(timer);
      signal.removeEventListener('abort', over);
      resolve(arrival);
    };
    const over = () => settle('over');
    const timer = setTimeout(() => settle('silence'), silenceMs);
    signal.addEventListener('abort', over, { once: true });
    next.then(settle, reject);
    if (signal.aborted) over();
  });
}

/** The text of a stream: events as they come, heartbeats in between, until the source ends or the signal aborts. */
async function* textOf(
  source: AsyncIterable<AnyEvent>,
  heartbeatMs: number,
  signal: AbortSignal,
): AsyncGenerator<string> {
  yield OPENING;
  const iterator = source[Symbol.asyncIterator]();
  let next: Promise<IteratorResult<AnyEvent>> | undefined;
  try {
    for (;;) {
      next ??= iterator.next();
      const arrival = await nextArrival(next, heartbeatMs, signal);
      if (arrival === 'silence') {
        yield HEARTBEAT;
        continue;
      }
      if (arrival === 'over' || arrival.done === true) return;
      next = undefined;
      yield encode(arrival.value);
    }
  } finally {
    // The pending next event is neither awaited nor allowed to fail unhandled.
    next?.catch(() => undefined);
    void iterator.return?.().then(undefined, () => undefined);
  }
}

/**
 * Answers with a stream of events. `open` begins the source with a call whose signal aborts when the reader leaves, when the
 * service stops and when the stream ends. A source that fails cuts the connection, so that the reader comes again.
 */
export async function sendEvents(
  reply: FastifyReply,
  call: OpenCall,
  { heartbeatMs }: EventsAnswer,
  streams: OpenStreams,
  open: (call: OpenCall) => Promise<unknown>,
): Promise<FastifyReply> {
  const ending = new AbortController();
  const forget = streams.add(ending);
  reply.raw.once('close', () => {
    ending.abort();
    forget();
  });
  const { signal } = ending;
  const { correlationId, caller, peer, log } = call;
  try {
    const source = (await open({ correlationId, caller, peer, log, signal })) as AsyncIterable<AnyEvent>;
    const content = Readable.from(textOf(source, heartbeatMs, signal), { highWaterMark: 1 });
    content.once('error', (error) => log.error({ err: error }, 'a stream of events failed'));
    return reply
      .headers({ 'Content-Type': 'text/event-stream; charset=utf-8', 'Cache-Control': 'no-store' })
      .header('X-Accel-Buffering', 'no')
      .send(content);
  } catch (error) {
    forget();
    throw error;
  }
}
