import type { AnswerSink, Transfer } from '../backend.ts';

/** The transfer of an answer that is generated here: buffers it while its reader is slow, and passes nothing on once it was aborted. */
export class BufferedTransfer implements Transfer {
  /** Aborts with the transfer. */
  readonly signal: AbortSignal;
  /** Whether the head was sent. */
  started = false;
  private readonly receiver: AnswerSink;
  private readonly controller = new AbortController();
  private buffered: (() => void)[] | undefined;
  private over = false;

  constructor(receiver: AnswerSink) {
    this.receiver = receiver;
    this.signal = this.controller.signal;
  }

  pause(): void {
    this.buffered ??= [];
  }

  resume(): void {
    const { buffered } = this;
    this.buffered = undefined;
    for (const step of buffered ?? []) this.pass(step);
  }

  abort(): void {
    if (this.over) return;
    this.over = true;
    this.buffered = undefined;
    this.controller.abort(new Error('the call was aborted'));
  }

  begin(status: number, contentType: string): void {
    this.started = true;
    this.pass(() => this.receiver.started({ status, contentType, retryAfterMs: undefined }));
  }

  send(bytes: Buffer): void {
    this.pass(() => this.receiver.received(bytes));
  }

  end(): void {
    this.pass(() => {
      this.over = true;
      this.receiver.ended();
    });
  }

  private pass(step: () => void): void {
    if (this.over) return;
    if (this.buffered === undefined) step();
    else this.buffered.push(step);
  }
}
