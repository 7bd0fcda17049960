import type { Dispatcher } from 'undici';
import type { AnswerSink, ResponseHead, Transfer } from './backend.ts';
import { Decompressor } from './decompressor.ts';

const CONTENT_TYPE = 'content-type';
const CONTENT_ENCODING = 'content-encoding';
const RETRY_AFTER = 'retry-after';
const RETRY_AFTER_MS = 'retry-after-ms';

/** Milliseconds of a Retry-After value: seconds or a date. */
export function retryAfterMs(value: string | undefined, exact: string | undefined): number | undefined {
  const milliseconds = Number(exact);
  if (exact !== undefined && Number.isFinite(milliseconds) && milliseconds >= 0) return milliseconds;
  if (value === undefined) return undefined;
  const seconds = Number(value);
  if (Number.isFinite(seconds)) return Math.max(0, seconds * 1000);
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, date - Date.now());
}

/** Lengths of the names that are read: all others are skipped. */
const LENGTHS: ReadonlySet<number | undefined> = new Set(
  [CONTENT_TYPE, CONTENT_ENCODING, RETRY_AFTER, RETRY_AFTER_MS].map(({ length }) => length),
);

/** How an answer begins, and how its bytes are compressed; '' when they are not. */
interface RawHead extends ResponseHead {
  readonly encoding: string;
}

/** The headers that matter here, read from the raw pairs: making an object of all costs more than the rest of the call. */
function readHead(status: number, raw: Buffer[]): RawHead {
  let contentType = '';
  let encoding = '';
  let after: string | undefined;
  let exact: string | undefined;
  for (let index = 0; index + 1 < raw.length; index += 2) {
    if (!LENGTHS.has(raw[index]?.length)) continue;
    const name = raw[index]?.toString('latin1').toLowerCase();
    const value = raw[index + 1];
    if (name === CONTENT_TYPE) contentType = value?.toString('latin1').toLowerCase() ?? '';
    else if (name === CONTENT_ENCODING) encoding = value?.toString('latin1').trim().toLowerCase() ?? '';
    else if (name === RETRY_AFTER) after = value?.toString('latin1');
    else if (name === RETRY_AFTER_MS) exact = value?.toString('latin1');
  }
  const wait = after === undefined && exact === undefined ? undefined : retryAfterMs(after, exact);
  return { status, contentType, retryAfterMs: wait, encoding: encoding === 'identity' ? '' : encoding };
}

/** One HTTP call of a backend, as undici drives it: bytes go straight to the receiver, no stream object stands between. */
export class HttpCall implements Transfer, Dispatcher.DispatchHandler {
  private readonly receiver: AnswerSink;
  private stop: ((reason?: Error) => void) | undefined;
  private wake: (() => void) | undefined;
  private decompressor: Decompressor | undefined;
  private paused = false;
  private over = false;

  constructor(receiver: AnswerSink) {
    this.receiver = receiver;
  }

  pause(): void {
    this.paused = true;
    this.decompressor?.pause();
  }

  resume(): void {
    if (!this.paused) return;
    this.paused = false;
    this.decompressor?.resume();
    this.wake?.();
  }

  abort(): void {
    if (this.over) return;
    this.over = true;
    this.decompressor?.destroy();
    this.stop?.(new Error('the call was aborted'));
  }

  onConnect(abort: (reason?: Error) => void): void {
    // A call that was aborted while it waited for a connection is never sent.
    if (this.over) abort(new Error('the call was aborted'));
    else this.stop = abort;
  }

  onHeaders(status: number, raw: Buffer[], resume: () => void): boolean {
    if (status < 200) return true;
    this.wake = resume;
    if (this.over) return true;
    const head = readHead(status, raw);
    if (head.encoding !== '') this.decompressor = this.decompress(head.encoding);
    this.receiver.started(head);
    return !this.paused;
  }

  onData(chunk: Buffer): boolean {
    if (this.over) return true;
    if (this.decompressor !== undefined) return this.decompressor.write(chunk) && !this.paused;
    this.receiver.received(chunk);
    return !this.paused;
  }

  onComplete(): void {
    if (this.decompressor === undefined) this.ended();
    else this.decompressor.end();
  }

  onError(reason: Error): void {
    if (this.over) return;
    this.over = true;
    this.decompressor?.destroy();
    this.receiver.failed(reason);
  }

  private ended(): void {
    if (this.over) return;
    this.over = true;
    this.receiver.ended();
  }

  /** Stands between the connection and the receiver; an unknown encoding throws, and so ends the call. */
  private decompress(encoding: string): Decompressor {
    return new Decompressor(encoding, {
      received: (bytes) => this.over || this.receiver.received(bytes),
      ended: () => this.ended(),
      failed: (reason) => {
        this.onError(reason);
        this.stop?.(reason);
      },
      drained: () => this.paused || this.wake?.(),
    });
  }
}
