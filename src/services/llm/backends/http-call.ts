import type { Dispatcher } from 'undici';
import type { AnswerHead, Receiver, Transfer } from './backend.ts';

const CONTENT_TYPE = 'content-type';
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

/** The headers that matter here, read from the raw pairs: making an object of all costs more than the rest of the call. */
function readHead(status: number, raw: Buffer[]): AnswerHead {
  let contentType = '';
  let after: string | undefined;
  let exact: string | undefined;
  for (let index = 0; index + 1 < raw.length; index += 2) {
    const length = raw[index]?.length;
    if (length !== 12 && length !== 11 && length !== 14) continue;
    const name = raw[index]?.toString('latin1').toLowerCase();
    const value = raw[index + 1];
    if (name === CONTENT_TYPE) contentType = value?.toString('latin1') ?? '';
    else if (name === RETRY_AFTER) after = value?.toString('latin1');
    else if (name === RETRY_AFTER_MS) exact = value?.toString('latin1');
  }
  const wait = after === undefined && exact === undefined ? undefined : retryAfterMs(after, exact);
  return { status, contentType, retryAfterMs: wait };
}

/** One HTTP call of a backend, as undici drives it: bytes go straight to the receiver, no stream object stands between. */
export class HttpCall implements Transfer, Dispatcher.DispatchHandler {
  private readonly receiver: Receiver;
  private stop: ((reason?: Error) => void) | undefined;
  private wake: (() => void) | undefined;
  private paused = false;
  private over = false;

  constructor(receiver: Receiver) {
    this.receiver = receiver;
  }

  pause(): void {
    this.paused = true;
  }

  resume(): void {
    if (!this.paused) return;
    this.paused = false;
    this.wake?.();
  }

  abort(): void {
    if (this.over) return;
    this.over = true;
    this.stop?.(new Error('the call was given up'));
  }

  onConnect(abort: (reason?: Error) => void): void {
    // A call that was given up while it waited for a connection is never sent.
    if (this.over) abort(new Error('the call was given up'));
    else this.stop = abort;
  }

  onHeaders(status: number, raw: Buffer[], resume: () => void): boolean {
    if (status < 200) return true;
    this.wake = resume;
    if (!this.over) this.receiver.began(readHead(status, raw));
    return !this.paused;
  }

  onData(chunk: Buffer): boolean {
    if (!this.over) this.receiver.received(chunk);
    return !this.paused;
  }

  onComplete(): void {
    if (this.over) return;
    this.over = true;
    this.receiver.ended();
  }

  onError(reason: Error): void {
    if (this.over) return;
    this.over = true;
    this.receiver.broke(reason);
  }
}
