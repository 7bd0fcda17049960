import type { ServerResponse } from 'node:http';
import type { Failure } from '../../../foundation/errors.ts';
import { errorBody, errorObject } from '../wire/error-body.ts';

/** A caller that reads slower than the backend writes is waited for from this many unsent bytes on. */
const MOST_UNSENT_BYTES = 256 * 1024;
/** Answers up to this size travel in one write with their head. */
const SMALL_ANSWER_BYTES = 16 * 1024;

const DONE = Buffer.from('data: [DONE]\n\n');
const KEEP_ALIVE = Buffer.from(': keep-alive\n\n');

/** Must know when a caller disconnects. */
export interface DisconnectListener {
  /** The caller disconnected before the end of the answer; called once. */
  clientLeft(): void;
}

/** Called once when an answer ended; `seconds` is the time from the request. */
export type AnswerObserver = (status: number, seconds: number) => void;

/** The status that proxies log for a caller who disconnected before the end. */
const LEFT_STATUS = 499;

/** Calls when the connection of a response closes that was not given its socket yet. */
function closeWith(response: ServerResponse, listener: () => void): void {
  const { socket } = response.req;
  socket.on('close', listener);
  response.on('close', () => socket.off('close', listener));
}

/** The answer to one caller: a plain one, or a stream of events. */
export class ClientAnswer {
  readonly requestId: string;
  /** Whether the stream has begun: from then on failures are events. */
  opened = false;
  /** Whether the answer was sent, or the caller disconnected. */
  over = false;
  /**
   * Called when the caller disconnects. An object and not a function: a function that is assigned to a property is allocated in
   * the old generation, and there keeps its finished request alive until the next full collection.
   */
  disconnectListener: DisconnectListener | undefined;
  /** Headers that go with every answer, such as those of the rate limit: name, value, name, value. */
  readonly headers: string[] = [];
  /** How many targets failed or were passed over before the one that is asked; undefined while none is. */
  fallbacks: number | undefined;
  private readonly startedAt = performance.now();
  private readonly observer: AnswerObserver | undefined;
  private readonly response: ServerResponse;

  constructor(response: ServerResponse, requestId: string, observer?: AnswerObserver) {
    this.response = response;
    this.requestId = requestId;
    this.observer = observer;
    const close = () => {
      if (this.over) return;
      this.finish(LEFT_STATUS);
      this.disconnectListener?.clientLeft();
    };
    // An answer behind others on its connection does not know its socket yet, and would not hear it close.
    if (response.socket === null) closeWith(response, close);
    response.on('close', close);
  }

  plain(status: number, body: Buffer, headers: readonly string[] = []): void {
    if (this.over) return;
    this.finish(status);
    const { response } = this;
    response.writeHead(status, [
      'content-type',
      'application/json',
      'content-length',
      String(body.length),
      'x-request-id',
      this.requestId,
      ...this.ownHeaders(),
      ...headers,
    ]);
    // Latin-1 keeps every byte, and a string shares one write with the head where a buffer needs a second.
    if (body.length <= SMALL_ANSWER_BYTES) response.end(body.toString('latin1'), 'latin1');
    else response.end(body);
  }

  open(): void {
    if (this.opened || this.over) return;
    this.opened = true;
    this.response.writeHead(200, [
      'content-type',
      'text/event-stream; charset=utf-8',
      'cache-control',
      'no-cache',
      'x-accel-buffering',
      'no',
      'x-request-id',
      this.requestId,
      ...this.ownHeaders(),
    ]);
  }

  /** Sends bytes of the stream; false when the caller should be waited for. */
  write(bytes: Buffer): boolean {
    if (this.over) return true;
    this.response.write(bytes);
    return this.response.writableLength < MOST_UNSENT_BYTES;
  }

  /** Calls once when the caller has read what was sent. */
  onceDrained(listener: () => void): void {
    this.response.once('drain', listener);
  }

  keepAlive(): void {
    this.open();
    this.write(KEEP_ALIVE);
  }

  /** Ends a complete stream; `addDone` adds the [DONE] that the backend left out. */
  end({ addDone }: { readonly addDone: boolean }): void {
    if (this.over) return;
    this.finish(200);
    this.response.end(addDone ? DONE : undefined);
  }

  /** Answers with a failure: as a status while nothing was sent, as an event after. */
  fail(failure: Failure): void {
    if (this.over) return;
    if (this.opened) {
      const event = JSON.stringify({ error: errorObject(failure), detail: failure.message });
      this.finish(200);
      this.response.end(`event: error\ndata: ${event}\n\n`);
      return;
    }
    const headers = Object.entries(failure.headers).flat();
    this.plain(failure.status, Buffer.from(JSON.stringify(errorBody(failure))), headers);
  }

  private finish(status: number): void {
    this.over = true;
    this.observer?.(status, (performance.now() - this.startedAt) / 1000);
  }

  private ownHeaders(): readonly string[] {
    if (this.fallbacks !== undefined) this.headers.push('x-limpede-fallbacks', String(this.fallbacks));
    return this.headers;
  }
}
